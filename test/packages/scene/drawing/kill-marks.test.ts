import { expect, test } from 'vitest';
import { killMarks } from '#scene/drawing/kill-marks.ts';
import { buildKill } from '../../render-host/builders.ts';

test('a kill earns its marks in the game’s order', () => {
  const kill = buildKill({ headshot: true, wallbang: true, noScope: true, throughSmoke: true, attackerBlind: true });
  expect(killMarks(kill)).toEqual({ before: ['blind'], after: ['noScope', 'smoke', 'wallbang', 'headshot'] });
  expect(killMarks(buildKill())).toEqual({ before: [], after: [] });
  expect(killMarks(buildKill({ wallbang: true }))).toEqual({ before: [], after: ['wallbang'] });
  const jump = buildKill({ attackerInAir: true, domination: true, revenge: true });
  expect(killMarks(jump)).toEqual({ before: ['inAir'], after: ['domination', 'revenge'] });
});
