import { and, asc, eq, inArray, lt, lte } from 'drizzle-orm';
import type { Database } from './database.ts';
import { clips, cursors, jobs } from './schema.ts';

/** Jobs whose alarm is overdue, the longest overdue first. */
export async function selectOverdueJobs(
  db: Database,
  now: number,
  limit: number,
): Promise<{ id: string; upkeepAt: number | null }[]> {
  return db
    .select({ id: jobs.id, upkeepAt: jobs.upkeepAt })
    .from(jobs)
    .where(lte(jobs.upkeepAt, now))
    .orderBy(asc(jobs.upkeepAt))
    .limit(limit);
}

/** Moves a job's next look, unless the job itself has said something since `seen`. */
export async function moveUpkeep(db: Database, id: string, seen: number | null, next: number | null): Promise<void> {
  if (seen === null) return;
  await db
    .update(jobs)
    .set({ upkeepAt: next })
    .where(and(eq(jobs.id, id), eq(jobs.upkeepAt, seen)));
}

/** Unsaved clips that were rendered before a time, oldest first, with the jobs that own them. */
export async function selectExpiredClips(
  db: Database,
  renderedBefore: number,
  limit: number,
): Promise<{ jobId: string }[]> {
  return db
    .select({ jobId: clips.jobId })
    .from(clips)
    .where(and(eq(clips.state, 'ready'), eq(clips.isSaved, false), lt(clips.renderedAt, renderedBefore)))
    .orderBy(asc(clips.renderedAt))
    .limit(limit);
}

/** The last key that was looked at; undefined where a new round begins. */
export async function readCursor(db: Database, name: string): Promise<string | undefined> {
  return (await db.select().from(cursors).where(eq(cursors.name, name)).get())?.cursor;
}

/** Undefined ends the round. */
export async function saveCursor(db: Database, name: string, cursor: string | undefined): Promise<void> {
  if (cursor === undefined) await db.delete(cursors).where(eq(cursors.name, name));
  else await db.insert(cursors).values({ name, cursor }).onConflictDoUpdate({ target: cursors.name, set: { cursor } });
}

/** The keys of the files that the index has for these clips; at most 100 ids. */
export async function selectFileKeys(db: Database, clipIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ video: clips.videoKey, thumbnail: clips.thumbnailKey })
    .from(clips)
    .where(and(inArray(clips.id, [...clipIds]), eq(clips.state, 'ready')));
  return rows.flatMap(({ video, thumbnail }) => [video, thumbnail]);
}
