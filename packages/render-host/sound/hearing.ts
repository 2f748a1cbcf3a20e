import type { Levels } from '#scene/match/levels.ts';
import { type PlayerState, playerAt } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { type Match, type Position, TRACK_ALIVE } from '../match/match.ts';

/** How a sound reaches the point-of-view player. */
export interface HeardSound {
  /** 0 to 1. */
  readonly gain: number;
  /** -1 is left, 1 right. */
  readonly pan: number;
  /** Hertz above which it is damped. */
  readonly cutoff: number;
}

/** How far a sound carries: units at which half of it is left, and at which it ends. */
export interface Reach {
  readonly half: number;
  readonly end: number;
}

export interface Hearing {
  at(tick: number, from: Position, reach: Reach): HeardSound | null;
  /** Returns where the point-of-view player hears from: where they are, or fell. */
  place(tick: number): Position | null;
}

export const OPEN_CUTOFF = 18_000;
/** The air damps half an octave of the highest frequencies in so many units. */
const AIR_UNITS = 1700;
/** A closer sound is in the middle. */
const HEAD_UNITS = 60;
/** The widest pan, at which both ears still hear the sound. */
const WIDEST_PAN = 0.82;
const STEP_UNITS = 48;
/** Units without floor that may be a wall, and that surely are one. */
const WALL = { maybe: 160, surely: 620 };
const DULLED = { cutoff: 0.16, gain: 0.55 };
/** A match of this length has used the whole floor, so the rest is walls. */
const KNOWN_FLOOR_SECONDS = 150;

/**
 * Computes what the point-of-view player of a shot hears. A demo has no walls. Instead, floors between the player and
 * the sound damp it, and ground in between that nobody walks on; the longer the match, the more.
 */
export function createHearing(match: Match, shot: Shot, levels: Levels): Hearing {
  const floors = [...levels.splits, 0].map((_, level) => levels.footprint(level));
  const trust = Math.min(1, match.tracks.length / match.tickRate / KNOWN_FLOOR_SECONDS);
  const isFloor = (x: number, y: number): boolean => {
    const key = `${Math.floor(x / 64)}:${Math.floor(y / 64)}`;
    return floors.some((floor) => floor.has(key));
  };
  const falls = fallsOf(match, shot);

  function listener(tick: number): PlayerState | null {
    const now = playerAt(match, shot.pov, tick);
    if (now?.alive === true) return now;
    const fell = falls.findLast((at) => at <= tick);
    return fell === undefined ? now : playerAt(match, shot.pov, fell);
  }

  /** Returns 0 in the open, 1 behind a wall. */
  function blocked(from: Position, to: PlayerState): number {
    if (levels.isFloorBetween(to, from)) return 1;
    const distance = Math.hypot(from.x - to.x, from.y - to.y);
    const steps = Math.ceil(distance / STEP_UNITS);
    let off = 0;
    let longest = 0;
    for (let i = 1; i < steps; i++) {
      const part = i / steps;
      off = isFloor(to.x + (from.x - to.x) * part, to.y + (from.y - to.y) * part) ? 0 : off + STEP_UNITS;
      longest = Math.max(longest, off);
    }
    return trust * Math.min(Math.max((longest - WALL.maybe) / (WALL.surely - WALL.maybe), 0), 1);
  }

  return {
    place: listener,
    at(tick, from, reach) {
      const ears = listener(tick);
      if (ears === null) return null;
      const dx = from.x - ears.x;
      const dy = from.y - ears.y;
      const distance = Math.hypot(dx, dy, from.z - ears.z);
      if (distance >= reach.end) return null;
      const yaw = (ears.yaw * Math.PI) / 180;
      const right = dx * Math.sin(yaw) - dy * Math.cos(yaw);
      const pan = (right / Math.max(Math.hypot(dx, dy), 1)) * Math.min(1, distance / HEAD_UNITS) * WIDEST_PAN;
      const wall = blocked(from, ears);
      const far = 1 / (1 + (distance / reach.half) ** 1.5);
      const gain = far * Math.min(1, (4 * (reach.end - distance)) / reach.end) * (1 - wall * (1 - DULLED.gain));
      const cutoff = OPEN_CUTOFF * 2 ** (-distance / AIR_UNITS) * (1 - wall * (1 - DULLED.cutoff));
      return { gain, pan, cutoff };
    },
  };
}

/**
 * Returns the last tick alive before each death of the point-of-view player, ascending: for each death in the shot, and
 * for the last one before it. Reads each tick at most once.
 */
function fallsOf({ tracks }: Match, { pov, startTick, endTick }: Shot): number[] {
  const isAlive = (tick: number): boolean => {
    const at = tick - tracks.firstTick;
    return at >= 0 && at < tracks.length && ((tracks.flags[pov * tracks.length + at] ?? 0) & TRACK_ALIVE) !== 0;
  };
  let before = startTick - 1;
  while (before >= tracks.firstTick && !isAlive(before)) before--;
  const falls = before >= tracks.firstTick ? [before] : [];
  for (let tick = startTick; tick < endTick; tick++) if (isAlive(tick) && !isAlive(tick + 1)) falls.push(tick);
  return falls;
}
