import { ProblemError } from '../http/problem.ts';
import type { Service } from '../service/service.ts';

/** The answer to a report under a lease that is no longer held: the host drops the work and says nothing more. */
export function staleLease(): ProblemError {
  return new ProblemError('stale_lease', 'Another host has this job now, or it needs no more work. Drop it.');
}

export async function requireLease(
  { job }: Pick<Service, 'job'>,
  hostId: string,
  jobId: string,
  fence: number,
): Promise<void> {
  if (!(await job(jobId).holdsLease(hostId, fence))) throw staleLease();
}
