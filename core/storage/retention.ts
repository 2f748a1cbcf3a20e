import { and, asc, gt, lt, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { ReadAs } from '#domain/shape.ts';
import type { Database } from './database.ts';
import { isOneOf } from './rows.ts';
import { clips, jobs } from './schema.ts';

/** Queries of the deletion of requests. */

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
  return db
    .select({ id, idleSince: sql<number>`${idleSince}` })
    .from(jobs)
    .where(and(lt(idleSince, before), after && sql`(${idleSince}, ${id}) > (${after.idleSince}, ${after.id})`))
    .orderBy(asc(idleSince), asc(id))
    .limit(limit);
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
