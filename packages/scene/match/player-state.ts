import {
  fuseOf,
  type MapEffect,
  type Outfit,
  type OutfitChange,
  type PlayerIndex,
  type Position,
  type SceneMatch,
  sideAt,
  type Team,
  TRACK_ALIVE,
  TRACK_PRESENT,
} from './match.ts';

/** A player at one moment. `yaw` in degrees counter-clockwise from +x, `health` 0 to 100. */
export interface PlayerState extends Position {
  readonly yaw: number;
  readonly health: number;
  readonly alive: boolean;
  readonly team: Team | null;
}

/** A larger distance in one tick is a respawn or a teleport, which is not interpolated. */
const TELEPORT_UNITS = 100;

/** Returns a player at a fractional tick, between the two ticks around it; null while they are not in the match. */
export function playerAt(match: SceneMatch, player: PlayerIndex, tick: number): PlayerState | null {
  const { tracks } = match;
  const time = Math.min(Math.max(tick - tracks.firstTick, 0), tracks.length - 1);
  const sample = Math.floor(time);
  const i = player * tracks.length + sample;
  const flags = tracks.flags[i] ?? 0;
  if ((flags & TRACK_PRESENT) === 0) return null;
  const x = tracks.x[i] ?? 0;
  const y = tracks.y[i] ?? 0;
  const z = tracks.z[i] ?? 0;
  const yaw = tracks.yaw[i] ?? 0;
  const state = {
    x,
    y,
    z,
    yaw,
    health: tracks.health[i] ?? 0,
    alive: (flags & TRACK_ALIVE) !== 0,
    team: sideAt(tracks, player, tracks.firstTick + sample),
  };
  const part = time - sample;
  if (
    part === 0 ||
    sample + 1 >= tracks.length ||
    ((tracks.flags[i + 1] ?? 0) & TRACK_ALIVE) !== (flags & TRACK_ALIVE)
  ) {
    return state;
  }
  const dx = (tracks.x[i + 1] ?? 0) - x;
  const dy = (tracks.y[i + 1] ?? 0) - y;
  if (Math.hypot(dx, dy) > TELEPORT_UNITS) return state;
  const dz = (tracks.z[i + 1] ?? 0) - z;
  const turn = shortTurn(yaw, tracks.yaw[i + 1] ?? 0);
  return { ...state, x: x + dx * part, y: y + dy * part, z: z + dz * part, yaw: yaw + turn * part };
}

/** Returns the shorter turn from one angle to another in degrees, -180 to 180. */
export function shortTurn(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

const byMatch = new WeakMap<readonly OutfitChange[], ReadonlyMap<PlayerIndex, readonly OutfitChange[]>>();

/** Returns a player's outfit at a tick; null if the recording lacks it. */
export function outfitAt({ outfits }: Pick<SceneMatch, 'outfits'>, player: PlayerIndex, tick: number): Outfit | null {
  const changes = byMatch.get(outfits) ?? Map.groupBy(outfits, (change) => change.player);
  byMatch.set(outfits, changes);
  return changes.get(player)?.findLast((change) => change.tick <= tick) ?? null;
}

/** Returns the game's name of a place with spaces: `BombsiteA` is `Bombsite A`, `TopofMid` is `Top of Mid`. */
export function placeName(place: string): string {
  const words = place.replace(/^(Top|Bottom|Back|Front|Side|End)of(?=[A-Z])/, '$1 of');
  return words.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
}

const SECONDS = { plant: 3.2, defuse: 10, kit: 5 };

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
  const defuse = last.kind === 'defuse_begun' ? SECONDS[last.hasKit ? 'kit' : 'defuse'] : null;
  const seconds = last.kind === 'plant_begun' ? SECONDS.plant : defuse;
  if (seconds === null || playerAt(match, last.player, tick)?.alive !== true) return null;
  const done = (tick - last.tick) / match.tickRate / seconds;
  const kind = last.kind === 'plant_begun' ? 'plant' : 'defuse';
  return done > 1.02 ? null : { kind, player: last.player, done: Math.min(done, 1) };
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

/** Returns the (fractional) ticks at which a planted bomb beeps, faster and faster, until it is defused or explodes. */
export function bombBeeps(bomb: Pick<MapEffect, 'startTick' | 'endTick' | 'fuseSeconds'>, tickRate: number): number[] {
  const { startTick, endTick } = bomb;
  const fuse = fuseOf(bomb);
  const beeps: number[] = [];
  const seconds = Math.min((endTick - startTick) / tickRate, fuse);
  // From one beep a second to seven.
  const pauseAt = (at: number): number => Math.max(0.15, 0.1 + 0.9 * (1 - at / fuse));
  for (let at = 1; at < seconds; at += pauseAt(at)) beeps.push(startTick + at * tickRate);
  return beeps;
}
