import type { Bounds } from '../camera/camera.ts';
import { clamp } from '../drawing/theme.ts';
import { type Cell, floorCells, middleOf, walkedCells } from '../match/levels.ts';
import { type PlayerIndex, type SceneMatch, TRACK_ALIVE } from '../match/match.ts';
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
function* openAir(match: SceneMatch): Generator<OpenAir> {
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

/**
 * Computes the exact Euclidean distance, in cells, from each cell of a grid to the nearest set cell, and which cell
 * that is. Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions" (2012): one pass over columns, one
 * over rows.
 */
export function distanceTransform(
  isSet: Uint8Array,
  width: number,
  height: number,
): { readonly distance: Float32Array; readonly nearest: Int32Array } {
  const far = 1e12;
  const squared = new Float64Array(width * height);
  const nearest = new Int32Array(width * height);
  const length = Math.max(width, height);
  const work = {
    value: new Float64Array(length),
    from: new Int32Array(length),
    parabola: new Int32Array(length),
    border: new Float64Array(length + 1),
  };
  for (let i = 0; i < squared.length; i++) {
    squared[i] = isSet[i] === 1 ? 0 : far;
    nearest[i] = i;
  }
  // Without a set cell, all are equally far.
  if (isSet.includes(1)) {
    for (let x = 0; x < width; x++) transformLine(squared, nearest, x, width, height, work);
    for (let y = 0; y < height; y++) transformLine(squared, nearest, y * width, 1, width, work);
  }
  const distance = new Float32Array(squared.length);
  for (let i = 0; i < distance.length; i++) distance[i] = Math.sqrt(squared[i] ?? 0);
  return { distance, nearest };
}

interface Work {
  readonly value: Float64Array;
  readonly from: Int32Array;
  readonly parabola: Int32Array;
  readonly border: Float64Array;
}

/** Computes the lower envelope of the parabolas of one line, and writes it back into the line. */
function transformLine(
  squared: Float64Array,
  nearest: Int32Array,
  start: number,
  stride: number,
  count: number,
  { value, from, parabola, border }: Work,
): void {
  for (let i = 0; i < count; i++) {
    value[i] = squared[start + i * stride] ?? 0;
    from[i] = nearest[start + i * stride] ?? 0;
  }
  let k = 0;
  parabola[0] = 0;
  border[0] = -Infinity;
  border[1] = Infinity;
  for (let q = 1; q < count; q++) {
    let meet = intersection(value, q, parabola[k] ?? 0);
    while (meet <= (border[k] ?? 0)) {
      k--;
      meet = intersection(value, q, parabola[k] ?? 0);
    }
    k++;
    parabola[k] = q;
    border[k] = meet;
    border[k + 1] = Infinity;
  }
  k = 0;
  for (let q = 0; q < count; q++) {
    while ((border[k + 1] ?? 0) < q) k++;
    const p = parabola[k] ?? 0;
    squared[start + q * stride] = (q - p) * (q - p) + (value[p] ?? 0);
    nearest[start + q * stride] = from[p] ?? 0;
  }
}

function intersection(value: Float64Array, q: number, p: number): number {
  return ((value[q] ?? 0) + q * q - ((value[p] ?? 0) + p * p)) / (2 * q - 2 * p);
}

/**
 * The known floor of a map on a grid: row by row from the north-west corner. `x` and `y` are the centre of the first
 * cell, `cell` the width of a cell in units.
 */
export interface Footprint {
  readonly x: number;
  readonly y: number;
  readonly cell: number;
  readonly width: number;
  readonly height: number;
  /** Units to the edge of the floor: positive on the floor, negative off it. */
  readonly edge: Float32Array;
  /** How much the edge here faces the light in the north-west, -1 to 1. */
  readonly light: Float32Array;
  /** How high the floor is among the map's floors, 0 to 1. */
  readonly level: Float32Array;
}

/** Units of a cell: of `walked` it is that of its own cells. */
const CELL = { recorded: 10, walked: 16 };
/** Units around the visible part, so that floor outside of it still shapes its edge. */
const MARGIN = 320;
/**
 * Half the width of the floor around a track, in units: `ofOneCell` divided by the walked cells to the power of
 * `falls`. Many minutes of tracks outline a map by themselves. A short demo has single paths, which only look like a
 * place if they are wide. With many known matches, a wall is where nobody comes closer.
 */
const CORRIDOR = { ofOneCell: 2040, falls: 0.388, least: 34, most: 340 };
/** With this many cells the corridor has its least width. */
const MOST_CELLS = (CORRIDOR.ofOneCell / CORRIDOR.least) ** (1 / CORRIDOR.falls);
/**
 * Parts of the corridor's width: half the width around lines of sight and of fire, and how far floor is widened before
 * it is drawn back.
 */
const AIR = 0.42;
const CLOSING = 0.6;
const SAMPLE_TICKS = 2;
/** Units from the edge of an outline to the wall: half the width of a player, whose middle an outline is about. */
const HALF_A_PLAYER = 16;

/**
 * Computes the floor inside `bounds`, at the heights that `isOn` accepts: from the outline of the map, and without one
 * from where players of the match walked and looked, and from `known`, where players of other matches walked. All parts
 * of a recording that have its `walked` cells have the same floor, so where their players looked does not count.
 */
export function createFootprint(
  match: SceneMatch,
  bounds: Bounds,
  isOn: (z: number) => boolean = () => true,
  known: ArrayLike<Cell> = [],
): Footprint {
  const { tracks, outline, walked } = match;
  const cell = walked !== undefined && outline === undefined ? CELL.walked : CELL.recorded;
  const x = bounds.minX - MARGIN;
  const y = bounds.maxY + MARGIN;
  const width = Math.ceil((bounds.maxX - bounds.minX + 2 * MARGIN) / cell);
  const height = Math.ceil((bounds.maxY - bounds.minY + 2 * MARGIN) / cell);
  const visited = new Uint8Array(width * height);
  const altitude = new Float32Array(width * height);
  const visit = (east: number, north: number, z: number): void => {
    const column = Math.round((east - x) / cell);
    const row = Math.round((y - north) / cell);
    if (column < 0 || row < 0 || column >= width || row >= height || !isOn(z)) return;
    const at = row * width + column;
    altitude[at] = visited[at] === 1 ? Math.max(altitude[at] ?? 0, z) : z;
    visited[at] = 1;
  };
  for (let i = 0; i < tracks.flags.length && walked === undefined; i += SAMPLE_TICKS) {
    if (((tracks.flags[i] ?? 0) & TRACK_ALIVE) === 0) continue;
    visit(tracks.x[i] ?? 0, tracks.y[i] ?? 0, tracks.z[i] ?? 0);
  }
  for (const cells of outline === undefined ? [walked ?? [], known] : []) {
    for (let i = 0; i < cells.length; i++) {
      const middle = middleOf(cells[i] ?? 0);
      visit(middle.x, middle.y, middle.z);
    }
  }
  for (const spot of outline === undefined ? [] : floorCells(outline.areas, cell)) visit(spot.x, spot.y, spot.z);
  const air = new Uint8Array(width * height);
  for (const corners of outline === undefined && walked === undefined ? openAir(match) : []) {
    const z = Math.min(...corners.map((corner) => corner.z));
    if (!isOn(z)) continue;
    const inCells = corners.map((corner) => ({ x: (corner.x - x) / cell, y: (y - corner.y) / cell }));
    fillTriangle(inCells, width, height, (column, row) => {
      const at = row * width + column;
      air[at] = 1;
      if (visited[at] === 0) altitude[at] = z;
    });
  }
  const corridor = outline === undefined ? corridorOf(match, known) : HALF_A_PLAYER;
  const toTrack = distanceTransform(visited, width, height);
  const toAir = distanceTransform(air, width, height);
  /** Units from a cell to the end of what is surely floor; negative outside. */
  const inside = toTrack.distance.map((away, i) =>
    Math.max(corridor - away * cell, corridor * AIR - (toAir.distance[i] ?? 0) * cell),
  );
  const edge = roundedEdge(inside, corridor * CLOSING, width, height, cell);
  const nearest = toTrack.nearest.map((at, i) =>
    (toAir.distance[i] ?? 0) < (toTrack.distance[i] ?? 0) ? (toAir.nearest[i] ?? at) : at,
  );
  const isKnown = visited.map((walked, i) => walked | (air[i] ?? 0));
  const level = levels(isKnown, altitude, nearest, width, height);
  return { x, y, cell, width, height, edge, light: lightOn(edge, width, height), level };
}

function corridorOf(match: SceneMatch, known: ArrayLike<Cell>): number {
  const cells = walkedCells(match, MOST_CELLS).size + known.length;
  return clamp(CORRIDOR.ofOneCell / cells ** CORRIDOR.falls, CORRIDOR.least, CORRIDOR.most);
}

/** Rounds the inner corners of the floor's edge: widens it by `reach` units, then draws it back (a closing). */
function roundedEdge(inside: Float32Array, reach: number, width: number, height: number, cell: number): Float32Array {
  const outside = Uint8Array.from(inside, (depth) => (depth < -reach ? 1 : 0));
  const inward = distanceTransform(outside, width, height).distance;
  const edge = inside.map((depth, i) => {
    const widened = (inward[i] ?? 0) * cell;
    return widened > 0 ? Math.min(widened, 4000) - reach : depth;
  });
  return blurred(blurred(edge, width, height, 2), width, height, 2);
}

function levels(
  visited: Uint8Array,
  altitude: Float32Array,
  nearest: Int32Array,
  width: number,
  height: number,
): Float32Array {
  const known = altitude.filter((_, i) => visited[i] === 1).sort();
  const low = known[Math.floor(known.length * 0.05)] ?? 0;
  const high = Math.max(known[Math.floor(known.length * 0.95)] ?? 0, low + 128);
  const spread = new Float32Array(nearest.length);
  for (let i = 0; i < spread.length; i++) {
    spread[i] = clamp(((altitude[nearest[i] ?? 0] ?? 0) - low) / (high - low), 0, 1);
  }
  return blurred(blurred(spread, width, height, 5), width, height, 5);
}

function lightOn(edge: Float32Array, width: number, height: number): Float32Array {
  const light = new Float32Array(edge.length);
  for (let row = 1; row < height - 1; row++) {
    for (let column = 1; column < width - 1; column++) {
      const i = row * width + column;
      const dx = (edge[i + 1] ?? 0) - (edge[i - 1] ?? 0);
      const dy = (edge[i + width] ?? 0) - (edge[i - width] ?? 0);
      const length = Math.hypot(dx, dy);
      light[i] = length < 1e-3 ? 0 : (dx * 0.6 + dy * 0.8) / length;
    }
  }
  return light;
}

/** Returns the mean over a square of `2 * radius + 1` cells. The edge cells continue beyond the grid. */
function blurred(values: Float32Array, width: number, height: number, radius: number): Float32Array {
  const rows = new Float32Array(values.length);
  const both = new Float32Array(values.length);
  for (let y = 0; y < height; y++) slideMean(values, rows, y * width, 1, width, radius);
  for (let x = 0; x < width; x++) slideMean(rows, both, x, width, height, radius);
  return both;
}

function slideMean(
  from: Float32Array,
  to: Float32Array,
  start: number,
  stride: number,
  count: number,
  radius: number,
): void {
  const last = start + (count - 1) * stride;
  const reach = radius * stride;
  let sum = 0;
  for (let i = -radius; i <= radius; i++) sum += from[clamp(start + i * stride, start, last)] ?? 0;
  for (let at = start; at <= last; at += stride) {
    to[at] = sum / (2 * radius + 1);
    const next = at + reach + stride;
    const past = at - reach;
    sum += (from[Math.min(next, last)] ?? 0) - (from[Math.max(past, start)] ?? 0);
  }
}
