import { expect, it } from 'vitest';
import { createRateWindow } from '../../domain/rate-window.ts';
import { T0 } from './builders.ts';

const POLICY = { name: 'things', limit: 2, windowMs: 60_000 };

it('lets as many through in a window, says how long to wait, and begins anew', () => {
  const window = createRateWindow(POLICY);
  expect(window.waitOf('a', T0)).toBe(0);
  window.count('a', T0);
  expect(window.waitOf('a', T0 + 1)).toBe(0);
  window.count('a', T0 + 1);
  expect(window.waitOf('a', T0 + 20_000)).toBe(40_000);
  expect(window.waitOf('b', T0 + 20_000)).toBe(0);
  expect(window.waitOf('a', T0 + 60_000)).toBe(0);
  window.count('a', T0 + 60_000);
  expect(window.waitOf('a', T0 + 60_001)).toBe(0);
});

it('is full at once where somebody who counts for more says so', () => {
  const window = createRateWindow(POLICY);
  window.fill('a', T0);
  expect(window.waitOf('a', T0)).toBe(60_000);
});

it('forgets the oldest key when there are too many, and no other', () => {
  const window = createRateWindow(POLICY, 3);
  for (const key of ['a', 'b', 'c', 'd']) window.fill(key, T0);
  expect(['a', 'b', 'c', 'd'].map((key) => window.waitOf(key, T0) > 0)).toEqual([false, true, true, true]);
});
