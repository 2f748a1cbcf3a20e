import type { CameraView } from '../camera/camera.ts';
import type { CaptureOptions } from '../frames/clip-clock.ts';
import type { Levels } from '../match/levels.ts';
import type { Round, SceneMatch } from '../match/match.ts';
import type { PlayerState } from '../match/player-state.ts';
import type { Shot } from '../plan/shot.ts';

/** All that the painters of one frame read. Screen coordinates are pixels; `scale` is that of `layoutOf`. */
export interface Moment {
  readonly match: SceneMatch;
  readonly shot: Shot;
  readonly tick: number;
  /** The round of the tick, because a shot may span several. Null before the first one. */
  readonly round: Round | null;
  readonly options: CaptureOptions;
  readonly scale: number;
  readonly view: CameraView;
  /** By player; null for those who are not in the match now. */
  readonly players: readonly (PlayerState | null)[];
  readonly levels: Levels;
  /** By player: 1 for those whom the point-of-view player's team sees, 0 for others. */
  readonly visibility: readonly number[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Converts a world position to the picture. North is up. */
export function toScreen({ view, options }: Pick<Moment, 'view' | 'options'>, world: Point): Point {
  return {
    x: (world.x - view.x) * view.zoom + options.width / 2,
    y: (view.y - world.y) * view.zoom + options.height / 2,
  };
}

/**
 * Returns the direction of a height from the point-of-view player's floor: 1 above, -1 below, 0 on it or without the
 * player.
 */
export function floorsUp({ players, shot, levels }: Pick<Moment, 'players' | 'shot' | 'levels'>, z: number): number {
  const pov = players[shot.pov];
  return pov === null || pov === undefined ? 0 : Math.sign(levels.levelAt(z) - levels.levelAt(pov.z));
}

/** Whether a point is in the picture or at most `margin` pixels outside it. */
export function onScreen({ options }: Pick<Moment, 'options'>, { x, y }: Point, margin: number): boolean {
  return x > -margin && y > -margin && x < options.width + margin && y < options.height + margin;
}

/** Returns the first tick of the current round. Events before it are not drawn. */
export function roundStartOf({ round, match }: Pick<Moment, 'round' | 'match'>): number {
  return round?.startTick ?? match.firstTick;
}

/** Returns the seconds from a tick to the moment; negative before it. */
export function secondsSince(moment: Moment, tick: number): number {
  return (moment.tick - tick) / moment.match.tickRate;
}

/**
 * Returns the events that happened in the last `seconds`, or happen within `ahead` seconds. `events` is in tick order.
 */
export function eventsAround<Event extends { readonly tick: number }>(
  moment: Moment,
  events: readonly Event[],
  seconds: number,
  ahead = 0,
): readonly Event[] {
  const from = firstAtOrAfter(events, moment.tick - seconds * moment.match.tickRate);
  const to = firstAtOrAfter(events, moment.tick + ahead * moment.match.tickRate + 1e-6);
  return events.slice(from, to);
}

function firstAtOrAfter(events: readonly { readonly tick: number }[], tick: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.tick ?? 0) < tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
