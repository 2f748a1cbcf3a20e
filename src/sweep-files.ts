import { isUuid } from '#domain/ids.ts';
import { reasonOf } from '#domain/reason.ts';
import type { Service } from '#service/service.ts';
import { readCursor, saveCursor, selectFileKeys } from '#storage/upkeep.ts';
import { mapFew } from './each-of.ts';
import type { Sweep } from './sweep.ts';
import type { Upkeep } from './upkeep.ts';

/** Files of one step. Storage lists at most 1,000. */
const PAGE = 500;
/**
 * The least age of a removed file. A younger one may belong to a running attempt, or to a change that is not indexed
 * yet.
 */
const OLD_ENOUGH = 60 * 60 * 1000;
const SWEEP = 'sweep-files';

/**
 * Removes files of clips that nothing refers to: from an upload that ended after its lease, or from an interrupted
 * change. Each run of the cron reads one page of the bucket, and the next page if it found such files, so one pass over
 * the bucket takes many runs. Files in the index are kept; for others, the job decides.
 */
export async function* sweepFiles(
  service: Pick<Service, 'database' | 'files' | 'job' | 'clipIds' | 'log'>,
  { now, report }: Upkeep,
): Sweep {
  const { database: db, files, job, clipIds, log } = service;
  let startAfter = await readCursor(db, SWEEP);
  for (let isDone = false; !isDone; ) {
    const place = startAfter === undefined ? {} : { startAfter };
    const page = await files.list({ prefix: 'clips/', limit: PAGE, ...place });
    startAfter = page.truncated ? page.objects.at(-1)?.key : undefined;
    // Saved before the work, because the work may fail or be interrupted.
    await saveCursor(db, SWEEP, startAfter);
    const unknown = await unknownAmong(page.objects);
    const owned = await mapFew(unknown, isOwned);
    const orphans = unknown.filter((_, i) => !owned[i]);
    if (orphans.length > 0) await files.delete(orphans);
    report.swept += orphans.length;
    isDone = orphans.length === 0 || startAfter === undefined;
    yield unknown.length * 2;
  }

  /** Returns old files that the index does not have. */
  async function unknownAmong(objects: readonly R2Object[]): Promise<string[]> {
    const old = objects.filter(({ uploaded }) => uploaded.getTime() <= now - OLD_ENOUGH).map(({ key }) => key);
    const known = new Set(await selectFileKeys(db, [...new Set(old.map(clipIdOf))]));
    // The index has no storyboards: a storyboard belongs to the video in the same folder.
    const isKnown = (key: string) => known.has(key) || known.has(key.replace(/storyboard\.jpg$/, 'video.mp4'));
    return old.filter((key) => !isKnown(key));
  }

  /** Returns whether a job owns a file; true if the job does not answer. */
  async function isOwned(key: string): Promise<boolean> {
    const clipId = clipIdOf(key);
    if (!isUuid(clipId)) return false;
    try {
      return await job(await clipIds.ownerOf(clipId)).ownsFile(key);
    } catch (error) {
      log('failed to ask the owner of a file', { key, error: reasonOf(error) });
      return true;
    }
  }
}

/** `clips/<clip>/<fence>/video.mp4`. */
function clipIdOf(key: string): string {
  return key.split('/')[1] ?? '';
}
