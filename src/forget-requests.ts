import type { Service } from '#service/service.ts';
import { clearIdle, IdleJobShape, markIdle, selectIdleJobs } from '#storage/retention.ts';
import { readCursor, saveCursor } from '#storage/upkeep.ts';
import { eachOf } from './each-of.ts';
import { type Sweep, sweepRows } from './sweep.ts';
import type { Upkeep } from './upkeep.ts';

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
      const over: string[] = [];
      await eachOf(log, page, async ({ id }) => {
        if (await job(id).forgetRequest(before)) over.push(id);
      });
      if (over.length > 0) await clearIdle(db, over, before);
      report.forgotten += over.length;
    },
  });
}
