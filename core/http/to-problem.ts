import type { Log } from '#platform/log.ts';
import { ProblemError } from './problem.ts';
import { isTransient } from './transient-error.ts';

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
