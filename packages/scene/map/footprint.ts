import type { Bounds } from '../camera/camera.ts';
import { clamp } from '../drawing/ease.ts';
import { floorCells } from '../match/floor-cells.ts';
import { type SceneMatch, TRACK_ALIVE } from '../match/match.ts';
import { type Cell, middleOf, walkedCells } from '../match/walked-cells.ts';
import { distanceTransform } from './distance-transform.ts';
import { fillTriangle, openAir } from './open-air.ts';

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
