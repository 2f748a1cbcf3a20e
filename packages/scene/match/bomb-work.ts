import type { BombAction, PlayerIndex, SceneMatch } from './match.ts';
import { outfitAt } from './outfit-at.ts';
import { playerAt } from './player-state.ts';

/** Seconds to plant, and to defuse without and with a kit. */
const SECONDS = { plant: 3.2, defuse: 10, kit: 5 };

/** A player who plants or defuses. */
export interface BombWork {
  readonly kind: 'plant' | 'defuse';
  readonly player: PlayerIndex;
  /** 0 to 1. */
  readonly done: number;
}

/** Returns who plants or defuses at a tick, or null. */
export function bombWorkAt(match: SceneMatch, tick: number): BombWork | null {
  const last = match.bombActions.findLast((action) => action.tick <= tick);
  if (last === undefined || last.player === null) return null;
  const seconds = secondsOf(last);
  if (seconds === null || playerAt(match, last.player, tick)?.alive !== true) return null;
  const done = (tick - last.tick) / match.tickRate / seconds;
  const kind = last.kind === 'plant_begun' ? 'plant' : 'defuse';
  return done > 1.02 ? null : { kind, player: last.player, done: Math.min(done, 1) };
}

function secondsOf({ kind, hasKit }: BombAction): number | null {
  if (kind === 'plant_begun') return SECONDS.plant;
  if (kind !== 'defuse_begun') return null;
  return hasKit ? SECONDS.kit : SECONDS.defuse;
}

/** Returns the site where the bomb is or was planted: `A`, `B`, or null if the recording lacks it. */
export function bombSiteAt(match: SceneMatch, tick: number): 'A' | 'B' | null {
  const work = match.bombActions.findLast(
    ({ kind, tick: at }) => at <= tick && (kind === 'planted' || kind === 'plant_begun'),
  );
  if (work === undefined || work.player === null) return null;
  const place = outfitAt(match, work.player, work.tick)?.place ?? '';
  const site = /^Bombsite([AB])$/.exec(place)?.[1];
  return site === 'A' || site === 'B' ? site : null;
}
