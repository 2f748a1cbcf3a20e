import { and, asc, eq, sql } from 'drizzle-orm';
import { LIMITS } from '#domain/operate/limits.ts';
import type { Database } from '#storage/lib/database.ts';
import { webhookSecrets } from '#storage/schema/usage.ts';

/** The most secrets of an account: the one in use, and its successor. */
export const LIVE_SECRETS = LIMITS.fixed.webhook_secrets.preset;

export type WebhookSecretRow = typeof webhookSecrets.$inferSelect;

/** Returns false if the account has its most secrets: one statement checks and writes. */
export async function insertWebhookSecret(db: Database, row: WebhookSecretRow): Promise<boolean> {
  const { id, accountId, hint, createdAt } = row;
  const inserted = await db.all(sql`
    INSERT INTO ${webhookSecrets} (id, account_id, hint, created_at) SELECT ${id}, ${accountId}, ${hint}, ${createdAt}
    WHERE (SELECT COUNT(*) FROM ${webhookSecrets} WHERE account_id = ${accountId}) < ${LIVE_SECRETS} RETURNING id`);
  return inserted.length > 0;
}

/** Reads the secrets of an account, oldest first. */
export async function selectWebhookSecrets(db: Database, accountId: string): Promise<WebhookSecretRow[]> {
  return db
    .select()
    .from(webhookSecrets)
    .where(eq(webhookSecrets.accountId, accountId))
    .orderBy(asc(webhookSecrets.createdAt), asc(webhookSecrets.id));
}

/** Deletes a secret. Returns false if the account has none of this id. */
export async function deleteWebhookSecret(db: Database, accountId: string, id: string): Promise<boolean> {
  const mine = and(eq(webhookSecrets.accountId, accountId), eq(webhookSecrets.id, id));
  return (await db.delete(webhookSecrets).where(mine).returning({ id: webhookSecrets.id })).length > 0;
}
