import { and, asc, eq, lt, sql } from 'drizzle-orm';
import { TEST_JOBS_KEPT } from '#domain/test-end.ts';
import type { Database } from './database.ts';
import { isOneOf } from './rows.ts';
import { accounts, jobs } from './schema.ts';
import { budgets } from './usage-schema.ts';

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

/** Returns the own limits of jobs kept of accounts and test accounts, by their id. Reads a row for each account. */
export async function selectOwnKept(db: Database): Promise<Map<string, number>> {
  const rows = await db.all<{ id: string; kept: number }>(
    sql`SELECT id, CASE WHEN test_of IS NULL THEN limits->>'jobs_kept'
      ELSE MIN(COALESCE(limits->>'jobs_kept', ${TEST_JOBS_KEPT}), ${TEST_JOBS_KEPT}) END AS kept
    FROM ${accounts} WHERE kept IS NOT NULL`,
  );
  return new Map(rows.map(({ id, kept }) => [id, kept]));
}

/** Reads jobs of an account that could be deleted to make room since before a time, the oldest first. */
export async function selectSpareJobs(
  db: Database,
  accountId: string,
  before: number,
  limit: number,
): Promise<string[]> {
  const { id, spareSince } = jobs;
  const rows = await db
    .select({ id })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), lt(spareSince, before)))
    .orderBy(asc(spareSince), asc(id))
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Moves jobs that could not be deleted to the end of the order. */
export async function postponeSpare(db: Database, ids: readonly string[], now: number): Promise<void> {
  await db.run(sql`
    UPDATE ${jobs} SET spare_since = ${now}
    WHERE ${isOneOf(jobs.id, ids)} AND spare_since IS NOT NULL`);
}
