import { and, desc, eq, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { AssetListQuery } from '../protocol/assets.ts';
import type { ClipListQuery, Cursor, JobListQuery } from '../protocol/lists.ts';
import type { Database } from './database.ts';
import { assets, clips, jobs } from './schema.ts';

/** An account's jobs, newest first: one more than asked for, if there is one. */
export async function selectJobs(db: Database, accountId: string, query: JobListQuery) {
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

/** An account's clips, newest first: one more than asked for, if there is one. */
export async function selectClips(db: Database, accountId: string, query: ClipListQuery) {
  return db
    .select()
    .from(clips)
    .where(
      and(
        eq(clips.accountId, accountId),
        ...createdWithin(clips, query),
        query.state && eq(clips.state, query.state),
        query.saved === undefined ? undefined : eq(clips.isSaved, query.saved),
      ),
    )
    .orderBy(desc(clips.createdAt), desc(clips.id))
    .limit(query.limit + 1);
}

/** An account's assets that it has not deleted, newest first: one more than asked for, if there is one. */
export async function selectAssets(db: Database, accountId: string, query: AssetListQuery) {
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

interface Window {
  readonly created_from?: number | undefined;
  readonly created_to?: number | undefined;
  readonly cursor?: Cursor | undefined;
}

/** The pair is compared as one value, which the index on (account, created, id) answers without a sort. */
function createdWithin(
  table: typeof jobs | typeof clips | typeof assets,
  { created_from, created_to, cursor }: Window,
): (SQL | undefined)[] {
  return [
    created_from === undefined ? undefined : gte(table.createdAt, created_from),
    created_to === undefined ? undefined : lt(table.createdAt, created_to),
    cursor && sql`(${table.createdAt}, ${table.id}) < (${cursor.createdAt}, ${cursor.id})`,
  ];
}
