import type { Service } from '../service/service.ts';
import { pageAcross } from '../storage/database.ts';
import { hasAllRecords, sayAllRecorded } from '../storage/public-record.ts';
import { readCursor, saveCursor, selectClipOwners } from '../storage/upkeep.ts';
import { SWEPT_CLIPS, sweepPage } from './sweep-page.ts';

const SWEEP = 'sweep-records';
/** A deploy is over by then: no object is left of the version that writes no records. */
const DEPLOYED_MS = 15 * 60_000;

/**
 * Gives the clips of before there were records theirs, a page in each run of the cron, and says so when all have one:
 * from then on an id without a record is nobody's. A page of which one fails is done again, for to call a clip unknown
 * would be the worse failure. Answers with how many clips were looked at.
 */
export async function sweepRecords(
  { database: home, databases, files, job, log }: Pick<Service, 'database' | 'databases' | 'files' | 'job' | 'log'>,
  now: number,
): Promise<number> {
  if (await hasAllRecords(files)) return 0;
  // Before the first page, when the first run was.
  const cursor = (await readCursor(home, SWEEP)) ?? String(now);
  if (now - Number(cursor) < DEPLOYED_MS) {
    await saveCursor(home, SWEEP, cursor);
    return 0;
  }
  const { page, next } = await pageAcross(databases, cursor, SWEPT_CLIPS, selectClipOwners);
  const publish = ({ id, jobId }: (typeof page)[number]) => job(jobId).publish(id);
  if (!(await sweepPage(page, publish, log, 'clips have no record yet'))) return 0;
  if (next === undefined) await sayAllRecorded(files);
  await saveCursor(home, SWEEP, next);
  return page.length;
}
