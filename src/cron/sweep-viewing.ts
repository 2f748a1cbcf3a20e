import type { Service } from '#service/lib/service.ts';
import {
  ACCOUNTS,
  moveCursor,
  PlacedClipShape,
  SWEEP,
  type SweepCursor,
  SweepCursorShape,
  selectClipsInOrder,
  selectCursors,
} from '#storage/operate/upkeep.ts';
import { byTurns, type Sweep, sweepRows, type Upkeep, walkRows } from './sweep.ts';

/** The time after which the index has all clips that were made during the change. */
const SETTLED_MS = 60_000;

type ViewingService = Pick<Service, 'database' | 'job' | 'log'>;

/**
 * Rewrites the records of clips whose accounts changed how clips are shown. The accounts take turns. A clip that fails
 * is retried in each run and does not stop the others.
 */
export function sweepViewing(service: ViewingService, upkeep: Upkeep): Sweep {
  const { database: db } = service;
  return sweepRows({
    db,
    name: 'sweep-viewing',
    size: ACCOUNTS,
    row: SweepCursorShape,
    select: (after, limit) => selectCursors(db, SWEEP, after?.name ?? '', limit),
    work: (cursors) =>
      byTurns(
        cursors.map((cursor) => republishClips(service, cursor, upkeep)),
        upkeep.onFailure,
      ),
  });
}

async function* republishClips(
  service: ViewingService,
  { name, cursor }: SweepCursor,
  { now, size, report }: Upkeep,
): Sweep {
  const { database: db, job, log } = service;
  const begunAt = /^from (\d+)$/.exec(cursor)?.[1];
  if (now - Number(begunAt ?? 0) < SETTLED_MS) return;
  if (begunAt !== undefined && !(await moveCursor(db, name, cursor, ''))) return;
  const end = yield* walkRows({
    db,
    name,
    expected: begunAt === undefined ? cursor : '',
    size,
    log,
    row: PlacedClipShape,
    select: (after, limit) => selectClipsInOrder(db, name.slice(SWEEP.length), after, limit),
    async work({ jobId }) {
      await job(jobId).republish();
      report.shown++;
    },
  });
  if (end !== undefined) await moveCursor(db, name, end, undefined);
}
