import { sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { VIEWS_KEPT_DAYS } from '#domain/account/account.ts';
import { DAY_MS, RUN_KEPT_MS } from '#domain/job/metering.ts';
import { REFUSED_DAYS } from '../demo/arrivals.ts';
import type { Database } from '../lib/database.ts';
import { ruleRuns } from '../schema/rules.ts';
import { agentPlans, hostFailures, refusedDemos } from '../schema/schema.ts';
import { clipViews, usage } from '../schema/usage.ts';

/** A column with a time or a day (UTC, counted from the epoch), with which an index or the key begins, and days. */
type Expiry = readonly [SQLiteColumn, number];

/** The tables whose rows are deleted by age alone. Rows with files or objects have sweeps of their own. */
export const EXPIRIES = {
  hostFailures: [hostFailures.failedAt, 1],
  refusedDemos: [refusedDemos.refusedAt, REFUSED_DAYS],
  ruleRuns: [ruleRuns.createdAt, 90],
  // Longer than a plan can be rendered.
  agentPlans: [agentPlans.createdAt, 2],
  // The seconds of a run stay in the sum of its day.
  usage: [usage.renderedAt, RUN_KEPT_MS / DAY_MS],
  clipViews: [clipViews.day, VIEWS_KEPT_DAYS - 1],
} satisfies Record<string, Expiry>;

/** Deletes up to `limit` rows that have expired, the oldest first. Returns how many. */
export async function removeExpired(db: Database, [at, days]: Expiry, now: number, limit: number): Promise<number> {
  const before = at.name === 'day' ? Math.floor(now / DAY_MS) - days : now - days * DAY_MS;
  const { columns, primaryKeys } = getTableConfig(at.table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const names = sql.join([...key], sql`, `);
  const { meta } = await db.run(sql`DELETE FROM ${at.table} WHERE (${names}) IN (
    SELECT ${names} FROM ${at.table} WHERE ${at} < ${before} ORDER BY ${at} LIMIT ${limit})`);
  return meta.changes;
}
