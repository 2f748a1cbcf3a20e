import type { Leased } from '#durable-objects/render-job/words.ts';
import { accepted } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';
import type { Service } from '#service/service.ts';

/** The answer to a report under a lease that is no longer held: the host drops the work and says nothing more. */
export function staleLease(): ProblemError {
  return new ProblemError('stale_lease', 'Another host has this job now, or it needs no more work. Drop it.');
}

/** Where the host's files go. Asked before storage is: a host without the lease learns nothing of what lies there. */
export async function requireLease(
  { job }: Pick<Service, 'job'>,
  hostId: string,
  jobId: string,
  fence: number,
): Promise<Leased> {
  return accepted(await job(jobId).leased(hostId, fence), { stale_lease: staleLease });
}
