import { isoTime } from '../../protocol/job-view.ts';

/** An account as the operator sees it. */
export function accountView(account: { id: string; name: string; slots: number | null; createdAt: number }) {
  const { id, name, slots, createdAt } = account;
  return { account_id: id, name, provisioned_slots: slots, created_at: isoTime(createdAt) };
}

/** Since when a key or a host is good, and until when it was. */
export function isoTimes(times: { createdAt: number; revokedAt: number | null }) {
  return {
    created_at: isoTime(times.createdAt),
    revoked_at: times.revokedAt === null ? null : isoTime(times.revokedAt),
  };
}
