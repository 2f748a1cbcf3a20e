import type { Service } from '../service/service.ts';
import { postponeSpare, selectJobSums, selectOwnKept, selectSpareJobs } from '../storage/account-sums.ts';
import type { Database } from '../storage/database.ts';
import { removeJobs } from '../storage/erasure.ts';
import { eachOf } from './each-of.ts';

/** Jobs that one run deletes: each is a call of its object. */
const MOST = 1000;
/** A client that follows its job sees the outcome first. */
const KEPT_MS = 60 * 60 * 1000;

type World = Pick<Service, 'database' | 'settings' | 'job' | 'log'>;

/**
 * Deletes spare jobs, the oldest first, of each account of a database that has more than nine tenths of the jobs it may
 * keep. Accounts share what one run deletes. A job that cannot be deleted now comes last in the next run.
 */
export async function makeRoom(world: World, db: Database, now: number): Promise<void> {
  const { accounts } = await selectJobSums(db);
  if (accounts.length === 0) return;
  const own = await selectOwnKept(world.database);
  const crowded = accounts.flatMap(({ id, jobs }) => {
    const excess = jobs - Math.floor((own.get(id) ?? world.settings.limits.jobsKept) * 0.9);
    return excess > 0 ? [{ id, excess }] : [];
  });
  const share = Math.ceil(MOST / crowded.length);
  for (const { id, excess } of crowded) await deleteSpare(world, db, id, Math.min(excess, share), now);
}

async function deleteSpare({ job, log }: World, db: Database, accountId: string, most: number, now: number) {
  const spare = await selectSpareJobs(db, accountId, now - KEPT_MS, most);
  if (spare.length === 0) return;
  const gone: string[] = [];
  await eachOf(log, spare, async (id) => {
    if (await job(id).giveWay(accountId)) gone.push(id);
  });
  // They have made no clip.
  await removeJobs(
    db,
    gone.map((id) => ({ id, clipId: '' })),
  );
  await postponeSpare(db, spare, now);
  log('jobs were deleted to make room', { account: accountId, jobs: gone.length }, 'info');
}
