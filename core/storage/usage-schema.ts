import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { TIERS } from '#domain/clip.ts';
import { RENDERERS } from '#domain/need.ts';

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
  (table) => [primaryKey({ columns: [table.jobId, table.run] })],
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

/** Sums by account, so that the check of a limit reads one row. Triggers of `jobs` and `uploads` update them. */
export const accountSums = sqliteTable('account_sums', {
  accountId: text('account_id').primaryKey(),
  /** Rows of `jobs`, inspections included. */
  jobs: integer().notNull().default(0),
  /** The last day (UTC, counted from the epoch) with a new job, and its number of jobs. */
  day: integer().notNull().default(0),
  made: integer().notNull().default(0),
  /** Bytes of all `uploads`, expired ones included; each counts as 1 MiB at least. */
  uploadBytes: integer('upload_bytes').notNull().default(0),
});

/**
 * Host time on runs without a clip, by the day (UTC, counted from the epoch) on which they ended. One row for each run,
 * so that none counts twice. A new row of an account deletes its old rows.
 */
export const unbilledRuns = sqliteTable(
  'unbilled_runs',
  {
    accountId: text('account_id').notNull(),
    day: integer().notNull(),
    jobId: text('job_id').notNull(),
    run: integer().notNull(),
    hostMs: integer('host_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.jobId, table.run] })],
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
