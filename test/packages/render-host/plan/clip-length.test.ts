import { expect, test } from 'vitest';
import { tooLong } from '#domain/plan/clip-length.ts';
import { buildShot } from '../builders.ts';

const shot = (ticks: number) => buildShot({ startTick: 100, endTick: 100 + ticks });
const shots = (count: number, ticks: number) => Array.from({ length: count }, () => shot(ticks));
const SLOW = { tickRate: 64 };

test('a clip of all that the contract admits, 20 segments of 64,000 ticks at 120 frames a second, is rendered', () => {
  expect(tooLong(shots(20, 64_000), SLOW, 120)).toBeNull();
});

test.each([
  ['a second more', shots(20, 64_004), SLOW, 120, '20001 seconds, and 20000 is the most'],
  ['a recording that claims a tick a second', shots(1, 64_000), { tickRate: 1 }, 5, '64000 seconds'],
  ['takes without number', shots(1001, 64), SLOW, 30, '1001 shots, and 1000 is the most'],
])('%s is clip_too_long', (_what, long, match, fps, detail) => {
  expect(tooLong(long, match, fps)).toMatchObject({
    ok: false,
    code: 'clip_too_long',
    detail: expect.stringContaining(detail),
  });
});

test('a lower limit of the account replaces that of the host', () => {
  expect(tooLong(shots(1, 640), SLOW, 60, {}, 600)).toBeNull();
  expect(tooLong(shots(1, 640), SLOW, 61, {}, 600)).toMatchObject({
    facts: { unit: 'frames', length: 610, most: 600 },
  });
  expect(tooLong(shots(1, 640), SLOW, 60, { frames: 500 }, 600)).toMatchObject({ facts: { most: 500 } });
});

test('the operator may have less, in seconds and in frames', () => {
  expect(tooLong(shots(2, 640), SLOW, 30, { seconds: 20 })).toBeNull();
  expect(tooLong(shots(2, 640), SLOW, 30, { seconds: 19 })).toMatchObject({ code: 'clip_too_long' });
  expect(tooLong(shots(2, 640), SLOW, 30, { frames: 600 })).toBeNull();
  expect(tooLong(shots(2, 640), SLOW, 31, { frames: 600 })).toMatchObject({ detail: expect.stringMatching(/620 fr/) });
});
