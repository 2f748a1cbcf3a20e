import { asc, gt } from 'drizzle-orm';
import type { Database } from '../lib/database.ts';
import { type ClipRow, clips } from '../schema/schema.ts';

type ClipFiles = Pick<ClipRow, 'id' | 'jobId' | 'accountId' | 'state' | 'videoKey' | 'thumbnailKey'>;

/** Reads clips of all accounts with their file keys, in the order of ids, after a given one. */
export async function selectClipFiles(db: Database, after: string, limit: number): Promise<ClipFiles[]> {
  const { id, jobId, accountId, state, videoKey, thumbnailKey } = clips;
  const page = db.select({ id, jobId, accountId, state, videoKey, thumbnailKey }).from(clips).where(gt(id, after));
  return page.orderBy(asc(id)).limit(limit);
}
