import { type PlayerIndex, type SceneMatch, type Team, TRACK_ALIVE, TRACK_PRESENT } from './match.ts';
import { sideAt } from './sides.ts';

/** A player at one moment. `yaw` in degrees counter-clockwise from +x, `health` 0 to 100. */
export interface PlayerState {
  readonly x: number;
  readonly y: number;
  readonly z: number;
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
