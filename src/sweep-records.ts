import { isUuid } from '../domain/ids.ts';
import { reasonOf } from '../domain/reason.ts';
import type { Service } from '../service/service.ts';
import { hasAllRecords, sayAllRecorded } from '../storage/public-record.ts';
import { readCursor, saveCursor, selectClipOwners } from '../storage/upkeep.ts';

/** Clips of one run: each is a call of an object and two of storage. */
const PAGE = 600;
/** The platform allows six connections at a time. */
const WIDTH = 6;
const SWEEP = 'sweep-records';
/** A deploy is over by then: no object is left of the version that writes no records. */
const DEPLOYED_MS = 15 * 60_000;

/**
 * Gives the clips of before there were records theirs, a page in each run of the cron, and says so when all have one:
 * from then on an id without a record is nobody's. A page of which one fails is done again, for to call a clip unknown
 * would be the worse failure. Answers with how many clips were looked at.
 */
export async function sweepRecords(
  { database: db, files, job, log }: Pick<Service, 'database' | 'files' | 'job' | 'log'>,
  now: number,
): Promise<number> {
  if (await hasAllRecords(files)) return 0;
  // Before its first page, the time of the first run.
  const cursor = (await readCursor(db, SWEEP)) ?? `${now}`;
  const isBegun = isUuid(cursor);
  if (!isBegun && now - Number(cursor) < DEPLOYED_MS) {
    await saveCursor(db, SWEEP, cursor);
    return 0;
  }
  const page = await selectClipOwners(db, isBegun ? cursor : '', PAGE);
  try {
    for (let i = 0; i < page.length; i += WIDTH)
      await Promise.all(page.slice(i, i + WIDTH).map(({ id, jobId }) => job(jobId).publish(id)));
  } catch (error) {
    log('clips have no record yet, and the next run goes on', { error: reasonOf(error) });
    return 0;
  }
  if (page.length < PAGE) await sayAllRecorded(files);
  await saveCursor(db, SWEEP, page.length < PAGE ? undefined : page.at(-1)?.id);
  return page.length;
}
