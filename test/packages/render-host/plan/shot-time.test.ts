import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cardsOf, tooLong } from '#domain/clip/plan/clip-length.ts';
import { lowestSpeed, secondAt, shotSeconds, stretchesOf, tickAt } from '#domain/clip/plan/shot-time.ts';
import { NO_CARDS } from '#test/support/plain-order.ts';
import { buildShot } from '../builders.ts';

const speed = fc.double({ min: 0.1, max: 4, noNaN: true });
const knots = fc.uniqueArray(fc.integer({ min: -500, max: 2500 }), { minLength: 1, maxLength: 8 });
const shots = fc
  .record({ startTick: fc.nat(500), ticks: fc.integer({ min: 1, max: 1500 }), knots, all: fc.array(speed) })
  .map(({ startTick, ticks, knots, all }) =>
    buildShot({
      startTick,
      endTick: startTick + ticks,
      speeds: knots.toSorted((a, b) => a - b).map((tick, at) => ({ tick, speed: all[at] ?? 1 })),
    }),
  );
const rates = fc.constantFrom(64, 128, 63.9);

describe('the clock of a shot', () => {
  test('turns seconds into ticks and back, in the order of time and within the shot', () => {
    fc.assert(
      fc.property(shots, rates, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (shot, rate, parts) => {
        const { startTick, endTick } = shot;
        const seconds = shotSeconds(shot, rate);
        const ticks = parts.toSorted((a, b) => a - b).map((part) => tickAt(shot, part * seconds, rate));
        expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
        for (const [at, part] of parts.toSorted((a, b) => a - b).entries()) {
          expect(secondAt(shot, ticks[at] ?? 0, rate)).toBeCloseTo(part * seconds, 6);
        }
        expect(Math.min(startTick, ...ticks)).toBe(startTick);
        expect(Math.max(endTick, ...ticks)).toBe(endTick);
        expect(tickAt(shot, seconds + 1, rate)).toBe(endTick);
      }),
    );
  });

  test('has the length of many small steps at the speed of each', () => {
    fc.assert(
      fc.property(shots, (shot) => {
        const steps = 4000;
        const at = stretchesOf(shot).map(({ startTick, endTick, from, to }) => {
          const step = (endTick - startTick) / steps;
          const speeds = Array.from({ length: steps }, (_, i) => from + ((to - from) * (i + 0.5)) / steps);
          return speeds.reduce((sum, own) => sum + step / own, 0);
        });
        const sum = at.reduce((a, b) => a + b, 0) / 64;
        expect(Math.abs(shotSeconds(shot, 64) - sum)).toBeLessThan(1e-4 * sum);
      }),
      { numRuns: 30 },
    );
  });
});

test('stretches are cut at the changes within the shot, and the speed is constant beyond the last', () => {
  const speeds = [
    { tick: 0, speed: 1 },
    { tick: 128, speed: 0.5 },
    { tick: 160, speed: 2 },
  ];
  const shot = buildShot({ startTick: 64, endTick: 256, speeds });
  expect(stretchesOf(shot)).toEqual([
    { startTick: 64, endTick: 128, from: 0.75, to: 0.5 },
    { startTick: 128, endTick: 160, from: 0.5, to: 2 },
    { startTick: 160, endTick: 256, from: 2, to: 2 },
  ]);
  expect(lowestSpeed(shot)).toBe(0.5);
  expect(secondAt(buildShot({ speeds: [{ tick: 9, speed: 0.5 }] }), 0, 64)).toBe(-2);
});

test('intro and title are before the shots and the outro is after them; all count as length', () => {
  const cards = cardsOf({ ...NO_CARDS, watermarkImageId: null, introAssetId: 'a', titleCard: true, outroAssetId: 'b' });
  const card = (kind: string) => ({ kind, seconds: 3 });
  expect(cards).toEqual({ before: [card('intro'), card('title')], after: [card('outro')] });
  expect(cardsOf({ ...NO_CARDS, watermarkImageId: null })).toEqual({ before: [], after: [] });
  const shot = buildShot({ startTick: 0, endTick: 64, speeds: [{ tick: 0, speed: 0.5 }] });
  const all = [...cards.before, ...cards.after];
  expect(tooLong([shot], { tickRate: 64 }, 30, { seconds: 11 }, 330, all)).toBeNull();
  expect(tooLong([shot], { tickRate: 64 }, 30, {}, 329, all)).toMatchObject({ facts: { length: 330 } });
});
