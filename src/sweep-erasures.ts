import type { Service } from '#service/service.ts';
import { keptDays } from '#service/views.ts';
import { deletePrefix } from '#storage/clip-files.ts';
import {
  type Erasing,
  ErasingShape,
  type JobToErase,
  JobToEraseShape,
  removeAccount,
  removeBelongings,
  removeJobs,
  removeViews,
  selectErasing,
  selectJobsToErase,
  selectUploadsToErase,
  UploadToEraseShape,
} from '#storage/erasure.ts';
import { eachOf } from './each-of.ts';
import { byTurns, type Sweep, sweepRows } from './sweep.ts';
import type { Upkeep } from './upkeep.ts';
import { forgetUploads } from './uploads.ts';

/** How many accounts take turns. */
const ACCOUNTS = 100;
/** The time after which every key cache has expired. */
const BEGIN_AFTER_MS = 60_000;
/** The time after which the index has every change that was under way at the beginning, even after an outage. */
const END_AFTER_MS = 60 * 60_000;

type World = Pick<Service, 'database' | 'dispatchers' | 'files' | 'demos' | 'demoParts' | 'job' | 'log'>;

/**
 * Erases accounts with all that they own, by turns: first jobs with their clips, each by its own object, then uploads
 * and images, then the account itself. If a part cannot be erased now, it and the account are left for the next run.
 */
export function sweepErasures(world: World, upkeep: Upkeep): Sweep {
  const { database } = world;
  return sweepRows({
    db: database,
    name: 'sweep-erasures',
    size: ACCOUNTS,
    row: ErasingShape,
    select: (after, limit) => selectErasing(database, upkeep.now - BEGIN_AFTER_MS, after, limit),
    work: (accounts) =>
      byTurns(
        accounts.map((account) => eraseAccount(world, account, upkeep)),
        upkeep.onFailure,
      ),
  });
}

async function* eraseAccount(world: World, account: Erasing, { now, size, report }: Upkeep): Sweep {
  const { database: db, job, log } = world;
  const { id } = account;
  const { first, last } = keptDays(now);
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  yield* sweepRows({
    db,
    name: `erase-jobs ${id}`,
    size,
    row: JobToEraseShape,
    select: (after, limit) => selectJobsToErase(db, id, after, limit),
    async work(page) {
      const gone: JobToErase[] = [];
      await eachOf(log, page, async (row) => {
        if (await job(row.id).erase(id)) gone.push(row);
      });
      if (gone.length === 0) return;
      const clips = gone.map(({ clipId }) => clipId);
      await removeViews(db, clips, days);
      await removeJobs(db, gone);
      report.erased += gone.length;
    },
  });
  if ((await selectJobsToErase(db, id, undefined, 1)).length > 0) return;
  yield* sweepRows({
    db,
    name: `erase-uploads ${id}`,
    size,
    row: UploadToEraseShape,
    select: (after, limit) => selectUploadsToErase(db, id, after, limit),
    work: (page) => forgetUploads(world, page, log),
  });
  if ((await selectUploadsToErase(db, id, undefined, 1)).length === 0) await eraseRest(world, account, now);
}

async function eraseRest(world: World, account: Erasing, now: number) {
  const { database, dispatchers, demos, log } = world;
  const { id } = account;
  await deletePrefix(demos, `demos/${id}/`);
  await deletePrefix(demos, `assets/${id}/`);
  await removeBelongings(database, id);
  if (account.at > now - END_AFTER_MS) return;
  await dispatchers.suspend(id, false);
  await removeAccount(database, id);
  log('account erased', { account: id }, 'info');
}
