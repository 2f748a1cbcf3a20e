import { LATER_VERSION } from '#domain/lib/types.ts';
import type { Log } from '#platform/log.ts';
import { ProblemError } from './problem.ts';

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

/** Maps a thrown error to a problem. An unexpected error is logged with these ids; the client gets no details of it. */
export function toProblem(error: unknown, ids: Readonly<Record<string, string>>, log: Log): ProblemError {
  if (error instanceof ProblemError) return error;
  log('request failed', { ...ids, error: describe(error) });
  if (!isTransient(error)) return new ProblemError('internal', 'The request could not be finished.');
  return new ProblemError('unavailable', 'Send the request again.', { headers: { 'Retry-After': '1' } });
}

/** Returns the first line of a wrapped error: the rest of a failed query's message are its parameters. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause === undefined) return error.stack ?? error.message;
  return `${error.message.split('\n')[0]}\ncaused by ${describe(error.cause)}`;
}
