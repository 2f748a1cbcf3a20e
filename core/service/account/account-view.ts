import type { z } from 'zod';
import { LIMITS, type LimitValues, mapLimits } from '#domain/operate/limits.ts';
import type { AccountView, ApiKey } from '#protocol/account/accounts.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import type { AccountSummary, ApiKeySummary } from '#storage/account/accounts.ts';

/** Returns an account as operators see it. `all`: the deployment's limits. */
export function accountView(account: AccountSummary, all: LimitValues): z.input<typeof AccountView> {
  const { id, name, slots: provisioned_slots, renderer, labels, createdAt, suspendedAt, erasingAt } = account;
  return {
    account_id: id,
    name,
    provisioned_slots,
    renderer,
    labels,
    suspended_at: isoTimeOrNull(suspendedAt),
    clips_hidden: account.isHidden,
    brand: { name: null, url: null, logo: null, colour: null, ...account.brand },
    erasing_at: isoTimeOrNull(erasingAt),
    limits: account.limits,
    default_limits: mapLimits(LIMITS.account, (_, name) => all[name]),
    created_at: isoTime(createdAt),
    drawn_share: account.drawnShare,
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
