import { expect, it } from 'vitest';
import { createPace } from '#domain/pace.ts';

const T0 = 1_800_000_000_000;
const MINUTE = 60_000;

function paceOf(times: readonly number[]) {
  const pace = createPace();
  for (const time of times) pace.note(time);
  return pace;
}

it('estimates by the jobs that left in the last ten minutes', () => {
  const pace = paceOf([T0, T0 + MINUTE, T0 + 2 * MINUTE, T0 + 3 * MINUTE]);
  expect(pace.estimateBehind(5, T0 + 4 * MINUTE)).toEqual({ position: 6, estimateS: 360 });
  expect(pace.estimateBehind(0, T0 + 10 * MINUTE)).toEqual({ position: 1, estimateS: 180 });
});

it('estimates nothing after fewer than three, and has no place for a job that does not wait', () => {
  expect(paceOf([]).estimateBehind(0, T0)).toEqual({ position: 1, estimateS: null });
  expect(paceOf([T0, T0]).estimateBehind(0, T0)).toEqual({ position: 1, estimateS: null });
  expect(paceOf([T0, T0, T0]).estimateBehind(null, T0)).toBeNull();
});

it('remembers the last 64', () => {
  const times = Array.from({ length: 65 }, (_, n) => T0 + n * 1000);
  expect(paceOf(times.slice(0, 64)).estimateBehind(639, T0 + 128_000)?.estimateS).toBe(1280);
  expect(paceOf(times).estimateBehind(639, T0 + 129_000)?.estimateS).toBe(1280);
});
