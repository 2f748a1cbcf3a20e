import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { TIERS } from '#domain/clip.ts';

/**
 * What was rendered, for metering: one row for every run that made a clip, so that none is counted twice. A trigger
 * adds each new one to `usage_days`, which is kept; these rows go after a while.
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
    seconds: real().notNull(),
    renderedAt: integer('rendered_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.run] }), index('usage_rendered').on(table.renderedAt)],
);

/** Seconds rendered a day (UTC, counted from the epoch), kept when clips and jobs go. */
export const usageDays = sqliteTable(
  'usage_days',
  {
    accountId: text('account_id').notNull(),
    day: integer().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    resolution: integer().notNull(),
    fps: integer().notNull(),
    seconds: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.tier, table.resolution, table.fps] })],
);

/**
 * Sums of what an account has, so that the check of a limit reads one row. Triggers of `jobs` and `uploads` update
 * them.
 */
export const accountSums = sqliteTable('account_sums', {
  accountId: text('account_id').primaryKey(),
  /** Rows of `jobs`, inspections included. */
  jobs: integer().notNull().default(0),
  /** The last day (UTC, counted from the epoch) on which a job was made, and how many were made on it. */
  day: integer().notNull().default(0),
  made: integer().notNull().default(0),
  /** Of all `uploads`, expired ones included; each counts as 1 MiB at least. */
  uploadBytes: integer('upload_bytes').notNull().default(0),
});

/**
 * The time of hosts on runs that made no clip, by the day (UTC, counted from the epoch) on which they ended. One row
 * for each run, so that no run is counted twice. A new row of an account deletes its old rows. Only the first database
 * has rows.
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
 * Views a day (UTC, counted from the epoch) of each clip, for some months; in the first database alone. By day first,
 * so that what is old is found without an index of its own.
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
