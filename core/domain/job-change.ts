import { fieldsOf, type Job, leaseOf } from './job.ts';

/** What made a job change: the event, and the request that brought it, if one did. */
export interface Cause {
  readonly event: string;
  readonly requestId?: string | undefined;
}

/**
 * What the log says of a change of a job; null for one that nobody looks for, such as a lease that was extended. It has
 * no secret: no address, no header, and of the host's own words nothing that stands behind a question mark.
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
    ...(errorCode === null ? {} : { errorCode, errorDetail: withoutQueries(errorDetail) }),
    ...(after.clip ? { clip: after.clip.state, isSaved: after.clip.isSaved } : {}),
    ...(finishedAt === null ? {} : { tookMs: finishedAt - after.queuedAt }),
  };
}

/** A signed address has its secret in the query. */
function withoutQueries(text: string | null): string | null {
  return text?.replace(/\?\S+/g, '?…') ?? null;
}
