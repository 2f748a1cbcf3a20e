import type { Log } from '#platform/log.ts';
import { ProblemError } from './problem.ts';
import { isTransient } from './transient-error.ts';

/** What is answered to what was thrown. What is no problem is logged under these ids, and tells the client nothing. */
export function toProblem(error: unknown, ids: Readonly<Record<string, string>>, log: Log): ProblemError {
  if (error instanceof ProblemError) return error;
  log('request failed', { ...ids, error: describe(error) });
  if (!isTransient(error)) return new ProblemError('internal', 'The request could not be finished.');
  return new ProblemError('unavailable', 'Send the request again.', { headers: { 'Retry-After': '1' } });
}

/** Of an error around another, the first line: the rest of a failed query's are its parameters. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause === undefined) return error.stack ?? error.message;
  return `${error.message.split('\n')[0]}\ncaused by ${describe(error.cause)}`;
}
