import type { AddressPolicy } from '#domain/address-policy.ts';
import { leaseOf } from '#domain/job.ts';
import { type Result, refuse, value } from '#domain/result.ts';
import { assetKey, demoFileKey } from '#domain/storage-keys.ts';
import type { Settings } from '#platform/settings.ts';
import { uploadIdIn } from '#protocol/uploads.ts';
import { accountKeyOf, demoKeyOf } from './demo-key.ts';
import type { StoredJob } from './stored-job.ts';
import { renderOrder } from './stored-request.ts';
import type { GrantedLease, Leased } from './words.ts';

/** What a host is told of its lease, and may reach under it. */

export async function grantedLease(
  { job: { accountId, work }, request }: StoredJob,
  fence: number,
  { clipIdSecret }: Settings,
): Promise<GrantedLease> {
  const [demoKey, accountKey] = await Promise.all([
    demoKeyOf(clipIdSecret, accountId, request.demo_url),
    accountKeyOf(clipIdSecret, accountId),
  ]);
  const limit = work.kind === 'clip' ? { mostFrames: work.frames.most } : {};
  return { fence, order: renderOrder(request), demoKey, accountKey, ...limit };
}

export function holdsLease(stored: StoredJob | null, hostId: string, fence: number): boolean {
  const lease = stored && leaseOf(stored.job);
  return lease?.fence === fence && lease.hostId === hostId;
}

export function leasedBy(stored: StoredJob | null, hostId: string, fence: number): Result<Leased, 'stale_lease'> {
  const job = stored?.job;
  const isDone = job?.status === 'done' && job.fence === fence && job.renderedBy === hostId;
  if (!job || !(isDone || holdsLease(stored, hostId, fence))) return refuse('stale_lease');
  return value({ clipId: job.clipId, isDone });
}

/** What only the host may know that holds the lease. */
export function underLease<T>(
  stored: StoredJob | null,
  hostId: string,
  fence: number,
  read: (stored: StoredJob) => T,
): Result<T, 'stale_lease'> {
  return stored && holdsLease(stored, hostId, fence) ? value(read(stored)) : refuse('stale_lease');
}

export function watermarkKey(stored: StoredJob): string | null {
  const id = renderOrder(stored.request).watermarkImageId;
  return id && assetKey(stored.job.accountId, id);
}

/** Made of the job's own account: whatever its request says, there is no way to another's. */
export function uploadedKey(stored: StoredJob, { ownOrigins }: AddressPolicy): string | null {
  const id = uploadIdIn(stored.request.demo_url, ownOrigins);
  return id !== null ? demoFileKey(stored.job.accountId, id) : null;
}
