import * as z from 'zod';
import type { Service } from '#service/service.ts';
import type { Caller } from '#storage/accounts.ts';
import type { Database } from '#storage/database.ts';
import {
  moveCursor,
  PlacedClipShape,
  type SweepCursor,
  SweepCursorShape,
  saveCursor,
  selectClipsInOrder,
  selectCursors,
} from '#storage/upkeep.ts';
import { byTurns, type Sweep, sweepRows, walkRows } from './sweep.ts';
import type { Upkeep } from './upkeep.ts';

/** How many accounts take turns. */
const ACCOUNTS = 100;
const SWEEP = 'show-anew ';
/** By then the index has all clips that were made during the change. */
const SETTLED_MS = 60_000;

const SweepTarget = z.object({ accountId: z.string(), database: z.string() });

/** Begins to rewrite the records of all clips of an account, in the next runs of the cron. */
export async function beginShowingAnew(
  home: Database,
  { accountId, database }: Pick<Caller, 'accountId' | 'database'>,
  now: number,
): Promise<void> {
  await saveCursor(home, SWEEP + JSON.stringify({ accountId, database }), `from ${now}`);
}

type World = Pick<Service, 'database' | 'databases' | 'job' | 'log'>;

/**
 * Rewrites the records of clips whose accounts changed how clips are shown. The accounts take turns. A clip that fails
 * is retried in each run and does not stop the others.
 */
export function sweepViewing(world: World, upkeep: Upkeep): Sweep {
  const { database: home } = world;
  return sweepRows({
    db: home,
    name: 'sweep-viewing',
    size: ACCOUNTS,
    row: SweepCursorShape,
    select: (after, limit) => selectCursors(home, SWEEP, after?.name ?? '', limit),
    work: (wishes) =>
      byTurns(
        wishes.map((wish) => showAnew(world, wish, upkeep)),
        upkeep.onFailure,
      ),
  });
}

async function* showAnew(world: World, { name, cursor }: SweepCursor, { now, size, report }: Upkeep): Sweep {
  const { database: home, databases, job, log } = world;
  const begunAt = /^from (\d+)$/.exec(cursor)?.[1];
  if (now - Number(begunAt ?? 0) < SETTLED_MS) return;
  if (begunAt !== undefined && !(await moveCursor(home, name, cursor, ''))) return;
  const { accountId, database } = SweepTarget.parse(JSON.parse(name.slice(SWEEP.length)));
  const db = databases.of(database);
  const end = yield* walkRows({
    ...{ db: home, name, seen: begunAt === undefined ? cursor : '', size, log },
    row: PlacedClipShape,
    select: (after, limit) => selectClipsInOrder(db, accountId, after, limit),
    async work({ jobId }) {
      await job(jobId).republish();
      report.shown++;
    },
  });
  if (end !== undefined) await moveCursor(home, name, end, undefined);
}
