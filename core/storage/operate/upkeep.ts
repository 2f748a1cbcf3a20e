import { and, asc, eq, gt, gte, inArray, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import * as z from 'zod';
import type { ReadAs } from '#domain/lib/types.ts';
import { giveBack } from '../lib/budgets.ts';
import { type Database, inPages, isOneOf } from '../lib/database.ts';
import { controls, dayCounts } from '../schema/operator.ts';
import { clips, cursors, jobs } from '../schema/schema.ts';

/** Reads jobs whose alarm is overdue, oldest first. */
export async function selectOverdueJobs(
  db: Database,
  now: number,
  limit: number,
): Promise<{ id: string; upkeepAt: number }[]> {
  return db
    .select({ id: jobs.id, upkeepAt: sql<number>`${jobs.upkeepAt}` })
    .from(jobs)
    .where(lte(jobs.upkeepAt, now))
    .orderBy(asc(jobs.upkeepAt))
    .limit(limit);
}

/** A new time of a job's upkeep, unless the job has changed it from `expected`. */
export interface UpkeepMove {
  readonly id: string;
  readonly expected: number;
  readonly next: number | null;
}

/** Changes the upkeep times of many jobs in one statement: an invocation has a thousand statements at most. */
export async function moveUpkeeps(db: Database, moves: readonly UpkeepMove[]): Promise<void> {
  if (moves.length === 0) return;
  await db.run(sql`
    UPDATE ${jobs} SET watch_at = moved.next
    FROM (SELECT value->>0 AS id, value->>1 AS expected, value->>2 AS next
      FROM json_each(${JSON.stringify(moves.map(({ id, expected, next }) => [id, expected, next]))})) AS moved
    WHERE ${jobs.id} = moved.id AND ${jobs.upkeepAt} = moved.expected`);
}

/** Returns ids of an account's inspections that are queued or under way. One that waits for a retry is not. */
export async function selectInspecting(db: Database, accountId: string, limit: number): Promise<string[]> {
  const inFlight = inArray(jobs.status, ['pending', 'prefetch', 'render']);
  const where = and(eq(jobs.accountId, accountId), inFlight, eq(jobs.mode, 'inspect'));
  return (await db.select({ id: jobs.id }).from(jobs).where(where).limit(limit)).map(({ id }) => id);
}

/** Returns the ids of an account's inspections of an upload: of its demo, and of each demo of an archive. */
export async function selectInspections(db: Database, accountId: string, uploadId: string): Promise<string[]> {
  const ofUpload = and(eq(jobs.accountId, accountId), eq(jobs.inspectedUpload, uploadId));
  return (await db.select({ id: jobs.id }).from(jobs).where(ofUpload)).map(({ id }) => id);
}

/** An ended inspection with its position in the order of ends. */
export const EndedInspectionShape = z.object({ id: z.string(), finishedAt: z.number() });
type EndedInspection = ReadAs<typeof EndedInspectionShape>;

/** Reads inspections that ended before a time, oldest first, after a given one. */
export async function selectOldInspections(
  db: Database,
  finishedBefore: number,
  after: EndedInspection | undefined,
  limit: number,
): Promise<EndedInspection[]> {
  const { id, finishedAt } = jobs;
  const query = db
    .select({ id, finishedAt: sql<number>`${finishedAt}` })
    .from(jobs)
    .$dynamic();
  // A literal: SQLite does not choose a partial index by a bound value.
  const where = and(sql`${jobs.mode} = 'inspect'`, lt(finishedAt, finishedBefore));
  return inPages(query, { finishedAt, id }, { where, after, limit });
}

/** Deletes inspections, except restarted ones. */
export async function removeInspections(db: Database, ids: readonly string[], finishedBefore: number): Promise<void> {
  await db.batch(deleteJobs(db, and(isOneOf(jobs.id, ids), lt(jobs.finishedAt, finishedBefore))));
}

/** Returns the statements that delete jobs, for a batch. */
export function deleteJobs(db: Database, where: SQL | undefined): readonly [BatchItem<'sqlite'>, BatchItem<'sqlite'>] {
  const of = [
    ['jobs_kept', sql`1`],
    ['jobs_mib', sql`bytes`],
  ] as const;
  const freed = giveBack(db, { table: jobs, where, of });
  return [freed, db.delete(jobs).where(where)];
}

/** The last clip of a page of expired ones. */
export const ExpiredClipShape = z.object({ jobId: z.string(), id: z.string(), renderedAt: z.number() });
type ExpiredClip = ReadAs<typeof ExpiredClipShape>;

/**
 * Reads unsaved clips that were rendered before a time, oldest first, with their jobs, after those of a page before.
 * Pages continue by position, because the index removes an expired clip a moment later.
 */
export async function selectExpiredClips(
  db: Database,
  renderedBefore: number,
  after: ExpiredClip | undefined,
  limit: number,
): Promise<ExpiredClip[]> {
  const { jobId, id, renderedAt } = clips;
  // Literals: SQLite does not choose a partial index by a bound value.
  const where = and(sql`${clips.state} = 'ready' AND ${clips.isSaved} = 0`, lt(renderedAt, renderedBefore));
  const query = db.select({ jobId, id, renderedAt }).from(clips).$dynamic();
  return inPages(query, { renderedAt, id }, { where, after, limit });
}

/** Kinds of `PlacedClipShape`. */
const [CLIP, REPLAY] = [0, 2];

/**
 * A clip, or a replay without a clip (of another `kind`), with its position among those of its account, where the next
 * page continues. A save does not move a clip.
 */
export const PlacedClipShape = z.object({ jobId: z.string(), kind: z.int(), createdAt: z.number(), id: z.string() });
type PlacedClip = ReadAs<typeof PlacedClipShape>;

/** Reads the ready clips of an account, oldest first, then its replays without a clip. */
export async function selectClipsInOrder(
  db: Database,
  accountId: string,
  after: PlacedClip | undefined,
  limit: number,
): Promise<PlacedClip[]> {
  const isReplay = after?.kind === REPLAY;
  const behind = after ? sql`AND (created_at, id) > (${after.createdAt}, ${after.id})` : sql``;
  // Both are in the order of the index, so that SQLite merges them and sorts nothing.
  const [unsaved, saved] = [0, 1].map(
    (isSaved) => sql`
      SELECT ${CLIP} AS kind, created_at AS createdAt, id, job_id AS jobId FROM ${clips}
      WHERE account_id = ${accountId} AND state = 'ready' AND is_saved = ${isSaved} ${behind}`,
  );
  const found = isReplay
    ? []
    : await db.all<PlacedClip>(sql`${unsaved} UNION ALL ${saved} ORDER BY createdAt, id LIMIT ${limit}`);
  if (found.length === limit) return found;
  const place = isReplay ? after.id : '';
  const replays = await db.all<PlacedClip>(sql`
    SELECT ${REPLAY} AS kind, 0 AS createdAt, clip_id AS id, id AS jobId FROM ${jobs}
    WHERE account_id = ${accountId} AND has_replay = 1 AND clip_id > ${place} ORDER BY clip_id
    LIMIT ${limit - found.length}`);
  return [...found, ...replays];
}

/** The progress of a count of the stored clips: how many there are up to an id, and the bytes of their files. */
export const ClipCountShape = z.object({
  /** The day (UTC, counted from the epoch) of the count. */
  day: z.int(),
  /** The id of the last counted clip; null when all are counted. */
  after: z.string().nullable(),
  /** Clips that were looked at, with deleted ones. */
  looked: z.int(),
  count: z.int(),
  bytes: z.number(),
});
export type ClipCount = ReadAs<typeof ClipCountShape>;

/** Reads the next `limit` clips of all accounts and returns the progress. Stores the sums when all are counted. */
export async function countClips(db: Database, before: ClipCount, limit: number): Promise<ClipCount> {
  const [page] = await db.all<{ last: string; looked: number; count: number; bytes: number }>(sql`
    SELECT MAX(id) AS last, COUNT(*) AS looked, TOTAL(is_ready) AS count, TOTAL(is_ready * size) AS bytes
    FROM (SELECT id, state = 'ready' AS is_ready, video_bytes + thumbnail_bytes AS size
      FROM ${clips} WHERE id > ${before.after ?? ''} ORDER BY id LIMIT ${limit})`);
  const after = page?.looked === limit ? page.last : null;
  const [count, bytes] = [before.count + (page?.count ?? 0), before.bytes + (page?.bytes ?? 0)];
  if (after === null) {
    const counted = db.insert(dayCounts).values({ day: 0, name: 'clips', count, amount: bytes });
    const set = { count, amount: bytes };
    await counted.onConflictDoUpdate({ target: [dayCounts.day, dayCounts.name], set });
  }
  return { day: before.day, after, looked: before.looked + (page?.looked ?? 0), count, bytes };
}

export const SweepCursorShape = z.object({ name: z.string(), cursor: z.string() });
export type SweepCursor = ReadAs<typeof SweepCursorShape>;

/** Reads cursors whose names begin with a prefix, in the order of their names, after a given name. */
export async function selectCursors(
  db: Database,
  prefix: string,
  after: string,
  limit: number,
): Promise<SweepCursor[]> {
  const within = and(gte(cursors.name, prefix), gt(cursors.name, after), lt(cursors.name, `${prefix}\uffff`));
  return db.select().from(cursors).where(within).orderBy(cursors.name).limit(limit);
}

/** Returns the last key read; undefined if the sweep starts anew. */
export async function readCursor(db: Database, name: string): Promise<string | undefined> {
  return (await db.select().from(cursors).where(eq(cursors.name, name)).get())?.cursor;
}

/** Stores a cursor. With undefined, the next sweep starts anew. */
export async function saveCursor(db: Database, name: string, cursor: string | undefined): Promise<void> {
  if (cursor === undefined) await db.delete(cursors).where(eq(cursors.name, name));
  else await db.insert(cursors).values({ name, cursor }).onConflictDoUpdate({ target: cursors.name, set: { cursor } });
}

/**
 * Moves a cursor from the value that was read; undefined deletes it. Returns false if another request has changed it.
 */
export async function moveCursor(
  db: Database,
  name: string,
  expected: string,
  next: string | undefined,
): Promise<boolean> {
  const unchanged = and(eq(cursors.name, name), eq(cursors.cursor, expected));
  const move =
    next === undefined
      ? db.delete(cursors).where(unchanged)
      : db.update(cursors).set({ cursor: next }).where(unchanged);
  return (await move.run()).meta.changes > 0;
}

/** Reads the file keys that the index has for these clips. */
export async function selectFileKeys(db: Database, clipIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ video: clips.videoKey, thumbnail: clips.thumbnailKey })
    .from(clips)
    .where(and(isOneOf(clips.id, clipIds), eq(clips.state, 'ready')));
  return rows.flatMap(({ video, thumbnail }) => [video, thumbnail]);
}

/** How many accounts take turns. */
export const ACCOUNTS = 100;

export const SWEEP = 'show-anew ';

/** Has the next runs of the cron rewrite the records of all clips of an account. */
export async function scheduleRepublishing(db: Database, accountId: string, now: number): Promise<void> {
  await saveCursor(db, SWEEP + accountId, `from ${now}`);
}

/** The cursor with the time when the last upkeep without a failure ended, in milliseconds since the epoch. */
export const UPKEEP_DONE = 'upkeep-done';

export type ControlRow = typeof controls.$inferSelect;

/** Blocks that are kept. Each grant has all of them. */
export const MOST_BLOCKS = 100;

export async function selectControls(db: Database): Promise<ControlRow[]> {
  return db.select().from(controls).orderBy(controls.createdAt, controls.id);
}

/** Adds a control, or replaces the one of the same kind and name. Returns it; null if there are too many blocks. */
export async function putControl(db: Database, row: ControlRow): Promise<ControlRow | null> {
  const { id, kind, name, reason, until, createdAt, operator } = row;
  const [put] = await db.all<ControlRow>(sql`
    INSERT INTO ${controls} (id, kind, name, reason, until, created_at, operator)
    SELECT ${id}, ${kind}, ${name}, ${reason}, ${until}, ${createdAt}, ${operator}
    WHERE (SELECT COUNT(*) FROM ${controls} WHERE kind = ${kind} AND name <> ${name}) < ${MOST_BLOCKS}
    ON CONFLICT (kind, name) DO UPDATE SET reason = excluded.reason, until = excluded.until,
      created_at = excluded.created_at, operator = excluded.operator
    RETURNING id, kind, name, reason, until, created_at AS createdAt, operator`);
  return put ?? null;
}

/** Removes the maintenance, or the block with an id. Returns whether there was one. */
export async function deleteControl(db: Database, kind: ControlRow['kind'], id?: string): Promise<boolean> {
  const { meta } = await db.delete(controls).where(and(eq(controls.kind, kind), id ? eq(controls.id, id) : undefined));
  return meta.changes > 0;
}
