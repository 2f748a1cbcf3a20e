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

/** Has the next runs of the cron rewrite the records of all clips of an account. */
export async function scheduleRepublishing(
  primary: Database,
  { accountId, database }: Pick<Caller, 'accountId' | 'database'>,
  now: number,
): Promise<void> {
  await saveCursor(primary, SWEEP + JSON.stringify({ accountId, database }), `from ${now}`);
}

type World = Pick<Service, 'database' | 'databases' | 'job' | 'log'>;

/**
 * Rewrites the records of clips whose accounts changed how clips are shown. The accounts take turns. A clip that fails
 * is retried in each run and does not stop the others.
 */
export function sweepViewing(world: World, upkeep: Upkeep): Sweep {
  const { database: primary } = world;
  return sweepRows({
    db: primary,
    name: 'sweep-viewing',
    size: ACCOUNTS,
    row: SweepCursorShape,
    select: (after, limit) => selectCursors(primary, SWEEP, after?.name ?? '', limit),
    work: (cursors) =>
      byTurns(
        cursors.map((cursor) => republishClips(world, cursor, upkeep)),
        upkeep.onFailure,
      ),
  });
}

async function* republishClips(world: World, { name, cursor }: SweepCursor, { now, size, report }: Upkeep): Sweep {
  const { database: primary, databases, job, log } = world;
  const begunAt = /^from (\d+)$/.exec(cursor)?.[1];
  if (now - Number(begunAt ?? 0) < SETTLED_MS) return;
  if (begunAt !== undefined && !(await moveCursor(primary, name, cursor, ''))) return;
  const { accountId, database } = SweepTarget.parse(JSON.parse(name.slice(SWEEP.length)));
  const db = databases.of(database);
  const end = yield* walkRows({
    ...{ db: primary, name, seen: begunAt === undefined ? cursor : '', size, log },
    row: PlacedClipShape,
    select: (after, limit) => selectClipsInOrder(db, accountId, after, limit),
    async work({ jobId }) {
      await job(jobId).republish();
      report.shown++;
    },
  });
  if (end !== undefined) await moveCursor(primary, name, end, undefined);
}
