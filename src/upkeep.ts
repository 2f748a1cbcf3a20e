import { assetKey } from '../domain/storage-keys.ts';
import type { Log } from '../platform/log.ts';
import type { Service } from '../service/service.ts';
import { removeAsset, selectDeletedAssets } from '../storage/assets.ts';
import { moveUpkeep, selectExpiredClips, selectOverdueJobs } from '../storage/upkeep.ts';
import { sweepFiles } from './sweep-files.ts';

/** How much is asked for at a time. */
const BATCH = 200;
/** How many batches one run of the cron takes on, so that it ends before the next begins. */
const BATCHES = 5;
/** A job that was looked at comes up again with the next run at the earliest, whatever its clock or its state says. */
const NEXT_RUN = 5 * 60 * 1000;
/** Calls to objects at a time: the platform allows six connections. */
const WIDTH = 6;

/** A day: longer than a job waits in the queue and through all its retries for the watermark it was accepted with. */
const DELETED_ASSET_KEPT = 24 * 60 * 60 * 1000;

type UpkeepWorld = Pick<Service, 'database' | 'files' | 'job' | 'settings' | 'log'>;

export interface UpkeepReport {
  readonly nudged: number;
  readonly expired: number;
  /** Deleted assets whose files are gone now. */
  readonly removed: number;
  /** Files of clips that nothing referred to. */
  readonly swept: number;
}

/**
 * What the cron does: looks after jobs whose alarm did not come, and expires clips. Both ask the job itself, which
 * decides: a clip that was saved a moment ago stays. And it removes what is left of assets that were deleted a day ago,
 * and of files that nothing refers to. A run that is cut short or repeated does no harm.
 */
export async function runUpkeep(service: UpkeepWorld, now: number, batch = BATCH): Promise<UpkeepReport> {
  const { database: db, files, job, log, settings } = service;
  let nudged = 0;
  // Until none is left: jobs that wait long in the queue must not hide one that is stuck.
  for (let batches = 0; batches < BATCHES; batches++) {
    const overdue = await selectOverdueJobs(db, now, batch);
    nudged += await eachOf(log, overdue, async ({ id, upkeepAt }) => {
      // Moved on first: one that cannot be looked at must not stand in front of the others for ever.
      await moveUpkeep(db, id, upkeepAt, now + NEXT_RUN);
      const next = await job(id).nudge();
      await moveUpkeep(db, id, now + NEXT_RUN, next === null ? null : Math.max(next, now + NEXT_RUN));
    });
    if (overdue.length < batch) break;
  }
  const cutoff = now - settings.clipTtl;
  const expired = await eachOf(log, await selectExpiredClips(db, cutoff, batch), ({ jobId }) =>
    job(jobId).expireClip(cutoff),
  );
  const deleted = await selectDeletedAssets(db, now - DELETED_ASSET_KEPT, batch);
  const removed = await eachOf(log, deleted, async ({ id, accountId }) => {
    await files.delete(assetKey(accountId, id));
    await removeAsset(db, id);
  });
  return { nudged, expired, removed, swept: await sweepFiles(service, now) };
}

/** Does the work for each item, a few at a time, and counts those that went well; one that fails stops no other. */
async function eachOf<T>(log: Log, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<number> {
  let done = 0;
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await work(item);
        done++;
      } catch (error) {
        log('upkeep failed for one item', { item, error: String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  return done;
}
