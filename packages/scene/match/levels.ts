import { type MapOutline, type Position, type SceneMatch, TRACK_ALIVE } from './match.ts';

/** A cell that a player walked, `WIDE` units wide and `HIGH` high, in 32 bits: column, row and storey. */
export type Cell = number;

const WIDE = 16;
const HIGH = 32;
/** The farthest distance of a map from the origin. */
const REACH = 16_384;
const ROW_BITS = 11;
const STOREY_BITS = 10;
const ROWS = (2 * REACH) / WIDE;
const STOREYS = (2 * REACH) / HIGH;
/** A running player crosses a cell in four ticks. */
const WALK_TICKS = 4;
/** The limit for a recording of many hours, because heartbeats wait meanwhile. */
const MOST_SAMPLES = 1_500_000;

/** Returns where the players of a match walked: `most` cells at most. */
export function walkedCells(
  { tracks, walked }: Pick<SceneMatch, 'tracks' | 'walked'>,
  most: number,
): ReadonlySet<Cell> {
  if (walked !== undefined) return new Set(walked.subarray(0, most));
  const cells = new Set<Cell>();
  const step = Math.max(WALK_TICKS, Math.ceil(tracks.flags.length / MOST_SAMPLES));
  for (let i = 0; i < tracks.flags.length && cells.size < most; i += step) {
    if (((tracks.flags[i] ?? 0) & TRACK_ALIVE) === 0) continue;
    const cell = cellAt(tracks.x[i] ?? 0, tracks.y[i] ?? 0, tracks.z[i] ?? 0);
    if (cell !== null) cells.add(cell);
  }
  return cells;
}

/** Returns null for a position outside of each map. */
function cellAt(x: number, y: number, z: number): Cell | null {
  const column = Math.floor((x + REACH) / WIDE);
  const row = Math.floor((y + REACH) / WIDE);
  const storey = Math.floor((z + REACH) / HIGH);
  const isInside = (at: number, count: number): boolean => at >= 0 && at < count;
  if (!isInside(column, ROWS) || !isInside(row, ROWS) || !isInside(storey, STOREYS)) return null;
  return ((column << (ROW_BITS + STOREY_BITS)) | (row << STOREY_BITS) | storey) >>> 0;
}

/** Returns the middle of a cell. */
export function middleOf(cell: Cell): Position {
  const column = cell >>> (ROW_BITS + STOREY_BITS);
  const row = (cell >>> STOREY_BITS) & (ROWS - 1);
  const storey = cell & (STOREYS - 1);
  return {
    x: (column + 0.5) * WIDE - REACH,
    y: (row + 0.5) * WIDE - REACH,
    z: (storey + 0.5) * HIGH - REACH,
  };
}

/**
 * Returns the middles of the squares, `wide` units wide on a grid from the origin, whose middle is in an area; some of
 * them more than once.
 */
export function* floorCells(areas: MapOutline['areas'], wide: number): Generator<Position> {
  const cornerOf = (area: readonly number[], i: number): Position => ({
    x: area[3 * i] ?? 0,
    y: area[3 * i + 1] ?? 0,
    z: area[3 * i + 2] ?? 0,
  });
  for (const area of areas) {
    const first = cornerOf(area, 0);
    // A convex polygon is a fan of triangles.
    for (let i = 2; i < area.length / 3; i++) yield* cellsOf(first, cornerOf(area, i - 1), cornerOf(area, i), wide);
  }
}

function* cellsOf(a: Position, b: Position, c: Position, wide: number): Generator<Position> {
  const size = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (size === 0) return;
  const middles = (least: number, most: number): number[] => {
    const from = Math.ceil(least / wide - 0.5);
    return Array.from({ length: Math.floor(most / wide - 0.5) - from + 1 }, (_, i) => (from + i + 0.5) * wide);
  };
  const ys = middles(Math.min(a.y, b.y, c.y), Math.max(a.y, b.y, c.y));
  for (const x of middles(Math.min(a.x, b.x, c.x), Math.max(a.x, b.x, c.x))) {
    for (const y of ys) {
      // The parts of b and c in the point: barycentric coordinates.
      const ofB = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / size;
      const ofC = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / size;
      if (ofB < 0 || ofC < 0 || ofB + ofC > 1) continue;
      yield { x, y, z: a.z + ofB * (b.z - a.z) + ofC * (c.z - a.z) };
    }
  }
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
  isFloorBetween(from: Position, to: Position): boolean;
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

function* walkedSpots({ tracks, walked }: SceneMatch): Generator<Position> {
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

function columnsOf(spots: Iterable<Position>): Columns {
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
