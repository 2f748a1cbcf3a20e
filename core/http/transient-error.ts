import { LATER_VERSION } from '#domain/later-version.ts';

/** A part of the service failed in a way that is expected to pass: answered with 503, and logged with its cause. */
export class TransientError extends Error {}

/**
 * What the platform says where it sets no property: of R2 by its codes (internal error, unavailable, disconnected, too
 * many), of D1 and of connections in words. https://developers.cloudflare.com/r2/api/error-codes/,
 * https://developers.cloudflare.com/d1/observability/debug-d1/
 */
const MESSAGES = [
  LATER_VERSION,
  /\((?:10001|10043|10054|10058)\)$/,
  /D1 DB.* (?:reset|overloaded|transient issue)\b/,
  'Network connection lost',
  'because client disconnected',
  // A full disk of a stack. A new object without room for its file reports only the second.
  'SQLITE_FULL',
  'internal error; reference =',
  'reset because its code was updated',
  'this Durable Object instance is no longer active',
];

/** Properties of the errors of calls to objects: a connection was lost, there is too much to do, a deploy reset it. */
const PROPERTIES = ['retryable', 'overloaded', 'durableObjectReset'] as const;

/** Whether the same call may go better in a moment: the service or the platform was busy, moved, or was updated. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransientError) return true;
  if (PROPERTIES.some((name) => Reflect.get(error, name) === true)) return true;
  const { message } = error;
  if (MESSAGES.some((said) => (typeof said === 'string' ? message.includes(said) : said.test(message)))) return true;
  // The library for queries puts an error of its own around the platform's.
  return isTransient(error.cause);
}
