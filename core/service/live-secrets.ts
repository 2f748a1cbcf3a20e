import { webhookSecretOf } from '#platform/signing-secrets.ts';
import type { Database } from '#storage/database.ts';
import { selectWebhookSecrets } from '#storage/webhook-secrets.ts';

/** How long an isolate believes what it has read: so long after one was made or deleted, webhooks may go as before. */
const BELIEVED_MS = 30_000;
const MOST_KNOWN = 1000;

interface Known {
  readonly secrets: readonly string[];
  readonly at: number;
}

const known = new Map<string, Known>();

/**
 * The secrets that an account's webhooks are signed with. Where the index is away, those that were known last; where
 * none were, none: an account that never made one must not wait for its webhooks, and a receiver that checks refuses an
 * unsigned one, which is then sent again.
 */
export async function liveSecrets(
  db: Database,
  deploymentSecret: string,
  accountId: string,
  now: number,
): Promise<readonly string[]> {
  const before = known.get(accountId);
  if (before && now - before.at < BELIEVED_MS && now >= before.at) return before.secrets;
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

/** The same as they are now. */
export async function readSecrets(
  db: Database,
  deploymentSecret: string,
  accountId: string,
): Promise<readonly string[]> {
  const rows = await selectWebhookSecrets(db, accountId);
  return Promise.all(rows.map(({ id }) => webhookSecretOf(deploymentSecret, accountId, id)));
}
