import { describe, expect, it } from 'vitest';
import { createRateBuckets } from '#domain/rate-buckets.ts';
import { T0 } from './builders.ts';

const POLICY = { name: 'things', limit: 2, windowMs: 60_000 };

/** Counts the allowed calls of a client that tries every `everyMs` milliseconds in a span of time. */
function through(limit: number, everyMs: number, fromMs: number, untilMs: number): number {
  const buckets = createRateBuckets({ name: 'things', limit, windowMs: 60_000 });
  let taken = 0;
  for (let at = 0; at < untilMs; at += everyMs) {
    if (buckets.waitOf('a', T0 + at) > 0) continue;
    buckets.count('a', T0 + at);
    if (at >= fromMs) taken++;
  }
  return taken;
}

describe('a limit', () => {
  it('lets as many through at once, says how long to wait, and lets one more through after that', () => {
    const buckets = createRateBuckets(POLICY);
    expect(buckets.waitOf('a', T0)).toBe(0);
    buckets.count('a', T0);
    expect(buckets.waitOf('a', T0)).toBe(0);
    buckets.count('a', T0);
    expect(buckets.waitOf('a', T0)).toBe(30_000);
    expect(buckets.waitOf('a', T0 + 20_000)).toBe(10_000);
    expect(buckets.waitOf('b', T0 + 20_000)).toBe(0);
    expect(buckets.waitOf('a', T0 + 30_000)).toBe(0);
    buckets.count('a', T0 + 30_000);
    expect(buckets.waitOf('a', T0 + 30_000)).toBe(30_000);
    expect(buckets.waitOf('a', T0 + 90_000)).toBe(0);
  });

  it.each([1, 7, 2400])('of %d a minute is told in whole milliseconds that are long enough', (limit) => {
    const buckets = createRateBuckets({ ...POLICY, limit });
    let now = T0;
    for (let i = 0; i < 3 * limit; i++) {
      now += buckets.waitOf('a', now);
      expect(buckets.waitOf('a', now)).toBe(0);
      buckets.count('a', now);
    }
    expect(now - T0).toBeGreaterThanOrEqual(120_000);
    expect(now - T0).toBeLessThan(120_000 + 3 * limit);
  });

  it('is never taken twice within a second by a flooding client, except in the first window', () => {
    const MINUTE = 60_000;
    expect(through(600, 10, 0, MINUTE)).toBeLessThanOrEqual(1200);
    for (let second = 60; second < 200; second++) {
      expect(through(600, 10, second * 1000, (second + 1) * 1000)).toBeLessThanOrEqual(11);
    }
    expect(through(600, 10, MINUTE, 6 * MINUTE)).toBe(3000);
  });

  it('is full for a window if a counter of higher rank refuses', () => {
    const buckets = createRateBuckets(POLICY);
    buckets.fill('a', T0);
    expect(buckets.waitOf('a', T0)).toBe(60_000);
    expect(buckets.waitOf('a', T0 + 60_000)).toBe(0);
  });

  it('is not retried sooner if the clock goes back', () => {
    const buckets = createRateBuckets(POLICY);
    buckets.fill('a', T0);
    expect(buckets.waitOf('a', T0 - 5000)).toBe(60_000);
  });

  it('evicts only the oldest key when there are too many', () => {
    const buckets = createRateBuckets(POLICY, 3);
    for (const key of ['a', 'b', 'c', 'd']) buckets.fill(key, T0);
    expect(['a', 'b', 'c', 'd'].map((key) => buckets.waitOf(key, T0) > 0)).toEqual([false, true, true, true]);
    // A known key evicts none, and an empty bucket is like a new one.
    buckets.count('c', T0);
    for (const key of ['b', 'e']) buckets.fill(key, T0 + 200_000);
    expect(['b', 'c', 'd', 'e'].map((key) => buckets.waitOf(key, T0) > 0)).toEqual([true, false, true, true]);
  });
});
