import { expect, test } from 'vitest';
import { createSeries, createSoftSeries, STEP, sampleTicks, smoothed } from '#scene/camera/camera.ts';

test('samples lie a step apart and cover the whole span', () => {
  expect(sampleTicks(10, 10 + 2 * STEP)).toEqual([10, 10 + STEP, 10 + 2 * STEP]);
  expect(sampleTicks(10, 11)).toEqual([10, 10 + STEP]);
});

test('a series is read between its samples, and stays what it was before and after them', () => {
  const series = createSeries(100, Float64Array.of(0, 8, 4));
  expect(
    [90, 100, 100 + STEP / 4, 100 + STEP, 100 + 1.5 * STEP, 100 + 2 * STEP, 999].map((tick) => series.at(tick)),
  ).toEqual([0, 0, 2, 8, 6, 4, 4]);
});

test('a soft series keeps what is even, and its speed never jumps', () => {
  const even = createSoftSeries(0, new Float64Array(9).fill(3));
  expect([-5, 0, 7, 16, 99].map((tick) => even.at(tick))).toEqual([3, 3, 3, 3, 3]);
  const bump = createSoftSeries(0, Float64Array.of(0, 0, 0, 0, 8, 0, 0, 0, 0));
  const speed = (tick: number) => (bump.at(tick + 1e-4) - bump.at(tick - 1e-4)) / 2e-4;
  for (let i = 1; i < 8; i++) expect(speed(i * STEP - 1e-3)).toBeCloseTo(speed(i * STEP + 1e-3), 2);
  expect(bump.at(4 * STEP)).toBeCloseTo((8 * 4) / 6);
});

test('smoothing keeps what is even, spreads a jump to both sides alike, and looks as far back as ahead', () => {
  const step = Float64Array.from({ length: 21 }, (_, i) => (i < 10 ? 0 : 1));
  const soft = smoothed(step, 4);
  expect([...soft.subarray(0, 6)]).toEqual([0, 0, 0, 0, 0, 0]);
  expect([...soft.subarray(14)].every((value) => Math.abs(value - 1) < 1e-12)).toBe(true);
  expect([...soft]).toEqual([...soft].toSorted((a, b) => a - b));
  for (let i = 0; i < 20; i++) expect((soft[i] ?? 0) + (soft[19 - i] ?? 0)).toBeCloseTo(1, 9);
});
