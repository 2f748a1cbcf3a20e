import { MAX_OPEN_DELIVERIES } from '#domain/job/delivery.ts';
import type { RefusalReason, Result } from '#domain/job/result.ts';
import { notFound, ProblemError } from './problem.ts';

const staleLease = () =>
  new ProblemError('stale_lease', 'Another host has this job now, or it needs no more work. Drop it.');

/** The problems of refusals that are the same for every call. */
const PROBLEMS = {
  not_found: notFound,
  job_in_flight: () =>
    new ProblemError('job_in_flight', 'The job is pending, prefetching or rendering; wait for its outcome.'),
  job_finished: () =>
    new ProblemError('job_finished', 'The job has its outcome already; it cannot be canceled any more.'),
  request_forgotten: () =>
    new ProblemError('request_forgotten', 'What was asked of this job is no longer kept; submit it anew.'),
  stale_lease: staleLease,
  // The host is broken.
  too_many_uploads: staleLease,
  no_webhook: () =>
    new ProblemError(
      'no_webhook',
      'The job has no webhook that could be sent: no webhook_url, or one whose secret has been forgotten.',
    ),
  too_many_deliveries: () =>
    new ProblemError(
      'too_many_deliveries',
      `${MAX_OPEN_DELIVERIES} webhooks of this job are still on their way; they have to arrive or be used up first.`,
      { headers: { 'Retry-After': '60' } },
    ),
  not_implemented: () => new ProblemError('not_implemented', 'This runtime keeps no earlier states of objects.'),
} satisfies { readonly [Reason in RefusalReason]?: () => ProblemError };
type Plain = keyof typeof PROBLEMS;

/** The problems that a call has to provide: those of all other refusals. It may replace one from above. */
type Problems<Reason extends RefusalReason> = { readonly [R in Exclude<Reason, Plain>]: () => ProblemError } & {
  readonly [R in Extract<Reason, Plain>]?: () => ProblemError;
};

/** Returns the value of an object's result. Throws a refusal as a problem. */
export function accepted<Value, Reason extends RefusalReason>(
  result: Result<Value, Reason>,
  ...[problems]: [Exclude<Reason, Plain>] extends [never] ? [problems?: Problems<Reason>] : [problems: Problems<Reason>]
): Value {
  if (result.ok) return result.value;
  const all: { readonly [R in RefusalReason]?: (() => ProblemError) | undefined } = { ...PROBLEMS, ...problems };
  throw (all[result.refusal] ?? notFound)();
}

/** Returns the problem of a refusal, for callers that do not throw it. */
export function problemOfRefusal(refusal: Plain): ProblemError {
  return PROBLEMS[refusal]();
}
