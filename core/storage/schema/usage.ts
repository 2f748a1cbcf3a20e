import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { TIERS } from '#domain/account/account.ts';
import { RENDERERS } from '#domain/host/need.ts';
import type { BudgetName } from '#domain/operate/limits.ts';

/** The renderer of the host; empty if the host reported none. */
const renderer = () =>
  text({ enum: ['', ...RENDERERS] })
    .notNull()
    .default('');

/**
 * Usage for metering: one row for every run with a clip, so that none counts twice. A trigger adds each row to
 * `usage_days`; the rows are deleted later.
 */
export const usage = sqliteTable(
  'usage',
  {
    jobId: text('job_id').notNull(),
    run: integer().notNull(),
    accountId: text('account_id').notNull(),
    tier: text({ enum: TIERS }).notNull(),
    resolution: integer().notNull(),
    fps: integer().notNull(),
    renderer: renderer(),
    seconds: real().notNull(),
    renderedAt: integer('rendered_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.run] }), index('usage_rendered').on(table.renderedAt)],
);

/**
 * Seconds rendered by day (UTC, counted from the epoch), and by how many runs. Rows stay after clips, jobs and accounts
 * are deleted.
 */
export const usageDays = sqliteTable(
  'usage_days',
  {
    accountId: text('account_id').notNull(),
    day: integer().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    resolution: integer().notNull(),
    fps: integer().notNull(),
    renderer: renderer(),
    seconds: real().notNull(),
    runs: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.day, table.tier, table.resolution, table.fps, table.renderer] }),
    // For operators, over all accounts. SQLite appends the key. Costs a row only for a new sum.
    index('usage_days_day').on(table.day),
  ],
);

/**
 * What accounts and keys use of their limits, so that a check reads one row. It changes in the batch of the rows that it
 * counts.
 */
export const budgets = sqliteTable(
  'budgets',
  {
    owner: text().notNull(),
    name: text().$type<BudgetName>().notNull(),
    /** The hour or day (UTC, counted from the epoch) of `used`; 0 for what exists at a time. */
    period: integer().notNull(),
    /** A number, bytes or milliseconds. */
    used: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.name] }), index('budgets_name').on(table.name)],
);

/**
 * Views of each clip by day (UTC, counted from the epoch), for some months. The day comes first in the key, so that old
 * rows are found without another index.
 */
export const clipViews = sqliteTable(
  'clip_views',
  {
    day: integer().notNull(),
    clipId: text('clip_id').notNull(),
    views: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.clipId] })],
);

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
