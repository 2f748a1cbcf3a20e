import type { Service } from '../service/service.ts';
import type { Caller } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import { findCursor, readCursor, saveCursor, selectClipsInOrder } from '../storage/upkeep.ts';
import { SWEPT_CLIPS, sweepPage } from './sweep-page.ts';

/** Of one run: some have no clips. */
const MOST_ACCOUNTS = 20;
const SWEEP = 'show-anew ';
/** What was being made as the account said so is in the index by then. */
const SETTLED_MS = 60_000;

interface Place {
  readonly accountId: string;
  readonly database: string;
}

/** Has the clips of an account shown as it wants from now on, from the first on, with the next runs of the cron. */
export async function beginShowingAnew(
  home: Database,
  { accountId, database }: Pick<Caller, 'accountId' | 'database'>,
  now: number,
): Promise<void> {
  const place: Place = { accountId, database };
  await saveCursor(home, SWEEP + JSON.stringify(place), `from ${now}`);
}

type World = Pick<Service, 'database' | 'databases' | 'job' | 'log'>;

/**
 * Has the jobs of accounts whose clips are to be shown otherwise write their records again, some hundreds in each run
 * of the cron. A page of which one fails is done again. Answers with how many clips were looked at.
 */
export async function sweepViewing(world: World, now: number): Promise<number> {
  let looked = 0;
  for (let accounts = 0; accounts < MOST_ACCOUNTS && looked < SWEPT_CLIPS; accounts++) {
    const page = await showPage(world, now);
    if (page === null) break;
    looked += page;
  }
  return looked;
}

/** A page of one account; null where there is nothing to do for now. */
async function showPage({ database: home, databases, job, log }: World, now: number): Promise<number | null> {
  const name = await findCursor(home, SWEEP);
  const cursor = name && (await readCursor(home, name));
  if (!name || !cursor) return null;
  const begunAt = /^from (\d+)$/.exec(cursor)?.[1];
  if (begunAt !== undefined && now - Number(begunAt) < SETTLED_MS) return null;
  const { accountId, database } = JSON.parse(name.slice(SWEEP.length)) as Place;
  const after = begunAt === undefined ? cursor : '';
  const page = await selectClipsInOrder(databases.of(database), accountId, after, SWEPT_CLIPS);
  const show = ({ jobId }: (typeof page)[number]) => job(jobId).showAnew();
  if (!(await sweepPage(page, show, log, 'clips are not shown anew yet'))) return null;
  // Said again meanwhile, it begins again.
  if ((await readCursor(home, name)) === cursor) {
    await saveCursor(home, name, page.length < SWEPT_CLIPS ? undefined : page.at(-1)?.place);
  }
  return page.length;
}
