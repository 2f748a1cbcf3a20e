import { DAY_MS } from '#domain/job/metering.ts';
import { isUuid } from '#domain/lib/ids.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { abortParts, removeFiles } from '#service/demo/uploads.ts';
import { eachOf, mapFew } from '#service/lib/each-of.ts';
import type { Service } from '#service/lib/service.ts';
import { type StoredUpload, selectDemoKeys } from '#storage/demo/uploads.ts';
import type { Database } from '#storage/lib/database.ts';
import { readCursor, saveCursor, selectFileKeys } from '#storage/operate/upkeep.ts';
import type { Sweep, Upkeep } from './sweep.ts';

/** Files of one step. Storage lists at most 1,000. */
const PAGE = 500;
/**
 * The least age of a removed file. A younger one may belong to a running attempt, or to a change that is not indexed
 * yet.
 */
const OLD_ENOUGH = 60 * 60 * 1000;

/**
 * Removes files of clips that nothing refers to: from an upload that ended after its lease, or from an interrupted
 * change. Files in the index are kept; for others, the job decides.
 */
export function sweepFiles(
  service: Pick<Service, 'database' | 'files' | 'job' | 'clipIds' | 'log'>,
  upkeep: Upkeep,
): Sweep {
  const { database: db, files, job, clipIds, log } = service;
  return sweepBucket(db, files, { name: 'sweep-files', prefix: 'clips/', minAge: OLD_ENOUGH }, upkeep, async (keys) => {
    const unknown = await unknownAmong(keys);
    const owned = await mapFew(unknown, isOwned);
    return { calls: unknown.length * 2, orphans: unknown.filter((_, i) => !owned[i]) };
  });

  /** Returns files that the index does not have. */
  async function unknownAmong(old: readonly string[]): Promise<string[]> {
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

/** Removes demos without a row, which nothing can use. One that is about to get its row is younger. */
export function sweepDemoFiles(service: Pick<Service, 'database' | 'demos' | 'settings'>, upkeep: Upkeep): Sweep {
  const { database: db, demos, settings } = service;
  const minAge = Math.max(settings.demoTtl, DAY_MS);
  return sweepBucket(db, demos, { name: 'sweep-demos', prefix: 'demos/', minAge }, upkeep, async (keys) => {
    const known = new Set(await selectDemoKeys(db, keys));
    return { calls: 0, orphans: keys.filter((key) => !known.has(key)) };
  });
}

/**
 * Removes old files that nothing refers to. Each run of the cron reads one page of the bucket, and the next page if it
 * found such files, so one pass over the bucket takes many runs. `name`: of the cursor. `minAge`: of a removed file.
 */
async function* sweepBucket(
  db: Database,
  bucket: R2Bucket,
  { name, prefix, minAge }: Readonly<{ name: string; prefix: string; minAge: number }>,
  { now, report }: Upkeep,
  find: (keys: readonly string[]) => Promise<{ readonly calls: number; readonly orphans: string[] }>,
): Sweep {
  let startAfter = await readCursor(db, name);
  for (let isDone = false; !isDone; ) {
    const place = startAfter === undefined ? {} : { startAfter };
    const page = await bucket.list({ prefix, limit: PAGE, ...place });
    const next = page.truncated ? page.objects.at(-1)?.key : undefined;
    // Saved before the work, because the work may fail or be interrupted.
    if (next !== startAfter) await saveCursor(db, name, next);
    startAfter = next;
    const old = page.objects.filter(({ uploaded }) => uploaded.getTime() <= now - minAge);
    const { calls, orphans } = await find(old.map(({ key }) => key));
    if (orphans.length > 0) await bucket.delete(orphans);
    report.swept += orphans.length;
    isDone = orphans.length === 0 || startAfter === undefined;
    yield calls;
  }
}

/** `clips/<clip>/<fence>/video.mp4`. */
function clipIdOf(key: string): string {
  return key.split('/')[1] ?? '';
}

/** Removes uploads with their files. Logs a failure and continues. */
export async function forgetUploads(
  service: Pick<Service, 'database' | 'demos' | 'log'>,
  rows: readonly StoredUpload[],
): Promise<void> {
  const stuck = new Set(await eachOf(service.log, rows, (row) => abortParts(service, row)));
  const over = rows.filter((row) => !stuck.has(row));
  if (over.length > 0) await removeFiles(service, over);
}
