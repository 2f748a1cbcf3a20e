import type { Service } from '../service/service.ts';
import type { Database } from '../storage/database.ts';
import { clearIdle, type IdleJob, markIdle, selectIdleJobs } from '../storage/retention.ts';
import { readCursor, saveCursor } from '../storage/upkeep.ts';
import { eachOf } from './each-of.ts';

/** Jobs that are asked for at a time, and of one run: each is a call of its object. */
const PAGE = 100;
const MOST = 500;
/** Rows of before the retention was set, that are looked at in one run. */
const MARKED = 1000;
const MARKS = 5;
const MARK = 'mark-idle';
const ALL_MARKED = 'all';

/**
 * Has the jobs of a database that ended long ago, and have no clip, forget what was asked of them: some hundreds in
 * each run of the cron, and none where no retention is set. Answers with how many have.
 */
export async function forgetRequests(
  { settings, job, log }: Pick<Service, 'settings' | 'job' | 'log'>,
  db: Database,
  now: number,
): Promise<number> {
  const marked = await readCursor(db, MARK);
  if (settings.requestTtl === null) {
    // What ends from now on is not marked by itself: whoever sets a retention again has all looked through.
    if (marked !== undefined) await saveCursor(db, MARK, undefined);
    return 0;
  }
  if (marked !== ALL_MARKED) await markSome(db, marked ?? '');
  const before = now - settings.requestTtl;
  let last: IdleJob | undefined;
  let asked = 0;
  let forgotten = 0;
  do {
    const page = await selectIdleJobs(db, before, last, PAGE);
    const over: string[] = [];
    await eachOf(log, page, async ({ id }) => {
      if (await job(id).forgetWords(before)) over.push(id);
    });
    if (over.length > 0) await clearIdle(db, over, before);
    forgotten += over.length;
    asked += page.length;
    last = page.length < PAGE ? undefined : page.at(-1);
  } while (last && asked < MOST);
  return forgotten;
}

async function markSome(db: Database, from: string): Promise<void> {
  let after: string | undefined = from;
  for (let marks = 0; marks < MARKS && after !== undefined; marks++) after = await markIdle(db, after, MARKED);
  await saveCursor(db, MARK, after ?? ALL_MARKED);
}
