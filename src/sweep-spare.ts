import type { Service } from '#service/service.ts';
import { postponeSpare, selectJobSums, selectOwnKept, selectSpareJobs } from '#storage/account-sums.ts';
import { removeJobs } from '#storage/erasure.ts';
import { eachOf } from './each-of.ts';
import type { Sweep } from './sweep.ts';
import type { Upkeep } from './upkeep.ts';

/** How long a spare job is kept: a client that follows its job must be able to read the outcome. */
const KEPT_MS = 60 * 60 * 1000;

type SpareService = Pick<Service, 'database' | 'settings' | 'job' | 'log'>;

/**
 * Deletes spare jobs, the oldest first, of each account that has more than nine tenths of the jobs it may keep.
 * Accounts take turns. A job that cannot be deleted now comes last in the next run.
 */
export async function* sweepSpareJobs(service: SpareService, { now, size }: Upkeep): Sweep {
  const { accounts } = await selectJobSums(service.database);
  if (accounts.length === 0) return;
  const own = await selectOwnKept(service.database);
  let crowded = accounts.flatMap(({ id, jobs }) => {
    const excess = jobs - Math.floor((own.get(id) ?? service.settings.limits.jobs_kept) * 0.9);
    return excess > 0 ? [{ id, excess }] : [];
  });
  while (crowded.length > 0) {
    const still: typeof crowded = [];
    for (const { id, excess } of crowded) {
      const most = Math.min(excess, size);
      const asked = await deleteSpare(service, id, most, now);
      if (asked === size) still.push({ id, excess: excess - asked });
      yield asked;
    }
    crowded = still.filter(({ excess }) => excess > 0);
  }
}

/** Returns how many jobs it called. */
async function deleteSpare({ database: db, job, log }: SpareService, accountId: string, most: number, now: number) {
  const spare = await selectSpareJobs(db, accountId, now - KEPT_MS, most);
  if (spare.length === 0) return 0;
  const gone: string[] = [];
  await eachOf(log, spare, async (id) => {
    if (await job(id).deleteIfSpare(accountId)) gone.push(id);
  });
  // Spare jobs have made no clip.
  await removeJobs(
    db,
    gone.map((id) => ({ id, clipId: '' })),
  );
  await postponeSpare(db, spare, now);
  log('spare jobs deleted', { account: accountId, jobs: gone.length }, 'info');
  return spare.length;
}
