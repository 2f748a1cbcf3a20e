import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distanceTransform } from '#scene/map/footprint.ts';

/** Computes the distances by comparing each pair of cells. */
function bySearch(isSet: Uint8Array, width: number): number[] {
  const set = [...isSet.keys()].filter((i) => isSet[i] === 1).map((i) => [i % width, Math.floor(i / width)] as const);
  return Array.from(isSet, (_, i) =>
    Math.min(...set.map(([x, y]) => Math.hypot(x - (i % width), y - Math.floor(i / width)))),
  );
}

test('every cell is as far from the nearest set one as a search finds, and names one that is so far', () => {
  const grid = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
    .chain(([width, height]) =>
      fc.record({
        width: fc.constant(width),
        height: fc.constant(height),
        cells: fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: width * height, maxLength: width * height }),
      }),
    )
    .filter(({ cells }) => cells.includes(1));
  fc.assert(
    fc.property(grid, ({ width, height, cells }) => {
      const isSet = Uint8Array.from(cells);
      const { distance, nearest } = distanceTransform(isSet, width, height);
      for (const [i, expected] of bySearch(isSet, width).entries()) {
        expect(distance[i]).toBeCloseTo(expected, 5);
        const to = nearest[i] ?? -1;
        expect(isSet[to]).toBe(1);
        const apart = Math.hypot((to % width) - (i % width), Math.floor(to / width) - Math.floor(i / width));
        expect(apart).toBeCloseTo(expected, 5);
      }
    }),
    { numRuns: 200 },
  );
});

test('a grid with nothing set is far from everything', () => {
  expect([...distanceTransform(new Uint8Array(6), 3, 2).distance].every((distance) => distance > 1e5)).toBe(true);
});
