import { type SceneMatch, TRACK_ALIVE } from './match.ts';

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
const SAMPLE_TICKS = 4;
/** The limit for a recording of many hours, because heartbeats wait meanwhile. */
const MOST_SAMPLES = 1_500_000;

/** Returns where the players of a match walked: `most` cells at most. */
export function walkedCells(
  { tracks, walked }: Pick<SceneMatch, 'tracks' | 'walked'>,
  most: number,
): ReadonlySet<Cell> {
  if (walked !== undefined) return new Set(walked.subarray(0, most));
  const cells = new Set<Cell>();
  const step = Math.max(SAMPLE_TICKS, Math.ceil(tracks.flags.length / MOST_SAMPLES));
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
export function middleOf(cell: Cell): { readonly x: number; readonly y: number; readonly z: number } {
  const column = cell >>> (ROW_BITS + STOREY_BITS);
  const row = (cell >>> STOREY_BITS) & (ROWS - 1);
  const storey = cell & (STOREYS - 1);
  return {
    x: (column + 0.5) * WIDE - REACH,
    y: (row + 0.5) * WIDE - REACH,
    z: (storey + 0.5) * HIGH - REACH,
  };
}
