import { type SQL, sql } from 'drizzle-orm';
import type { Trouble } from '#domain/delivery.ts';
import { fieldsOf, type Job } from '#domain/job.ts';
import type { Database } from './database.ts';
import { clips, type JobRow, jobs } from './schema.ts';

/** The indexed parts of a request. */
export interface IndexedRequest {
  readonly mode: JobRow['mode'];
  readonly fps: number | null;
  readonly resolution: number;
}

/** Further values that the job indexes. */
export interface IndexedState {
  /** When the cron should call it; null if nothing is pending. */
  readonly upkeepAt: number | null;
  /** Since when its request is no longer needed; null if it is needed or kept for ever. */
  readonly idleSince: number | null;
  /** Since when it may be deleted to make room for other jobs; null if it must not be deleted. */
  readonly spareSince: number | null;
  /** The trouble of its last webhook, and when that was created. */
  readonly trouble: { readonly trouble: Trouble; readonly at: number } | null;
  /** Whether the row keeps the time of its last change, so that clients get no event. */
  readonly isQuiet?: boolean | undefined;
}

/**
 * Writes a job and its clip into the index, in one transaction. Repeatable and safe out of order: a row is replaced
 * only by a higher version.
 */
export async function projectJob(db: Database, job: Job, request: IndexedRequest, state: IndexedState): Promise<void> {
  const clip = upsertClip(db, job);
  await db.batch(clip ? [upsertJob(db, job, request, state), clip] : [upsertJob(db, job, request, state)]);
}

function upsertJob(
  db: Database,
  job: Job,
  request: IndexedRequest,
  { upkeepAt, idleSince, spareSince, trouble, isQuiet = false }: IndexedState,
) {
  const { errorCode, finishedAt } = fieldsOf(job);
  const row = {
    id: job.id,
    accountId: job.accountId,
    clipId: job.clipId,
    version: job.version,
    status: job.status,
    mode: request.mode,
    priority: job.priority,
    fps: request.fps,
    resolution: request.resolution,
    errorCode,
    createdAt: job.createdAt,
    finishedAt,
    upkeepAt,
    idleSince,
    spareSince,
    webhookTrouble: trouble?.trouble ?? null,
    troubleAt: trouble?.at ?? null,
    changedAt: changeTime(job.accountId),
  };
  const { id: _id, accountId: _account, createdAt: _created, changedAt, ...changing } = row;
  return db
    .insert(jobs)
    .values(row)
    .onConflictDoUpdate({
      target: jobs.id,
      set: isQuiet ? changing : { ...changing, changedAt },
      setWhere: sql`${jobs.version} < ${job.version}`,
    });
}

/**
 * Returns the time of a job's change: milliseconds since the epoch by the database's clock, always later than the
 * account's last change. So a client can continue from a position in the order even if the clock goes back.
 */
function changeTime(accountId: string): SQL {
  const last = sql`(SELECT MAX(changed_at) FROM jobs WHERE account_id = ${accountId})`;
  return sql`MAX(CAST(unixepoch('subsec') * 1000 AS INTEGER), COALESCE(${last} + 1, 0))`;
}

function upsertClip(db: Database, job: Job) {
  const { clip } = job;
  if (!clip) return null;
  // Most clips are deleted: the index keeps only what lists show of them.
  const isGone = clip.state === 'deleted';
  const row = {
    id: job.clipId,
    accountId: job.accountId,
    jobId: job.id,
    version: job.version,
    state: clip.state,
    isSaved: clip.isSaved,
    title: clip.title,
    facts: clip.facts === undefined || isGone ? null : JSON.stringify(clip.facts),
    resolution: clip.resolution,
    fps: clip.fps,
    tier: clip.tier,
    renderer: clip.renderer ?? null,
    durationSeconds: clip.durationSeconds,
    videoKey: isGone ? '' : clip.video.key,
    videoBytes: clip.video.bytes,
    videoSha256: isGone ? '' : clip.video.sha256,
    thumbnailKey: isGone ? '' : clip.thumbnail.key,
    thumbnailBytes: isGone ? 0 : clip.thumbnail.bytes,
    thumbnailSha256: isGone ? '' : clip.thumbnail.sha256,
    createdAt: clip.createdAt,
    renderedAt: clip.renderedAt,
  };
  const { id: _id, accountId: _account, jobId: _job, createdAt: _created, ...changing } = row;
  return db
    .insert(clips)
    .values(row)
    .onConflictDoUpdate({ target: clips.id, set: changing, setWhere: sql`${clips.version} < ${job.version}` });
}
