import { and, desc, eq, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { JobStatus } from '../domain/job.ts';
import type { Database } from './database.ts';
import { type AssetRow, assets, type ClipRow, clips, type JobRow, jobs } from './schema.ts';

/** A page of what was created in a span of time, newest first. Times are milliseconds since the epoch. */
export interface PageOf {
  /** Inclusive. */
  readonly from: number | undefined;
  /** Exclusive. */
  readonly to: number | undefined;
  /** The last row of the page before. */
  readonly after: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface JobQuery extends PageOf {
  readonly status: JobStatus | undefined;
  readonly mode: JobRow['mode'] | undefined;
}

/** An account's jobs, newest first: one more than asked for, if there is one. */
export async function selectJobs(db: Database, accountId: string, query: JobQuery): Promise<JobRow[]> {
  return db
    .select()
    .from(jobs)
    .where(
      and(
        eq(jobs.accountId, accountId),
        ...createdWithin(jobs, query),
        query.status && eq(jobs.status, query.status),
        query.mode && eq(jobs.mode, query.mode),
      ),
    )
    .orderBy(desc(jobs.createdAt), desc(jobs.id))
    .limit(query.limit + 1);
}

export interface ClipQuery extends PageOf {
  readonly state: ClipRow['state'] | undefined;
  readonly isSaved: boolean | undefined;
}

/** An account's clips, newest first: one more than asked for, if there is one. */
export async function selectClips(db: Database, accountId: string, query: ClipQuery): Promise<ClipRow[]> {
  return db
    .select()
    .from(clips)
    .where(
      and(
        eq(clips.accountId, accountId),
        ...createdWithin(clips, query),
        query.state && eq(clips.state, query.state),
        query.isSaved === undefined ? undefined : eq(clips.isSaved, query.isSaved),
      ),
    )
    .orderBy(desc(clips.createdAt), desc(clips.id))
    .limit(query.limit + 1);
}

export interface AssetQuery extends PageOf {
  readonly kind: AssetRow['kind'] | undefined;
}

/** An account's assets that it has not deleted, newest first: one more than asked for, if there is one. */
export async function selectAssets(db: Database, accountId: string, query: AssetQuery): Promise<AssetRow[]> {
  return db
    .select()
    .from(assets)
    .where(
      and(
        eq(assets.accountId, accountId),
        isNull(assets.deletedAt),
        ...createdWithin(assets, query),
        query.kind && eq(assets.kind, query.kind),
      ),
    )
    .orderBy(desc(assets.createdAt), desc(assets.id))
    .limit(query.limit + 1);
}

/** The pair is compared as one value, which the index on (account, created, id) answers without a sort. */
function createdWithin(
  table: typeof jobs | typeof clips | typeof assets,
  { from, to, after }: PageOf,
): (SQL | undefined)[] {
  return [
    from === undefined ? undefined : gte(table.createdAt, from),
    to === undefined ? undefined : lt(table.createdAt, to),
    after && sql`(${table.createdAt}, ${table.id}) < (${after.createdAt}, ${after.id})`,
  ];
}
