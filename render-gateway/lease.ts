import { accepted } from '#http/accepted.ts';
import type { Leased, LeaseHolder } from '#rpc/render-job.ts';
import type { Service } from '#service/service.ts';

/** Returns what the host may reach. Called before storage: a host without the lease learns nothing of what is there. */
export async function requireLease({ job }: Pick<Service, 'job'>, jobId: string, holder: LeaseHolder): Promise<Leased> {
  return accepted(await job(jobId).leased(holder));
}
