import { and, asc, eq, gt, lt, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { ReadAs } from '#domain/lib/types.ts';
import type { LimitValues } from '#domain/operate/limits.ts';
import { type Database, inPages, isOneOf } from '../lib/database.ts';
import { ruleRuns } from '../schema/rules.ts';
import { accounts, assets, clips, jobs, uploads } from '../schema/schema.ts';
import { budgets } from '../schema/usage.ts';

/** Queries that delete jobs beyond a limit, requests that are not needed, and what test keys have made. */

export interface JobSums {
  /** Bytes of the database's file. */
  readonly bytes: number;
  readonly accounts: readonly { readonly id: string; readonly jobs: number }[];
}

/** Returns how many jobs each account has. Reads a row for each account. */
export async function selectJobSums(db: Database): Promise<JobSums> {
  const { results, meta } = await db.run(
    sql`SELECT owner AS id, used AS jobs FROM ${budgets} WHERE name = 'jobs_kept' AND used > 0`,
  );
  return { bytes: meta.size_after, accounts: results as { id: string; jobs: number }[] };
}

/** Returns the bytes of the database's file. Reads no row. */
export async function readDatabaseBytes(db: Database): Promise<number> {
  return (await db.run(sql`SELECT 1`)).meta.size_after;
}

/** Beyond this part of a limit, spare jobs of the account are deleted. */
const NEAR_LIMIT = 0.9;

/** An account with over nine tenths of a limit. `jobs`, `bytes`: beyond nine tenths; negative below. */
export interface AccountNearLimit {
  readonly id: string;
  readonly isTest: boolean;
  readonly jobs: number;
  readonly bytes: number;
}

/** Reads the accounts and test accounts near a limit. Reads some rows for each account. */
export async function selectAccountsNearLimit(
  db: Database,
  { jobs_kept, jobs_mib, test }: Pick<LimitValues, 'jobs_kept' | 'jobs_mib' | 'test'>,
): Promise<AccountNearLimit[]> {
  const ofTests = sql`IIF(test_of IS NULL, ${Number.MAX_SAFE_INTEGER}, ${test.jobs_kept})`;
  const most = sql`CAST(MIN(COALESCE(limits->>'jobs_kept', ${jobs_kept}), ${ofTests}) * ${NEAR_LIMIT} AS INTEGER)`;
  const mostBytes = sql`CAST(COALESCE(limits->>'jobs_mib', ${jobs_mib}) * ${NEAR_LIMIT} * 1048576 AS INTEGER)`;
  const rows = await db.all<Omit<AccountNearLimit, 'isTest'> & { testOf: string | null }>(sql`
    SELECT id, test_of AS testOf, kept.used - ${most} AS jobs, COALESCE(stored.used, 0) - ${mostBytes} AS bytes
    FROM ${budgets} AS kept JOIN ${accounts} ON id = kept.owner
    LEFT JOIN ${budgets} AS stored ON stored.owner = kept.owner AND stored.name = 'jobs_mib'
    WHERE kept.name = 'jobs_kept' AND (kept.used > ${most} OR stored.used > ${mostBytes})`);
  return rows.map(({ testOf, ...row }) => ({ ...row, isTest: testOf !== null }));
}

/** Reads jobs of an account that could be deleted to make room since before a time, the oldest first. */
export async function selectSpareJobs(
  db: Database,
  accountId: string,
  before: number,
  limit: number,
): Promise<{ readonly id: string; readonly bytes: number }[]> {
  const { id, spareSince, bytes } = jobs;
  return db
    .select({ id, bytes })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), lt(spareSince, before)))
    .orderBy(asc(spareSince), asc(id))
    .limit(limit);
}

/** Moves jobs that could not be deleted to the end of the order. */
export async function postponeSpare(db: Database, ids: readonly string[], now: number): Promise<void> {
  await db.run(sql`
    UPDATE ${jobs} SET spare_since = ${now}
    WHERE ${isOneOf(jobs.id, ids)} AND spare_since IS NOT NULL`);
}

export const IdleJobShape = z.object({ id: z.string(), idleSince: z.number() });
type IdleJob = ReadAs<typeof IdleJobShape>;

/** Reads jobs idle since before a time, longest first, after those of a page before. The object of each decides. */
export async function selectIdleJobs(
  db: Database,
  before: number,
  after: IdleJob | undefined,
  limit: number,
): Promise<IdleJob[]> {
  const { id, idleSince } = jobs;
  const query = db
    .select({ id, idleSince: sql<number>`${idleSince}` })
    .from(jobs)
    .$dynamic();
  return inPages(query, { idleSince, id }, { where: lt(idleSince, before), after, limit });
}

/** Clears the mark of jobs without anything left to delete, unless their objects have changed it since. */
export async function clearIdle(db: Database, ids: readonly string[], before: number): Promise<void> {
  await db.run(sql`
    UPDATE ${jobs} SET idle_since = NULL
    WHERE ${isOneOf(jobs.id, ids)} AND idle_since < ${before}`);
}

/**
 * Marks idle jobs in a page, in the order of ids, for deployments that set a retention later. Returns the last id read;
 * undefined after the last.
 */
export async function markIdle(db: Database, after: string, limit: number): Promise<string | undefined> {
  const page = db.select({ id: jobs.id }).from(jobs).where(gt(jobs.id, after)).orderBy(asc(jobs.id)).limit(limit);
  const ids = (await page).map(({ id }) => id);
  await db.run(sql`
    UPDATE ${jobs} SET idle_since = finished_at
    WHERE ${isOneOf(jobs.id, ids)} AND finished_at IS NOT NULL
      AND idle_since IS NULL AND mode <> 'inspect'
      AND NOT EXISTS (SELECT 1 FROM ${clips} WHERE ${clips}.id = ${jobs}.clip_id AND ${clips}.state = 'ready')`);
  return ids.length < limit ? undefined : ids.at(-1);
}

export const OldTestShape = z.object({
  id: z.string(),
  clipId: z.string(),
  accountId: z.string(),
  createdAt: z.number(),
});
type OldTest = ReadAs<typeof OldTestShape>;

/** Reads jobs of test keys that were made before a time, oldest first, after a given one. */
export async function selectOldTests(
  db: Database,
  madeBefore: number,
  after: OldTest | undefined,
  limit: number,
): Promise<OldTest[]> {
  const { id, clipId, accountId, createdAt, isTest } = jobs;
  // A literal: SQLite does not choose a partial index by a bound value.
  const where = and(sql`${isTest} = 1`, lt(createdAt, madeBefore));
  const query = db.select({ id, clipId, accountId, createdAt }).from(jobs).$dynamic();
  return inPages(query, { createdAt, id }, { where, after, limit });
}

/**
 * Expires uploads and assets that test keys made before a time, so that the next run of the cron removes them, and
 * deletes runs of rules.
 */
export async function endTests(db: Database, madeBefore: number): Promise<void> {
  const isOld = sql`created_at < ${madeBefore}
    AND account_id IN (SELECT id FROM ${accounts} WHERE test_of IS NOT NULL)`;
  await db.run(sql`UPDATE ${uploads} SET expires_at = created_at WHERE ${isOld} AND expires_at > created_at`);
  await db.run(sql`UPDATE ${assets} SET deleted_at = created_at WHERE ${isOld} AND deleted_at IS NULL`);
  await db.run(sql`DELETE FROM ${ruleRuns} WHERE ${isOld}`);
}
