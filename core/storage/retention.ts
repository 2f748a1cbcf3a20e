import { and, asc, gt, lt, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { ReadAs } from '#domain/shape.ts';
import type { Database } from './database.ts';
import { isOneOf } from './rows.ts';
import { clips, jobs } from './schema.ts';

/** Of requests that are kept for a while only. */

export const IdleJobShape = z.object({ id: z.string(), idleSince: z.number() });
type IdleJob = ReadAs<typeof IdleJobShape>;

/**
 * Jobs that nobody has needed since before a time, the longest first, after those of a page before. The object of each
 * decides.
 */
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

/** Nothing is left to be forgotten of these, unless their objects have said otherwise since. */
export async function clearIdle(db: Database, ids: readonly string[], before: number): Promise<void> {
  await db.run(sql`
    UPDATE ${jobs} SET idle_since = NULL
    WHERE ${isOneOf(jobs.id, ids)} AND idle_since < ${before}`);
}

/**
 * Marks a page of jobs, in the order of their ids: those that nobody needs, of a time when nothing was forgotten. Gives
 * the last id that was looked at; undefined behind the last.
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
