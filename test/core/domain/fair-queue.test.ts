import { describe, expect, it } from 'vitest';
import { advanceTag, isCovered } from '#domain/fair-queue.ts';

const HD = { resolution: 1080, fps: 30 };

describe('a provisioned slot', () => {
  it('covers reserved jobs alone, as long as one is free', () => {
    expect(isCovered({ tier: 'reserved', slots: 2 }, 1)).toBe(true);
    expect(isCovered({ tier: 'reserved', slots: 2 }, 2)).toBe(false);
    expect(isCovered({ tier: 'reserved', slots: 0 }, 0)).toBe(false);
    expect(isCovered({ tier: 'metered', slots: 2 }, 0)).toBe(false);
  });

  it('is always free where there is no limit', () => {
    expect(isCovered({ tier: 'reserved', slots: null }, 1_000_000)).toBe(true);
    expect(isCovered({ tier: 'metered', slots: null }, 0)).toBe(false);
  });
});

describe('the start of a job in the queue', () => {
  it('is at the account’s last end, but never before the clock', () => {
    expect(advanceTag(5, 9, HD)).toEqual({ start: 9, next: 10 });
    expect(advanceTag(5, 2, HD)).toEqual({ start: 5, next: 6 });
    expect(advanceTag(5, null, HD)).toEqual({ start: 5, next: 6 });
    expect(advanceTag(0, null, HD)).toEqual({ start: 0, next: 1 });
  });

  it('moves the account on by pixels and frames', () => {
    expect(advanceTag(0, 0, { resolution: 1080, fps: 60 }).next).toBe(2);
    expect(advanceTag(0, 0, { resolution: 2160, fps: 30 }).next).toBe(4);
    expect(advanceTag(0, 0, { resolution: 2160, fps: 15 }).next).toBe(2);
  });
});
