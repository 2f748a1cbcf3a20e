import { webhookSecretOf } from '#platform/signing-secrets.ts';
import { selectWebhookSecrets } from '#storage/account/webhook-secrets.ts';
import type { Database } from '#storage/lib/database.ts';

/** How long an isolate caches the secrets. After a change, webhooks may use the old ones for this long. */
const CACHED_MS = 30_000;
const MOST_KNOWN = 1000;

interface Known {
  readonly secrets: readonly string[];
  readonly at: number;
}

const known = new Map<string, Known>();

/**
 * Returns the secrets that sign an account's webhooks. If the database is unavailable, returns the last known ones, or
 * none: an account without secrets must not wait, and a receiver that checks refuses an unsigned webhook, which is then
 * retried.
 */
export async function liveSecrets(
  db: Database,
  deploymentSecret: string,
  accountId: string,
  now: number,
): Promise<readonly string[]> {
  const before = known.get(accountId);
  if (before && now - before.at < CACHED_MS && now >= before.at) return before.secrets;
  try {
    const secrets = await readSecrets(db, deploymentSecret, accountId);
    const [oldest] = known.keys();
    if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    known.delete(accountId);
    known.set(accountId, { secrets, at: now });
    return secrets;
  } catch {
    return before?.secrets ?? [];
  }
}

/** Reads the present secrets, without the cache. */
export async function readSecrets(
  db: Database,
  deploymentSecret: string,
  accountId: string,
): Promise<readonly string[]> {
  const rows = await selectWebhookSecrets(db, accountId);
  return Promise.all(rows.map(({ id }) => webhookSecretOf(deploymentSecret, accountId, id)));
}
