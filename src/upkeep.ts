import { assetKey } from '../domain/storage-keys.ts';
import { type Bindings, renderJobOf } from '../durable-objects/bindings.ts';
import { removeAsset, selectDeletedAssets } from '../storage/assets.ts';
import { createDatabase } from '../storage/database.ts';
import { moveWatch, selectExpiredClips, selectOverdueJobs } from '../storage/upkeep.ts';

/** How much one run of the cron takes on. What remains is taken by the next. */
const BATCH = 200;
/** Calls to objects at a time: the platform allows six connections. */
const WIDTH = 6;

/** A day: longer than a job waits in the queue and through all its retries for the watermark it was accepted with. */
const DELETED_ASSET_KEPT = 24 * 60 * 60 * 1000;

export interface UpkeepReport {
  readonly nudged: number;
  readonly expired: number;
  /** Deleted assets whose files are gone now. */
  readonly removed: number;
}

/**
 * What the cron does: looks after jobs whose alarm did not come, and expires clips. Both ask the job itself, which
 * decides: a clip that was saved a moment ago stays. And it removes what is left of assets that were deleted a day ago.
 * A run that is cut short or repeated does no harm.
 */
export async function runUpkeep(env: Bindings, clipTtl: number, now: number): Promise<UpkeepReport> {
  const db = createDatabase(env.DB);
  const overdue = await selectOverdueJobs(db, now, BATCH);
  const nudged = await eachOf(overdue, async ({ id, watchAt }) => {
    const next = await renderJobOf(env, id).nudge();
    await moveWatch(db, id, watchAt, next);
  });
  const cutoff = now - clipTtl;
  const expired = await eachOf(await selectExpiredClips(db, cutoff, BATCH), ({ jobId }) =>
    renderJobOf(env, jobId).expireClip(cutoff),
  );
  const deleted = await selectDeletedAssets(db, now - DELETED_ASSET_KEPT, BATCH);
  const removed = await eachOf(deleted, async ({ id, accountId }) => {
    await env.CLIPS.delete(assetKey(accountId, id));
    await removeAsset(db, id);
  });
  return { nudged, expired, removed };
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
