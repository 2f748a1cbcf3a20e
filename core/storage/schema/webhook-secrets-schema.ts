import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Secrets that sign an account's webhooks. The secret itself is computed, so the database holds nothing that signs. */
export const webhookSecrets = sqliteTable(
  'webhook_secrets',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    hint: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('webhook_secrets_account').on(table.accountId, table.createdAt, table.id)],
);
