import { expect, test } from 'vitest';
import { createDamageTicker } from '#render-host/capture/cs2/footage/footage-overlay.ts';
import { buildHurt, buildMatch, buildShot } from '../builders.ts';

/** Returns the ticks of a shot, every fourth, at which there is a number to see. */
function shownTicks(hurt: Parameters<typeof buildHurt>[0], pov = 0): number[] {
  const shots = [buildShot({ endTick: 300, pov, subject: 0 })];
  const ticker = createDamageTicker(buildMatch({ hurts: [buildHurt(hurt)] }), shots, 1);
  return Array.from({ length: 60 }, (_, i) => 64 + i * 4).filter((tick) => ticker.isShown(0, tick));
}

test('a hit is shown from its tick on for a little over a second', () => {
  const ticks = shownTicks({ tick: 120 });
  expect(ticks[0]).toBe(120);
  expect(ticks.at(-1)).toBe(188);
});

test('the victim’s view has the numbers of the killer', () => {
  expect(shownTicks({ tick: 120 }, 5)).toEqual(shownTicks({ tick: 120 }));
  expect(shownTicks({ attacker: 5, victim: 0 }, 5)).toEqual([]);
});

test.each([
  ['of another player', { attacker: 1 }],
  ['of nobody', { attacker: null }],
  ['on himself', { victim: 0 }],
  ['that took nothing', { damage: 0 }],
  ['before the shot', { tick: 60 }],
  ['after the shot', { tick: 300 }],
])('a hit %s is not shown', (_, hurt) => {
  expect(shownTicks(hurt)).toEqual([]);
});
