import { assetKey } from '../domain/storage-keys.ts';
import { type Bindings, renderJobOf } from '../durable-objects/bindings.ts';
import { removeAsset, selectDeletedAssets } from '../storage/assets.ts';
import { createDatabase } from '../storage/database.ts';
import { moveWatch, selectExpiredClips, selectOverdueJobs } from '../storage/upkeep.ts';
import { sweepFiles } from './sweep-files.ts';

/** How much is asked for at a time. */
const BATCH = 200;
/** How many batches one run of the cron takes on, so that it ends before the next begins. */
const BATCHES = 5;
/** Calls to objects at a time: the platform allows six connections. */
const WIDTH = 6;

/** A day: longer than a job waits in the queue and through all its retries for the watermark it was accepted with. */
const DELETED_ASSET_KEPT = 24 * 60 * 60 * 1000;

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
export async function runUpkeep(env: Bindings, clipTtl: number, now: number, batch = BATCH): Promise<UpkeepReport> {
  const db = createDatabase(env.DB);
  let nudged = 0;
  // Until none is left: jobs that wait long in the queue must not hide one that is stuck.
  for (
    let overdue = await overdueJobs();
    overdue.length > 0 && nudged < BATCHES * batch;
    overdue = await overdueJobs()
  ) {
    const done = await eachOf(overdue, async ({ id, watchAt }) => {
      const next = await renderJobOf(env, id).nudge();
      await moveWatch(db, id, watchAt, next);
    });
    nudged += done;
    if (done < overdue.length) break;
  }
  const cutoff = now - clipTtl;
  const expired = await eachOf(await selectExpiredClips(db, cutoff, batch), ({ jobId }) =>
    renderJobOf(env, jobId).expireClip(cutoff),
  );
  const deleted = await selectDeletedAssets(db, now - DELETED_ASSET_KEPT, batch);
  const removed = await eachOf(deleted, async ({ id, accountId }) => {
    await env.CLIPS.delete(assetKey(accountId, id));
    await removeAsset(db, id);
  });
  return { nudged, expired, removed, swept: await sweepFiles(env, now) };

  function overdueJobs() {
    return selectOverdueJobs(db, now, batch);
  }
}

/** Does the work for each item, a few at a time, and counts those that went well; one that fails stops no other. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<number> {
  let done = 0;
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await work(item);
        done++;
      } catch (error) {
        // biome-ignore lint/suspicious/noConsole: the platform's log is the console
        console.error(JSON.stringify({ message: 'upkeep failed for one item', item, error: String(error) }));
      }
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  return done;
}
