import type { Leased } from '#durable-objects/render-job/words.ts';
import { accepted } from '#http/accepted.ts';
import type { Service } from '#service/service.ts';

/** Where the host's files go. Asked before storage is: a host without the lease learns nothing of what lies there. */
export async function requireLease(
  { job }: Pick<Service, 'job'>,
  hostId: string,
  jobId: string,
  fence: number,
): Promise<Leased> {
  return accepted(await job(jobId).leased(hostId, fence));
}
