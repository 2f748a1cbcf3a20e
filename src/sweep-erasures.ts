import type { Service } from '../service/service.ts';
import { keptDays } from '../service/views.ts';
import { deletePrefix } from '../storage/clip-files.ts';
import {
  type Erasing,
  type JobToErase,
  removeAccount,
  removeBelongings,
  removeJobs,
  removeViews,
  selectErasing,
  selectJobsToErase,
  selectUploadsToErase,
} from '../storage/erasure.ts';
import { eachOf } from './each-of.ts';
import { forgetUploads } from './uploads.ts';

/** Jobs that are asked for at a time, and of one run: each is a call of its object, which makes some of its own. */
const PAGE = 100;
const MOST_JOBS = 500;
const MOST_ACCOUNTS = 20;
const UPLOADS = 100;
/** Nobody believes in the account's keys any more. */
const BEGIN_AFTER_MS = 60_000;
/** What was under way as it began has come to the index by then, also where that was away for a while. */
const END_AFTER_MS = 60 * 60_000;

type World = Pick<Service, 'database' | 'databases' | 'dispatchers' | 'files' | 'demos' | 'demoParts' | 'job' | 'log'>;

/**
 * Erases accounts with all that they own, some hundreds of jobs in each run of the cron: first jobs with their clips,
 * each by its own object, then uploads and images, then the account itself. What cannot be erased now is left for the
 * next run, with all that comes after it. Answers with how many jobs are gone.
 */
export async function sweepErasures(world: World, now: number): Promise<number> {
  let erased = 0;
  for (const account of await selectErasing(world.database, now - BEGIN_AFTER_MS, MOST_ACCOUNTS)) {
    if (erased >= MOST_JOBS) break;
    const jobs = await eraseJobs(world, account, MOST_JOBS - erased, now);
    erased += jobs.erased;
    if (jobs.areAllGone) await eraseRest(world, account, now);
  }
  return erased;
}

async function eraseJobs(
  { database, databases, job, log }: World,
  account: Erasing,
  most: number,
  now: number,
): Promise<{ erased: number; areAllGone: boolean }> {
  const db = databases.of(account.database);
  const { first, last } = keptDays(now);
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  let erased = 0;
  let stuck = 0;
  // An account whose jobs cannot be asked must not use up what others need.
  while (erased < most && stuck < PAGE) {
    const page = await selectJobsToErase(db, account.id, stuck, PAGE);
    const gone: JobToErase[] = [];
    await eachOf(log, page, async (row) => {
      if (await job(row.id).erase(account.id)) gone.push(row);
    });
    if (gone.length > 0) {
      const clips = gone.map(({ clipId }) => clipId);
      await removeViews(database, clips, days);
      await removeJobs(db, gone);
    }
    erased += gone.length;
    stuck += page.length - gone.length;
    if (page.length < PAGE) return { erased, areAllGone: stuck === 0 };
  }
  return { erased, areAllGone: false };
}

async function eraseRest(world: World, account: Erasing, now: number) {
  const { database, databases, dispatchers, files, demos, log } = world;
  const { id } = account;
  const db = databases.of(account.database);
  const uploads = await selectUploadsToErase(db, id, UPLOADS);
  await forgetUploads(world, db, uploads);
  if (uploads.length === UPLOADS) return;
  await deletePrefix(demos, `demos/${id}/`);
  // Images of before they had a bucket of their own lie beside the clips.
  for (const bucket of [demos, files]) await deletePrefix(bucket, `assets/${id}/`);
  await removeBelongings(db, id);
  if (account.since > now - END_AFTER_MS) return;
  await dispatchers.suspend(id, false);
  await removeAccount(database, id);
  log('account erased', { account: id }, 'info');
}
