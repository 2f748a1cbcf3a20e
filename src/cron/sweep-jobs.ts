import { TEST_KEPT_MS } from '#domain/job/test-end.ts';
import { eachThat } from '#service/lib/each-of.ts';
import type { Service } from '#service/lib/service.ts';
import {
  type AccountNearLimit,
  clearIdle,
  endTests,
  IdleJobShape,
  markIdle,
  OldTestShape,
  postponeSpare,
  selectAccountsNearLimit,
  selectIdleJobs,
  selectOldTests,
  selectSpareJobs,
} from '#storage/job/retention.ts';
import { removeJobs } from '#storage/operate/erasure.ts';
import { readCursor, saveCursor } from '#storage/operate/upkeep.ts';
import { type Sweep, sweepRows, type Upkeep } from './sweep.ts';
import { eraseJobs } from './sweep-erasures.ts';

/** How long a spare job is kept: a client that follows its job must be able to read the outcome. */
const KEPT_MS = 60 * 60 * 1000;

type SpareService = Pick<Service, 'database' | 'settings' | 'job' | 'log'>;

/**
 * Deletes spare jobs, the oldest first, of each account near a limit. Accounts take turns. A job that cannot be deleted
 * now comes last in the next run.
 */
export async function* sweepSpareJobs(service: SpareService, upkeep: Upkeep): Sweep {
  let nearLimit = await selectAccountsNearLimit(service.database, service.settings.limits);
  while (nearLimit.length > 0) {
    const still: AccountNearLimit[] = [];
    for (const account of nearLimit) {
      const { asked, left } = await deleteSpare(service, account, upkeep);
      if (asked === upkeep.size && isNearLimit(left)) still.push(left);
      yield asked;
    }
    nearLimit = still;
  }
}

const isNearLimit = ({ jobs, bytes }: AccountNearLimit) => jobs > 0 || bytes > 0;

/** Returns how many jobs it called, and what the account has left beyond nine tenths. */
async function deleteSpare({ database: db, job, log }: SpareService, account: AccountNearLimit, { now, size }: Upkeep) {
  const { id: accountId } = account;
  let left = account;
  const spare: string[] = [];
  for (const { id, bytes } of await selectSpareJobs(db, accountId, now - KEPT_MS, size)) {
    if (!isNearLimit(left)) break;
    spare.push(id);
    left = { ...left, jobs: left.jobs - 1, bytes: left.bytes - bytes };
  }
  if (spare.length === 0) return { asked: 0, left };
  const gone = await eachThat(log, spare, (id) => job(id).deleteIfSpare(accountId));
  // Spare jobs have made no clip.
  await removeJobs(
    db,
    gone.map((id) => ({ id, clipId: '' })),
  );
  await postponeSpare(db, spare, now);
  log('spare jobs deleted', { account: accountId, jobs: gone.length }, 'info');
  return { asked: spare.length, left };
}

/** How many rows from before the retention was set are read in one step. */
const MARKED = 1000;
const MARK = 'mark-idle';
const ALL_MARKED = 'all';

/**
 * Deletes the requests of jobs that ended long ago and have no clip. Does nothing if no retention is set.
 */
export async function* forgetRequests(
  { database: db, settings, job, log }: Pick<Service, 'database' | 'settings' | 'job' | 'log'>,
  { now, size, report }: Upkeep,
): Sweep {
  let marked = await readCursor(db, MARK);
  if (settings.requestTtl === null) {
    // Jobs that end without a retention are not marked, so setting one again has to read all rows.
    if (marked !== undefined) await saveCursor(db, MARK, undefined);
    return;
  }
  for (; marked !== ALL_MARKED; yield 1) {
    marked = (await markIdle(db, marked ?? '', MARKED)) ?? ALL_MARKED;
    await saveCursor(db, MARK, marked);
  }
  const before = now - settings.requestTtl;
  yield* sweepRows({
    db,
    name: 'forget-requests',
    size,
    row: IdleJobShape,
    select: (after, limit) => selectIdleJobs(db, before, after, limit),
    async work(page) {
      const over = await eachThat(log, page, ({ id }) => job(id).forgetRequest(before));
      const ids = over.map(({ id }) => id);
      if (ids.length > 0) await clearIdle(db, ids, before);
      report.forgotten += over.length;
    },
  });
}

/** Deletes what test keys have made: jobs and clips here, uploads and assets by their own sweeps. */
export async function* sweepTests(service: Pick<Service, 'database' | 'job' | 'log'>, upkeep: Upkeep): Sweep {
  const { database: db } = service;
  const before = upkeep.now - TEST_KEPT_MS;
  await endTests(db, before);
  yield* sweepRows({
    db,
    name: 'sweep-tests',
    size: upkeep.size,
    row: OldTestShape,
    select: (after, limit) => selectOldTests(db, before, after, limit),
    work: (page) => eraseJobs(service, page, upkeep),
  });
}
