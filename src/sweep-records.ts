import type { Service } from '../service/service.ts';
import { hasAllRecords, sayAllRecorded } from '../storage/public-record.ts';
import { type ClipOwner, readCursor, saveCursor, selectClipOwners } from '../storage/upkeep.ts';
import { type Sweep, walkRows } from './sweep.ts';
import type { Upkeep } from './upkeep.ts';

/** When the first run was. */
const BEGUN = 'sweep-records';
const WALK = 'walk-records';
/** A deploy is over by then: no object is left of the version that writes no records. */
const DEPLOYED_MS = 15 * 60_000;

/**
 * Writes the records of clips that are older than records, and marks them complete when all clips have one: from then
 * on an id without a record is unknown. They are not complete while one clip lacks its record, because to call an
 * existing clip unknown would be worse.
 */
export async function* sweepRecords(
  { database: home, databases, files, job, log }: Pick<Service, 'database' | 'databases' | 'files' | 'job' | 'log'>,
  { now, size, report }: Upkeep,
): Sweep {
  if (await hasAllRecords(files)) return;
  const begun = await readCursor(home, BEGUN);
  if (begun === undefined) await saveCursor(home, BEGUN, String(now));
  if (begun === undefined || now - Number(begun) < DEPLOYED_MS) return;
  let isWhole = true;
  for (const name of databases.names) {
    const db = databases.of(name);
    const seen = await readCursor(db, WALK);
    if (seen === undefined) await saveCursor(db, WALK, '');
    const end = yield* walkRows({
      ...{ db, name: WALK, seen: seen ?? '', size, log },
      select: (after: ClipOwner | undefined, limit) => selectClipOwners(db, after?.id ?? '', limit),
      async work({ id, jobId }) {
        await job(jobId).publish(id);
        report.recorded++;
      },
    });
    if (end === undefined) isWhole = false;
  }
  if (isWhole) await sayAllRecorded(files);
}
