import { LATER_VERSION } from '#domain/lib/later-version.ts';

/** A failure of a part of the service that is expected to end soon. Answered with 503, logged with its cause. */
export class TransientError extends Error {}

/**
 * Messages of platform errors without a property: of R2 by code (internal error, unavailable, disconnected, too many),
 * of D1 and of connections by text. https://developers.cloudflare.com/r2/api/error-codes/,
 * https://developers.cloudflare.com/d1/observability/debug-d1/
 */
const MESSAGES = [
  LATER_VERSION,
  /\((?:10001|10043|10054|10058)\)$/,
  /D1 DB.* (?:reset|overloaded|transient issue)\b/,
  'Network connection lost',
  'because client disconnected',
  // The disk of a stack is full. An object that cannot create its file reports only the second message.
  'SQLITE_FULL',
  'internal error; reference =',
  'reset because its code was updated',
  'this Durable Object instance is no longer active',
];

/** Properties of errors of calls to objects: a lost connection, overload, a reset by a deploy. */
const PROPERTIES = ['retryable', 'overloaded', 'durableObjectReset'] as const;

/** Whether the same call may succeed in a moment: the service or the platform was busy, moved or updated. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransientError) return true;
  if (PROPERTIES.some((name) => Reflect.get(error, name) === true)) return true;
  const { message } = error;
  if (MESSAGES.some((pattern) => (typeof pattern === 'string' ? message.includes(pattern) : pattern.test(message))))
    return true;
  // The query library wraps the platform's errors.
  return isTransient(error.cause);
}
