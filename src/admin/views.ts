import type { z } from 'zod';
import type { AccountView } from '#protocol/admin.ts';
import { isoTime } from '#protocol/job-view.ts';
import type { AccountSummary } from '#storage/accounts.ts';

export const MIB = 1024 * 1024;

/** Returns an account as operators see it. */
export function accountView(account: AccountSummary): z.input<typeof AccountView> {
  const { id, name, slots: provisioned_slots, renderer, labels, createdAt, suspendedAt, erasingAt } = account;
  const { assetBytes, jobsADay: jobs_a_day, jobsKept: jobs_kept, openUploads: open_uploads, ...rest } = account.limits;
  const limits = { ...rest, jobs_a_day, jobs_kept, open_uploads };
  return {
    ...{ account_id: id, name, provisioned_slots, renderer, labels },
    suspended_at: isoTimeOrNull(suspendedAt),
    erasing_at: isoTimeOrNull(erasingAt),
    limits: { ...limits, ...(assetBytes === undefined ? {} : { asset_mib: assetBytes / MIB }) },
    created_at: isoTime(createdAt),
  };
}

/** Formats when a key or a host was created and revoked. */
export function isoTimes(times: { createdAt: number; revokedAt: number | null }): {
  created_at: string;
  revoked_at: string | null;
} {
  return {
    created_at: isoTime(times.createdAt),
    revoked_at: isoTimeOrNull(times.revokedAt),
  };
}

export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
