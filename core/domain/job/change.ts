import { fieldsOf, type Job, leaseOf } from './job.ts';

/** The cause of a change: the event, and the id of its request if there was one. */
export interface Cause {
  readonly event: string;
  readonly requestId?: string | undefined;
}

/**
 * Returns the log entry for a change of a job; null for changes of no interest, such as an extended lease. It contains
 * no secrets: no addresses, no headers, and no query strings in the host's texts.
 */
export function describeChange(before: Job | null, after: Job, cause: Cause): Readonly<Record<string, unknown>> | null {
  const isSeen =
    before?.status !== after.status ||
    before.fence !== after.fence ||
    before.run !== after.run ||
    before.clip?.state !== after.clip?.state ||
    before.clip?.isSaved !== after.clip?.isSaved;
  if (!isSeen) return null;
  const lease = leaseOf(after) ?? (before && leaseOf(before));
  const { errorCode, errorDetail, finishedAt } = fieldsOf(after);
  return {
    event: cause.event,
    ...(cause.requestId === undefined ? {} : { requestId: cause.requestId }),
    job: after.id,
    account: after.accountId,
    from: before?.status ?? null,
    to: after.status,
    run: after.run,
    attempt: after.attempt,
    fence: after.fence,
    host: lease?.hostId ?? null,
    // A query may be the secret of a signed address.
    ...(errorCode === null ? {} : { errorCode, errorDetail: errorDetail?.replace(/\?\S+/g, '?…') ?? null }),
    ...(after.clip ? { clip: after.clip.state, isSaved: after.clip.isSaved } : {}),
    ...(finishedAt === null ? {} : { tookMs: finishedAt - after.queuedAt }),
  };
}
