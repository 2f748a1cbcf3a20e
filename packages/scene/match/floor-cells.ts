import type { MapOutline } from './match.ts';

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/**
 * Returns the middles of the squares, `wide` units wide on a grid from the origin, whose middle is in an area; some of
 * them more than once.
 */
export function* floorCells(areas: MapOutline['areas'], wide: number): Generator<Spot> {
  const cornerOf = (area: readonly number[], i: number): Spot => ({
    ...{ x: area[3 * i] ?? 0, y: area[3 * i + 1] ?? 0 },
    z: area[3 * i + 2] ?? 0,
  });
  for (const area of areas) {
    const first = cornerOf(area, 0);
    // A convex polygon is a fan of triangles.
    for (let i = 2; i < area.length / 3; i++) yield* cellsOf(first, cornerOf(area, i - 1), cornerOf(area, i), wide);
  }
}

function* cellsOf(a: Spot, b: Spot, c: Spot, wide: number): Generator<Spot> {
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
