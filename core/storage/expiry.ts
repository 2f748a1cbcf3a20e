import { type SQLWrapper, sql } from 'drizzle-orm';
import { DAY_MS } from '#domain/metering.ts';
import { VIEWS_KEPT_DAYS } from '#domain/viewing.ts';
import type { Database } from './database.ts';
import { ruleRuns } from './rules-schema.ts';
import { agentPlans, hostFailures } from './schema.ts';
import { clipViews } from './usage-schema.ts';

/** Rows that only grow old. */
interface Expiry {
  readonly table: SQLWrapper;
  /** The columns of its primary key. An index begins with `at`, or the key does. */
  readonly key: readonly SQLWrapper[];
  readonly at: SQLWrapper;
  /** Whether `at` is a time or a day (UTC, counted from the epoch). */
  readonly unit: 'millisecond' | 'day';
  readonly days: number;
}

/** What is deleted when, if nothing but its age decides. Rows with files or objects have sweeps of their own. */
export const EXPIRIES: Readonly<Record<string, Expiry>> = {
  hostFailures: {
    table: hostFailures,
    key: [hostFailures.hostId, hostFailures.code, hostFailures.failedAt, hostFailures.jobId],
    at: hostFailures.failedAt,
    unit: 'millisecond',
    days: 1,
  },
  ruleRuns: { table: ruleRuns, key: [ruleRuns.id], at: ruleRuns.createdAt, unit: 'millisecond', days: 90 },
  // Longer than the day whose budget a plan counts towards.
  agentPlans: { table: agentPlans, key: [agentPlans.id], at: agentPlans.createdAt, unit: 'millisecond', days: 2 },
  clipViews: {
    table: clipViews,
    key: [clipViews.day, clipViews.clipId],
    at: clipViews.day,
    unit: 'day',
    days: VIEWS_KEPT_DAYS - 1,
  },
};

/** Deletes up to `limit` rows that have expired, the oldest first. Returns how many. */
export async function removeExpired(
  db: Database,
  { table, key, at, unit, days }: Expiry,
  now: number,
  limit: number,
): Promise<number> {
  const before = unit === 'day' ? Math.floor(now / DAY_MS) - days : now - days * DAY_MS;
  const columns = sql.join([...key], sql`, `);
  const { meta } = await db.run(sql`DELETE FROM ${table} WHERE (${columns}) IN (
    SELECT ${columns} FROM ${table} WHERE ${at} < ${before} ORDER BY ${at} LIMIT ${limit})`);
  return meta.changes;
}
