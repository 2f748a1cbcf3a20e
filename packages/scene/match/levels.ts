import { floorCells } from './floor-cells.ts';
import { type MapOutline, type SceneMatch, TRACK_ALIVE } from './match.ts';
import { middleOf } from './walked-cells.ts';

interface Point {
  readonly x: number;
  readonly y: number;
  /** Of the feet. */
  readonly z: number;
}

/** The overlapping floors of a map; one if none overlap. */
export interface Levels {
  /** Heights between two levels, ascending: none or one. */
  readonly splits: readonly number[];
  /** Returns the level of a height; 0 is the lowest. */
  levelAt(z: number): number;
  /** Returns where players walked on a level: the lowest height of its floor by cell. */
  footprint(level: number): ReadonlyMap<CellKey, number>;
  /** Whether a floor is between two players. */
  isFloorBetween(from: Point, to: Point): boolean;
}

/** `column:row` of a square of `CELL` units. */
export type CellKey = string;
const CELL = 64;

/** Maps with known floors, even if the match did not use them. */
const KNOWN_SPLITS: Readonly<Record<string, number>> = { de_nuke: -495, de_vertigo: 11_700 };

const SAMPLE_TICKS = 8;
const BIN = 16;
/** The least range of heights without players that separates two floors: a player is 72 units high, and a jump less. */
const LEAST_GAP = 112;
/** The part of the smaller level's floor that the other one overlaps; more than a bridge. */
const LEAST_OVERLAP = 0.15;
const FEWEST_CELLS = 12;
/** The largest part of all samples around the split: those on stairs. */
const MOST_ON_STAIRS = 0.06;

/** Units of a player's eyes above their feet, and the least thickness of a floor. */
const EYES = 60;
const SLAB = 16;
const STEP = 24;

/** Finds the levels of a map from where its players walked, or takes those of its outline. */
export function readLevels(match: SceneMatch): Levels {
  const { map, outline } = match;
  const columns = columnsOf(outline === undefined ? walkedSpots(match) : floorCells(outline.areas, CELL));
  const splits = outline?.splits ?? splitsOf(map, columns);
  const levelAt = (z: number): number => splits.filter((height) => z >= height).length;
  const floors = splits.concat(Infinity).map((_, level) => floorOf(columns, (z) => levelAt(z) === level));
  const upper = widened(floors.at(-1) ?? new Map());

  return {
    splits,
    levelAt,
    footprint: (level) => floors[level] ?? new Map(),
    isFloorBetween(from, to) {
      if (levelAt(from.z) === levelAt(to.z)) return false;
      const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / STEP));
      let above: boolean | null = null;
      for (let i = 0; i <= steps; i++) {
        const part = i / steps;
        const floor = upper.get(keyOf(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part));
        const z = from.z + (to.z - from.z) * part + EYES;
        const now: boolean | null = floor === undefined ? null : z > floor - SLAB;
        // Without a known floor the line may pass through a hole, or over an edge.
        if (above !== null && now !== null && above !== now) return true;
        above = now;
      }
      return false;
    },
  };
}

/** Returns the heights between the levels of an outline's areas. */
export function outlineSplits(map: string, areas: MapOutline['areas']): readonly number[] {
  return splitsOf(map, columnsOf(floorCells(areas, CELL)));
}

function splitsOf(map: string, columns: Columns): readonly number[] {
  const split = KNOWN_SPLITS[map] ?? findSplit(columns);
  return split === null ? [] : [split];
}

function* walkedSpots({ tracks, walked }: SceneMatch): Generator<Point> {
  if (walked !== undefined) {
    for (const cell of walked) yield middleOf(cell);
    return;
  }
  for (let at = 0; at < tracks.flags.length; at += SAMPLE_TICKS) {
    if (((tracks.flags[at] ?? 0) & TRACK_ALIVE) === 0) continue;
    yield { x: tracks.x[at] ?? 0, y: tracks.y[at] ?? 0, z: tracks.z[at] ?? 0 };
  }
}

/** The heights of the floor in bins, by cell. */
type Columns = ReadonlyMap<CellKey, ReadonlySet<number>>;

function columnsOf(spots: Iterable<Point>): Columns {
  const columns = new Map<CellKey, Set<number>>();
  for (const { x, y, z } of spots) {
    const key = keyOf(x, y);
    const bin = Math.floor(z / BIN);
    const bins = columns.get(key);
    if (bins === undefined) columns.set(key, new Set([bin]));
    else bins.add(bin);
  }
  return columns;
}

/** Returns the height at which most columns have two floors; null if too few have. */
function findSplit(columns: Columns): number | null {
  const votes = new Map<number, number>();
  for (const bins of columns.values()) {
    const heights = [...bins].sort((a, b) => a - b);
    for (const [at, bin] of heights.entries()) {
      const next = heights[at + 1];
      if (next === undefined || (next - bin) * BIN < LEAST_GAP) continue;
      for (let between = bin + 1; between <= next; between++) votes.set(between, (votes.get(between) ?? 0) + 1);
    }
  }
  const most = Math.max(0, ...votes.values());
  const best = [...votes].flatMap(([bin, count]) => (count === most ? [bin] : [])).sort((a, b) => a - b);
  const middle = best[Math.floor(best.length / 2)];
  if (middle === undefined || most < FEWEST_CELLS) return null;
  const all = [...columns.values()];
  const below = all.filter((bins) => [...bins].some((bin) => bin < middle)).length;
  const above = all.filter((bins) => [...bins].some((bin) => bin >= middle)).length;
  const heights = all.flatMap((bins) => [...bins]);
  const onStairs = heights.filter((bin) => Math.abs(bin - middle) <= 1).length / heights.length;
  return most < LEAST_OVERLAP * Math.min(below, above) || onStairs > MOST_ON_STAIRS ? null : middle * BIN;
}

function floorOf(columns: Columns, isOn: (z: number) => boolean): ReadonlyMap<CellKey, number> {
  const floor = new Map<CellKey, number>();
  for (const [key, bins] of columns) {
    const lowest = Math.min(...[...bins].filter((bin) => isOn((bin + 0.5) * BIN)));
    if (Number.isFinite(lowest)) floor.set(key, lowest * BIN);
  }
  return floor;
}

/** Returns the floor with the cells around it, because nobody walks on all of it. */
function widened(floor: ReadonlyMap<CellKey, number>): ReadonlyMap<CellKey, number> {
  const wide = new Map(floor);
  for (const [key, height] of floor) {
    const [column = 0, row = 0] = key.split(':').map(Number);
    for (let x = column - 1; x <= column + 1; x++) {
      for (let y = row - 1; y <= row + 1; y++) if (!wide.has(`${x}:${y}`)) wide.set(`${x}:${y}`, height);
    }
  }
  return wide;
}

function keyOf(x: number, y: number): CellKey {
  return `${Math.floor(x / CELL)}:${Math.floor(y / CELL)}`;
}
