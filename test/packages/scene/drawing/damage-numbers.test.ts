import { expect, test } from 'vitest';
import { flightOf } from '#scene/drawing/kill-marks.ts';

const STYLE = { from: 50, flight: 30, size: 30, pop: 10 };
const away = ({ x, y }: { x: number; y: number }) => Math.hypot(x, y);

test('a number starts near and comes to rest farther away, larger in a larger picture', () => {
  const path = [0, 0.1, 0.3, 0.5, 1].map((since) => away(flightOf(0, since, STYLE, 1)));
  expect(path.at(0)).toBeCloseTo(50, 9);
  expect(path).toEqual(path.toSorted((a, b) => a - b));
  expect(path.slice(-2)).toEqual([expect.closeTo(80, 9), expect.closeTo(80, 9)]);
  expect(away(flightOf(0, 1, STYLE, 2))).toBeCloseTo(160, 9);
});

test('five hits in a row fly to the right in five directions, up and down by turns, then the first comes again', () => {
  const ends = [0, 1, 2, 3, 4].map((nth) => flightOf(nth, 1, STYLE, 1));
  expect(ends.map(({ y }) => Math.sign(Math.round(y)) + 0)).toEqual([-1, 1, -1, 1, 0]);
  expect(ends.every(({ x }) => x > 0)).toBe(true);
  for (const [i, a] of ends.entries())
    for (const b of ends.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(30);
  expect(flightOf(5, 1, STYLE, 1)).toEqual(ends[0]);
});
