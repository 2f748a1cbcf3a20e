import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTimeline } from '#src/browser/scripts/replay/timeline.ts';

const shot = fc
  .record({
    gap: fc.integer({ min: 0, max: 500 }),
    ticks: fc.integer({ min: 2, max: 2000 }),
    speeds: fc.array(
      fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), speed: fc.constantFrom(0.25, 0.5, 1, 2) }),
      {
        maxLength: 3,
      },
    ),
  })
  .map(({ gap, ticks, speeds }) => ({ gap, ticks, speeds: speeds.sort((a, b) => a.part - b.part) }));

/** Shots one after the other. */
const shotsOf = (parts: readonly (typeof shot extends fc.Arbitrary<infer One> ? One : never)[]) => {
  let tick = 0;
  return parts.map(({ gap, ticks, speeds }) => {
    const startTick = tick + gap;
    tick = startTick + ticks;
    return {
      startTick,
      endTick: tick,
      speeds: speeds.map(({ part, speed }) => ({ tick: startTick + Math.round(part * ticks), speed })),
    };
  });
};

it('finds the second of each tick that it shows, and the tick of each second', () => {
  fc.assert(
    fc.property(
      fc.array(shot, { minLength: 1, maxLength: 5 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (parts, part) => {
        const shots = shotsOf(parts);
        const timeline = createTimeline(shots, 64);
        const second = timeline.seconds * part;
        const place = timeline.at(second);
        const { startTick = 0, endTick = 0 } = shots[place.shot] ?? {};
        expect(place.tick).toBeGreaterThanOrEqual(startTick);
        expect(place.tick).toBeLessThanOrEqual(endTick);
        expect(timeline.secondOf(place.tick)).toBeCloseTo(second, 6);
      },
    ),
  );
});

it('shows the nearest tick of its shots for one that it does not show', () => {
  const timeline = createTimeline(
    [
      { startTick: 640, endTick: 1280, speeds: [] },
      { startTick: 6400, endTick: 7040, speeds: [{ tick: 6400, speed: 0.5 }] },
    ],
    64,
  );
  expect(timeline.seconds).toBe(30);
  expect([0, 640, 960, 1300, 6000, 6720, 9000].map(timeline.secondOf)).toEqual([0, 0, 5, 10, 10, 20, 30]);
  expect(timeline.at(-1)).toEqual({ shot: 0, tick: 640 });
  expect(timeline.at(99)).toEqual({ shot: 1, tick: 7040 });
});
