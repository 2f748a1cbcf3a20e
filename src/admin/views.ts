import type { z } from 'zod';
import type { AccountLimits } from '#domain/account.ts';
import type { LimitSettings } from '#platform/settings.ts';
import type { AccountView, ApiKey } from '#protocol/admin.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import type { AccountSummary, ApiKeySummary } from '#storage/accounts.ts';

export const MIB = 1024 * 1024;

/** Returns an account as operators see it. `all`: the deployment's limits. */
export function accountView(account: AccountSummary, all: LimitSettings): z.input<typeof AccountView> {
  const { id, name, slots: provisioned_slots, renderer, labels, createdAt, suspendedAt, erasingAt } = account;
  return {
    ...{ account_id: id, name, provisioned_slots, renderer, labels },
    suspended_at: isoTimeOrNull(suspendedAt),
    clips_hidden: account.isHidden,
    erasing_at: isoTimeOrNull(erasingAt),
    limits: limitsView(account.limits),
    default_limits: limitsView(all),
    created_at: isoTime(createdAt),
  };
}

function limitsView(limits: AccountLimits) {
  const { requests, submits, uploads, follows, jobs, jobsADay, jobsKept, openUploads, assets, assetBytes } = limits;
  return {
    agent_seconds_a_day: limits.agentSeconds,
    ...{ requests, submits, uploads, follows, jobs, jobs_a_day: jobsADay, jobs_kept: jobsKept },
    ...{ open_uploads: openUploads, assets, asset_mib: assetBytes === undefined ? undefined : assetBytes / MIB },
    ...{ frames: limits.frames, unbilled: limits.unbilled, fallback: limits.fallback },
  };
}

export function keyView(key: ApiKeySummary): z.input<typeof ApiKey> {
  const { id: key_id, kind, name, scope, hint, expiresAt, ingestLimits: ingest_limits, usedAt, madeBy: made_by } = key;
  const known = { key_id, kind, name, scope, hint, ingest_limits, made_by };
  return { ...known, expires_at: isoTimeOrNull(expiresAt), last_used: isoTimeOrNull(usedAt), ...isoTimes(key) };
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
