import { and, asc, desc, eq, gte, isNotNull, lt, sql } from 'drizzle-orm';
import type { Trouble } from '#domain/job/delivery.ts';
import { type Database, isOneOf } from '../lib/database.ts';
import type { JobQuery } from '../lib/lists.ts';
import { dayCounts } from '../schema/operator.ts';
import { type JobRow, jobs } from '../schema/schema.ts';

/** Queries of operators over all accounts, without jobs of test keys. */

export interface AllJobsQuery extends JobQuery {
  readonly priority: boolean | undefined;
  readonly errorCode: string | undefined;
}

/** The last row of a page. */
export type JobCursor = Pick<JobRow, 'createdAt' | 'id'>;

/** The most jobs that a page reads, including those that a filter drops. */
const LOOKED_AT = 2000;
/** A position before the first job. */
const FIRST: JobCursor = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/**
 * Reads jobs of all accounts, newest first: one more than `limit`, if there is one among those that are read. `end`:
 * the last one read; null if there are no more. A page therefore costs the same under any filter, and may be short
 * although more follow.
 */
export async function selectAllJobs(
  db: Database,
  query: AllJobsQuery,
): Promise<{ readonly rows: JobRow[]; readonly end: JobCursor | null }> {
  const { status, mode, priority, errorCode, limit } = query;
  const after = query.cursor ?? FIRST;
  const range = and(
    eq(jobs.isTest, false),
    sql`(${jobs.createdAt}, ${jobs.id}) < (${after.createdAt}, ${after.id})`,
    query.created_from === undefined ? undefined : gte(jobs.createdAt, query.created_from),
    query.created_to === undefined ? undefined : lt(jobs.createdAt, query.created_to),
  );
  const order = [desc(jobs.createdAt), desc(jobs.id)] as const;
  const page = db
    .select()
    .from(jobs)
    .where(range)
    .orderBy(...order);
  const isFiltered = [status, mode, priority, errorCode].some((filter) => filter !== undefined);
  if (!isFiltered) return { rows: await page.limit(limit + 1), end: null };
  const looked = page.limit(LOOKED_AT).as('looked');
  const filters = [
    status && eq(looked.status, status),
    mode && eq(looked.mode, mode),
    priority === undefined ? undefined : eq(looked.priority, priority),
    errorCode === undefined ? undefined : eq(looked.errorCode, errorCode),
  ];
  const { createdAt, id } = jobs;
  const last = db
    .select({ createdAt, id })
    .from(jobs)
    .where(range)
    .orderBy(...order);
  const [rows, [end]] = await db.batch([
    db
      .select()
      .from(looked)
      .where(and(...filters))
      .limit(limit + 1),
    last.limit(1).offset(LOOKED_AT - 1),
  ]);
  return { rows: rows as JobRow[], end: end ?? null };
}

export interface TroubleFilter {
  readonly trouble: Trouble | undefined;
  readonly accountId: string | undefined;
}

/** A job whose last webhook was not delivered. */
export interface Troubled {
  readonly id: string;
  readonly accountId: string;
  readonly trouble: Trouble;
  /** When that webhook was created. */
  readonly createdAt: number;
}

/** Reads jobs whose last webhook was not delivered, oldest first: one more than `limit`, if there is one. */
export async function selectTroubled(
  db: Database,
  { trouble, accountId }: TroubleFilter,
  after: JobCursor = { createdAt: -1, id: '' },
  limit: number,
): Promise<Troubled[]> {
  const { id, webhookTrouble, troubleAt } = jobs;
  return db
    .select({
      id,
      accountId: jobs.accountId,
      trouble: sql<Trouble>`${webhookTrouble}`,
      createdAt: sql<number>`${troubleAt}`,
    })
    .from(jobs)
    .where(
      and(
        isNotNull(webhookTrouble),
        eq(jobs.isTest, false),
        trouble && eq(webhookTrouble, trouble),
        // The plus keeps SQLite from the account's index, which has another order.
        accountId === undefined ? undefined : sql`+${jobs.accountId} = ${accountId}`,
        sql`(${troubleAt}, ${id}) > (${after.createdAt}, ${after.id})`,
      ),
    )
    .orderBy(asc(troubleAt), asc(id))
    .limit(limit + 1);
}

/** `given_up`: the `exhausted` ones whose webhook was created after the given time. */
export type TroubleCounts = Readonly<Record<Trouble | 'given_up', number>>;

/** Counts each kind, up to `most`. */
export async function countTroubled(db: Database, since: number, most: number): Promise<TroubleCounts> {
  const count = (trouble: Trouble, from: number) => sql`(SELECT COUNT(*) FROM (SELECT 1 FROM ${jobs}
    WHERE webhook_trouble IS NOT NULL AND webhook_trouble = ${trouble} AND trouble_at >= ${from} AND NOT is_test LIMIT ${most}))`;
  const [row] = await db.all<TroubleCounts>(sql`SELECT ${count('failing', 0)} AS failing,
    ${count('exhausted', 0)} AS exhausted, ${count('exhausted', since)} AS given_up`);
  return row ?? { failing: 0, exhausted: 0, given_up: 0 };
}

/** Returns the rows of jobs, in the order of their ids; null where there is none. */
export async function selectJobRows(db: Database, ids: readonly string[]): Promise<(JobRow | null)[]> {
  const rows = new Map((await db.select().from(jobs).where(isOneOf(jobs.id, ids))).map((row) => [row.id, row]));
  return ids.map((id) => rows.get(id) ?? null);
}

export async function findJobRow(db: Database, id: string): Promise<JobRow | null> {
  return (await db.select().from(jobs).where(eq(jobs.id, id)).get()) ?? null;
}

export type DayCount = typeof dayCounts.$inferSelect;

/** Reads the counts since a day (UTC, counted from the epoch). */
export async function selectDayCounts(db: Database, from: number): Promise<DayCount[]> {
  return db.select().from(dayCounts).where(gte(dayCounts.day, from));
}
