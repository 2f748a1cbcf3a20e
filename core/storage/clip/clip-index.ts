import { and, asc, desc, eq, gt, isNotNull } from 'drizzle-orm';
import type { Clip } from '#domain/clip/clip.ts';
import { ClipFactsShape } from '#protocol/host/gateway.ts';
import type { Database } from '../lib/database.ts';
import { type ClipRow, clips } from '../schema/schema.ts';

/** Converts a row of the index to a clip. */
export function clipOfRow(row: ClipRow): Clip {
  return {
    state: row.state,
    isSaved: row.isSaved,
    title: row.title,
    ...(row.facts === null ? {} : { facts: ClipFactsShape.parse(JSON.parse(row.facts)) }),
    resolution: row.resolution,
    ...(row.aspect === null ? {} : { aspect: row.aspect }),
    fps: row.fps,
    tier: row.tier,
    ...(row.renderer === null ? {} : { renderer: row.renderer }),
    durationSeconds: row.durationSeconds,
    video: { key: row.videoKey, bytes: row.videoBytes, sha256: row.videoSha256 },
    thumbnail: { key: row.thumbnailKey, bytes: row.thumbnailBytes, sha256: row.thumbnailSha256 },
    createdAt: row.createdAt,
    renderedAt: row.renderedAt,
    ...(row.removal === null ? {} : { removal: row.removal }),
  };
}

/** Whether the operator took a clip down. */
export async function isTakenDown(db: Database, id: string): Promise<boolean> {
  const found = and(eq(clips.id, id), isNotNull(clips.removal));
  return (await db.select({ id: clips.id }).from(clips).where(found).get()) !== undefined;
}

/** Returns the newest ready clip of all accounts; null if there is none. */
export async function findLatestClipId(db: Database): Promise<string | null> {
  const newest = db.select({ id: clips.id }).from(clips).where(eq(clips.state, 'ready'));
  return (await newest.orderBy(desc(clips.createdAt)).limit(1).get())?.id ?? null;
}

type ClipFiles = Pick<ClipRow, 'id' | 'jobId' | 'accountId' | 'state' | 'videoKey' | 'thumbnailKey'>;

/** Reads clips of all accounts with their file keys, in the order of ids, after a given one. */
export async function selectClipFiles(db: Database, after: string, limit: number): Promise<ClipFiles[]> {
  const { id, jobId, accountId, state, videoKey, thumbnailKey } = clips;
  const page = db.select({ id, jobId, accountId, state, videoKey, thumbnailKey }).from(clips).where(gt(id, after));
  return page.orderBy(asc(id)).limit(limit);
}
