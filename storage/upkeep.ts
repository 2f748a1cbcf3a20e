import { and, asc, eq, lt, lte } from 'drizzle-orm';
import type { Database } from './database.ts';
import { clips, jobs } from './schema.ts';

/** Jobs whose alarm is overdue, the longest overdue first. */
export async function selectOverdueJobs(db: Database, now: number, limit: number) {
  return db
    .select({ id: jobs.id, watchAt: jobs.watchAt })
    .from(jobs)
    .where(lte(jobs.watchAt, now))
    .orderBy(asc(jobs.watchAt))
    .limit(limit);
}

/** Moves a job's next look, unless the job itself has said something since `seen`. */
export async function moveWatch(db: Database, id: string, seen: number | null, next: number | null): Promise<void> {
  if (seen === null) return;
  await db
    .update(jobs)
    .set({ watchAt: next })
    .where(and(eq(jobs.id, id), eq(jobs.watchAt, seen)));
}

/** Unsaved clips that were rendered before a time, oldest first, with the jobs that own them. */
export async function selectExpiredClips(db: Database, renderedBefore: number, limit: number) {
  return db
    .select({ jobId: clips.jobId })
    .from(clips)
    .where(and(eq(clips.state, 'ready'), eq(clips.isSaved, false), lt(clips.renderedAt, renderedBefore)))
    .orderBy(asc(clips.renderedAt))
    .limit(limit);
}
