import fc from 'fast-check';
import { expect, it } from 'vitest';
import { momentOf, shotsIn, WHOLE } from '#src/browser/scripts/replay/moment.ts';
import { windowAt } from '#src/browser/scripts/replay/windows.ts';

const moment = (query: string) => momentOf(Object.fromEntries(new URLSearchParams(query)));

it('reads ticks and a player, and ignores all else', () => {
  expect(moment('from=640&to=1280&player=3&t=5')).toEqual({ from: 640, to: 1280, player: 3 });
  expect(moment('from=-1&to=1e9&player=x')).toEqual(WHOLE);
  expect(moment('from=900&to=900')).toEqual({ from: 900, to: null, player: null });
  expect(momentOf({ from: 64, to: null, player: 0 })).toEqual({ from: 64, to: null, player: 0 });
});

const SHOTS = [
  { startTick: 100, endTick: 200, pov: 1, speeds: [] },
  { startTick: 400, endTick: 500, pov: 2, speeds: [] },
];

it('cuts the shots to the moment, seen by its player', () => {
  expect(shotsIn(SHOTS, { from: 150, to: 450, player: null }, 10)).toEqual([
    { ...SHOTS[0], startTick: 150 },
    { ...SHOTS[1], endTick: 450 },
  ]);
  expect(shotsIn(SHOTS, { from: 120, to: 180, player: 7 }, 10)).toEqual([
    { startTick: 120, endTick: 180, pov: 7, speeds: [] },
  ]);
});

it('shows all of its shots for a moment that none has, and ignores a player that it does not have', () => {
  expect(shotsIn(SHOTS, { from: 250, to: 300, player: 10 }, 10)).toEqual(SHOTS);
});

it('has each tick of a shot in one window, whose needed ticks are around it and in the shot', () => {
  const span = fc.record({ startTick: fc.nat(100_000), length: fc.integer({ min: 1, max: 200_000 }) });
  fc.assert(
    fc.property(span, fc.double({ min: 0, max: 1, noNaN: true }), ({ startTick, length }, part) => {
      const shot = { startTick, endTick: startTick + length };
      const { shown, needed } = windowAt(shot, startTick + part * length, 64);
      expect(shown.startTick).toBeLessThanOrEqual(startTick + part * length);
      expect(shown.endTick).toBeGreaterThanOrEqual(startTick + part * length);
      expect(shown.endTick - shown.startTick).toBeLessThanOrEqual(640);
      expect(shown.endTick).toBeGreaterThan(shown.startTick);
      expect(needed.startTick).toBe(Math.max(startTick, shown.startTick - 384));
      expect(needed.endTick).toBe(Math.min(shot.endTick, shown.endTick + 192));
      // The next window begins where this one ends.
      if (shown.endTick < shot.endTick) expect(windowAt(shot, shown.endTick, 64).shown.startTick).toBe(shown.endTick);
    }),
  );
});
