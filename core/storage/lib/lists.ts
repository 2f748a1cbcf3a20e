import { and, asc, desc, eq, gt, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import type * as z from 'zod';
import type { JobStatus } from '#domain/job/job.ts';
import type { ChangePlace } from '#protocol/job/job-list.ts';
import type { page } from '#protocol/lib/lists.ts';
import {
  type AssetRow,
  assets,
  type ClipRow,
  clips,
  type JobRow,
  jobs,
  type UploadRow,
  uploads,
} from '../schema/schema.ts';
import type { Database } from './database.ts';

/** A page of what was created in a span of time, newest first, in the words of a query. */
export type PageOf = z.output<z.ZodObject<typeof page>>;

export interface JobQuery extends PageOf {
  readonly status?: JobStatus | undefined;
  readonly mode?: JobRow['mode'] | undefined;
}

/**
 * Reads an account's jobs, newest first: one more than `limit`, if there is one.
 * Here and below a query has one branch for each value of an absent filter, because each branch is a range of one index
 * in the list's order, and SQLite merges ranges without a sort. So a page reads about as many rows as it has, under any
 * filter.
 */
export async function selectJobs(db: Database, accountId: string, query: JobQuery): Promise<JobRow[]> {
  const { status } = query;
  const of = (mode: JobRow['mode']) =>
    db
      .select()
      .from(jobs)
      .where(
        and(
          eq(jobs.accountId, accountId),
          status && eq(jobs.status, status),
          eq(jobs.mode, mode),
          ...createdWithin(jobs, query),
        ),
      );
  const limit = query.limit + 1;
  if (query.mode) return of(query.mode).orderBy(desc(jobs.createdAt), desc(jobs.id)).limit(limit);
  return unionAll(of('round'), of('timeline')).orderBy(desc(jobs.createdAt), desc(jobs.id)).limit(limit);
}

/** Reads unfinished jobs of an account in the order of their ids, after a given one. */
export async function selectUnfinished(
  db: Database,
  accountId: string,
  after: string | undefined,
  limit: number,
): Promise<{ id: string }[]> {
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), isNull(jobs.finishedAt), gt(jobs.id, after ?? '')))
    .orderBy(asc(jobs.id))
    .limit(limit);
}

/** Reads jobs of an account that changed after a position, in the order of their changes, inspections included. */
export async function selectChanges(
  db: Database,
  accountId: string,
  after: ChangePlace,
  limit: number,
): Promise<JobRow[]> {
  const isLater = sql`(${jobs.changedAt}, ${jobs.id}) > (${after.changedAt}, ${after.id})`;
  return db
    .select()
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), isLater))
    .orderBy(jobs.changedAt, jobs.id)
    .limit(limit);
}

/** The position before the first change of an account. */
const BEGINNING: ChangePlace = { changedAt: 0, id: '00000000-0000-4000-8000-000000000000' };

/** Reads the position of the account's last change. */
export async function readLastChange(db: Database, accountId: string): Promise<ChangePlace> {
  const [last] = await db
    .select({ changedAt: jobs.changedAt, id: jobs.id })
    .from(jobs)
    .where(eq(jobs.accountId, accountId))
    .orderBy(desc(jobs.changedAt), desc(jobs.id))
    .limit(1);
  return last ?? BEGINNING;
}

export interface ClipQuery extends PageOf {
  readonly state?: ClipRow['state'] | undefined;
  readonly saved?: boolean | undefined;
}

/** Reads an account's clips, newest first: one more than `limit`, if there is one. */
export async function selectClips(db: Database, accountId: string, query: ClipQuery): Promise<ClipRow[]> {
  const of = (state: ClipRow['state'], isSaved: boolean) =>
    db
      .select()
      .from(clips)
      .where(
        and(
          eq(clips.accountId, accountId),
          eq(clips.state, state),
          eq(clips.isSaved, isSaved),
          ...createdWithin(clips, query),
        ),
      );
  const states = query.state === undefined ? (['ready', 'deleted'] as const) : [query.state];
  const saved = query.saved === undefined ? [false, true] : [query.saved];
  const [first, second, ...more] = states.flatMap((state) => saved.map((isSaved) => of(state, isSaved)));
  if (!first) return [];
  const limit = query.limit + 1;
  if (!second) return first.orderBy(desc(clips.createdAt), desc(clips.id)).limit(limit);
  return unionAll(first, second, ...more)
    .orderBy(desc(clips.createdAt), desc(clips.id))
    .limit(limit);
}

export interface AssetQuery extends PageOf {
  readonly kind?: AssetRow['kind'] | undefined;
}

/** Reads an account's assets that are not deleted, newest first: one more than `limit`, if there is one. */
export async function selectAssets(db: Database, accountId: string, query: AssetQuery): Promise<AssetRow[]> {
  const of = (kind: AssetRow['kind']) =>
    db
      .select()
      .from(assets)
      .where(
        and(
          eq(assets.accountId, accountId),
          eq(assets.kind, kind),
          isNull(assets.deletedAt),
          ...createdWithin(assets, query),
        ),
      );
  const limit = query.limit + 1;
  if (query.kind) return of(query.kind).orderBy(desc(assets.createdAt), desc(assets.id)).limit(limit);
  return unionAll(of('watermark'), of('intro'), of('outro'), of('music'))
    .orderBy(desc(assets.createdAt), desc(assets.id))
    .limit(limit);
}

/** Reads an account's uploads, newest first: one more than `limit`, if there is one. */
export async function selectUploads(db: Database, accountId: string, query: PageOf): Promise<UploadRow[]> {
  return db
    .select()
    .from(uploads)
    .where(and(eq(uploads.accountId, accountId), ...createdWithin(uploads, query)))
    .orderBy(desc(uploads.createdAt), desc(uploads.id))
    .limit(query.limit + 1);
}

/** Compares the pair as one value, which the index on (account, created, id) serves without a sort. */
function createdWithin(
  table: typeof jobs | typeof clips | typeof assets | typeof uploads,
  { created_from: from, created_to: to, cursor: after }: PageOf,
): (SQL | undefined)[] {
  return [
    from === undefined ? undefined : gte(table.createdAt, from),
    to === undefined ? undefined : lt(table.createdAt, to),
    after && sql`(${table.createdAt}, ${table.id}) < (${after.createdAt}, ${after.id})`,
  ];
}
