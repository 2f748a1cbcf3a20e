import { and, eq, gt, isNotNull, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Trouble } from '#domain/job/delivery.ts';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { add, giveBack } from '../lib/budgets.ts';
import type { Database } from '../lib/database.ts';
import { clips, type JobRow, jobs } from '../schema/schema.ts';

export interface IndexedRequest {
  readonly mode: JobRow['mode'];
  readonly fps: number | null;
  readonly resolution: number;
  /** The run of a rule that made the job; null for a client's job. */
  readonly ruleRun: string | null;
  /** The upload that it inspects; null for any other. */
  readonly inspectedUpload: string | null;
}

/** Further values that the job indexes. */
export interface IndexedState {
  /** Bytes of the JSON of its request, with the webhook's header. */
  readonly bytes: number;
  /** When the cron should call it; null if nothing is pending. */
  readonly upkeepAt: number | null;
  /** Since when its request is no longer needed; null if it is needed or kept for ever. */
  readonly idleSince: number | null;
  /** Since when it may be deleted to make room for other jobs; null if it must not be deleted. */
  readonly spareSince: number | null;
  /** The trouble of its last webhook, and when that was created. */
  readonly trouble: { readonly trouble: Trouble; readonly at: number } | null;
}

/**
 * Writes a job and its clip into the index, in one transaction. Repeatable and safe out of order: a row is replaced
 * only by a higher version.
 *
 * SQLite writes an index entry again if a statement sets one of its columns, even to the same value, and every entry is
 * billed. So indexed columns that seldom change have their own statements, which usually find no row. The upsert comes
 * last, because the others compare with the stored version, which it replaces.
 */
export async function projectJob(db: Database, job: Job, request: IndexedRequest, state: IndexedState): Promise<void> {
  const { errorCode, finishedAt } = fieldsOf(job);
  const { bytes, upkeepAt, trouble } = state;
  const changing = {
    clipId: job.clipId,
    version: job.version,
    priority: job.priority,
    fps: request.fps,
    resolution: request.resolution,
    bytes,
    errorCode,
    idleSince: state.idleSince,
    spareSince: state.spareSince,
    webhookTrouble: trouble?.trouble ?? null,
    troubleAt: trouble?.at ?? null,
    hasReplay: job.tracks !== undefined && job.clip?.state !== 'ready',
  };
  const { status } = job;
  const { mode } = request;
  const identity = {
    id: job.id,
    accountId: job.accountId,
    createdAt: job.createdAt,
    ruleRun: request.ruleRun,
    inspectedUpload: request.inspectedUpload,
    isTest: job.isTest ?? false,
  };
  const changedAt = changeTime(job.accountId);
  const row = { ...identity, ...changing, status, mode, finishedAt, upkeepAt, changedAt };
  // The last two only if `jobs_unfinished` or `jobs_watch` omits the row then, so that no entry is written.
  const set = {
    ...changing,
    changedAt,
    ...(finishedAt !== null && { finishedAt }),
    ...(upkeepAt === null && { upkeepAt }),
  };
  const change = (values: Partial<typeof row>, where: SQL | undefined) =>
    db
      .update(jobs)
      .set(values)
      .where(and(eq(jobs.id, job.id), lt(jobs.version, job.version), where));
  const upsert = db
    .insert(jobs)
    .values(row)
    .onConflictDoUpdate({ target: jobs.id, set, setWhere: lt(jobs.version, job.version) });
  const clip = upsertClip(db, job);
  const use = { owner: job.accountId, at: job.createdAt };
  const uses = [
    { ...use, name: 'jobs_kept', amount: 1 },
    { ...use, name: 'jobs_a_day', amount: 1 },
    { ...use, name: 'jobs_mib', amount: bytes },
  ] as const;
  const isResized = and(eq(jobs.id, job.id), lt(jobs.version, job.version), ne(jobs.bytes, bytes));
  await db.batch([
    // First: the others write the new version.
    giveBack(db, { table: jobs, where: isResized, of: [['jobs_mib', sql`bytes - ${bytes}`]] }),
    // A redo may be of another mode.
    change({ mode }, ne(jobs.mode, mode)),
    ...(finishedAt === null ? [change({ finishedAt }, isNotNull(jobs.finishedAt))] : []),
    // A later time is not written. At worst the cron calls the job too early, and the job is projected then.
    ...(upkeepAt === null ? [] : [change({ upkeepAt }, or(isNull(jobs.upkeepAt), gt(jobs.upkeepAt, upkeepAt)))]),
    change({ ...set, status }, ne(jobs.status, status)),
    add(db, uses, sql`NOT EXISTS (SELECT 1 FROM ${jobs} WHERE id = ${job.id})`),
    upsert,
    ...(clip ? [clip] : []),
  ]);
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
    aspect: clip.aspect ?? null,
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
    removal: clip.removal ?? null,
  };
  const { id: _id, accountId: _account, jobId: _job, createdAt: _created, ...changing } = row;
  return db
    .insert(clips)
    .values(row)
    .onConflictDoUpdate({ target: clips.id, set: changing, setWhere: sql`${clips.version} < ${job.version}` });
}
