import { AREAS } from './areas.ts';

/** The width in units of a square of the grid of floor and walls. */
const SQUARE = 20;
const WEST = Math.min(...AREAS.map((area) => area.west)) - SQUARE;
const SOUTH = Math.min(...AREAS.map((area) => area.south)) - SQUARE;
const COLUMNS = Math.ceil((Math.max(...AREAS.map((area) => area.east)) - WEST) / SQUARE) + 1;
const ROWS = Math.ceil((Math.max(...AREAS.map((area) => area.north)) - SOUTH) / SQUARE) + 1;

const floor = new Uint8Array(COLUMNS * ROWS);
for (const area of AREAS) {
  for (
    let row = Math.ceil((area.south - SOUTH) / SQUARE);
    row <= Math.floor((area.north - SOUTH) / SQUARE) - 1;
    row++
  ) {
    const start = row * COLUMNS;
    floor.fill(1, start + Math.ceil((area.west - WEST) / SQUARE), start + Math.floor((area.east - WEST) / SQUARE));
  }
}

/** Whether a player can stand there. */
export function isFloor(x: number, y: number): boolean {
  const column = Math.floor((x - WEST) / SQUARE);
  const row = Math.floor((y - SOUTH) / SQUARE);
  if (column < 0 || column >= COLUMNS || row < 0 || row >= ROWS) return false;
  return floor[row * COLUMNS + column] === 1;
}

/** Whether only floor is between two positions. */
export function inSight(x1: number, y1: number, x2: number, y2: number): boolean {
  const steps = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / SQUARE);
  for (let step = 1; step < steps; step++) {
    const part = step / steps;
    if (!isFloor(x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)) return false;
  }
  return true;
}
