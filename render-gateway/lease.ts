import { accepted } from '#http/accepted.ts';
import type { Leased, LeaseHolder } from '#rpc/render-job.ts';
import type { Service } from '#service/lib/service.ts';

/** Returns what the lease allows its host. Called before storage, so that a host without the lease learns nothing. */
export async function requireLease({ job }: Pick<Service, 'job'>, jobId: string, holder: LeaseHolder): Promise<Leased> {
  return accepted(await job(jobId).leased(holder));
}
