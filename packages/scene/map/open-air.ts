import type { PlayerIndex, SceneMatch } from '../match/match.ts';
import { type PlayerState, playerAt } from '../match/player-state.ts';

/** A triangle that contains only air, over floor of about one height. */
export type OpenAir = readonly [PlayerState, PlayerState, PlayerState];

/** Units. A line that rises or falls by more goes over objects, or between floors. */
const RISE = 64;
const LENGTH = 1800;
const NO_GUN = /inferno|molotov|incgrenade|grenade|flashbang|decoy|knife|bayonet|c4|world/;
/** How often a sight is sampled. */
const EVERY_TICKS = 8;
/** The game's radar shows a player for so long after the last sight. */
const LATE_TICKS = 32;
/** A player who moves farther between samples was teleported. */
const STEP = 90;
/** The limit for a recording of many hours, because heartbeats wait meanwhile. */
const MOST = 200_000;

/**
 * Returns the air between players: along shots that hit without a wall in between, and along their sights of each
 * other.
 */
export function* openAir(match: SceneMatch): Generator<OpenAir> {
  for (const [from, to] of clearShots(match)) yield [from, to, to];
  let left = MOST;
  for (const { player, by, startTick, endTick } of match.sights) {
    let before: Line | null = null;
    for (let tick = startTick; tick <= Math.max(startTick, endTick - LATE_TICKS) && left > 0; tick += EVERY_TICKS) {
      const line = lineBetween(match, by, player, tick);
      if (line !== null) {
        left--;
        yield* sweep(before ?? line, line);
      }
      before = line;
    }
  }
}

type Line = readonly [from: PlayerState, to: PlayerState];

/** Everything between two consecutive lines is air. */
function* sweep([from, to]: Line, [nextFrom, nextTo]: Line): Generator<OpenAir> {
  yield [nextFrom, nextTo, nextTo];
  if (Math.max(distance(from, nextFrom), distance(to, nextTo)) > STEP) return;
  yield [from, to, nextTo];
  yield [from, nextTo, nextFrom];
}

function* clearShots(match: SceneMatch): Generator<Line> {
  const walled = new Set(match.kills.flatMap(({ wallbang, tick, victim }) => (wallbang ? [`${tick} ${victim}`] : [])));
  for (const { tick, attacker, victim, weapon } of match.hurts) {
    if (attacker === null || attacker === victim || NO_GUN.test(weapon) || walled.has(`${tick} ${victim}`)) continue;
    const line = lineBetween(match, attacker, victim, tick - 1);
    if (line !== null) yield line;
  }
}

/** Returns null for a line that does not follow the floor. */
function lineBetween(match: SceneMatch, by: PlayerIndex, player: PlayerIndex, tick: number): Line | null {
  const from = playerAt(match, by, tick);
  const to = playerAt(match, player, tick);
  if (from?.alive !== true || to?.alive !== true || Math.abs(from.z - to.z) > RISE) return null;
  return distance(from, to) > LENGTH ? null : [from, to];
}

function distance(a: PlayerState, b: PlayerState): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * Calls `visit` for each cell of a grid that a triangle touches, row by row. Coordinates are cells from the first one.
 */
export function fillTriangle(
  corners: readonly { readonly x: number; readonly y: number }[],
  width: number,
  height: number,
  visit: (column: number, row: number) => void,
): void {
  const ys = corners.map(({ y }) => y);
  const last = Math.min(Math.round(Math.max(...ys)), height - 1);
  for (let row = Math.max(Math.round(Math.min(...ys)), 0); row <= last; row++) {
    let west = Infinity;
    let east = -Infinity;
    const reach = (x: number): void => {
      west = Math.min(west, x);
      east = Math.max(east, x);
    };
    for (const [i, a] of corners.entries()) {
      const b = corners[(i + 1) % corners.length] ?? a;
      if (Math.abs(a.y - row) <= 0.5) reach(a.x);
      for (const border of [row - 0.5, row + 0.5]) {
        if ((a.y - border) * (b.y - border) < 0) reach(a.x + ((b.x - a.x) * (border - a.y)) / (b.y - a.y));
      }
    }
    const end = Math.min(Math.round(east), width - 1);
    for (let column = Math.max(Math.round(west), 0); column <= end; column++) visit(column, row);
  }
}
