import { expect, it } from 'vitest';
import { liveShot } from '#scene/plan/shot.ts';
import { buildKill, buildMatch } from '../../render-host/builders.ts';

it('a live shot follows a player, with the enemies that they kill in it', () => {
  const own = buildKill({ tick: 128 });
  const others = [
    buildKill({ tick: 99 }),
    buildKill({ tick: 130, attacker: 1 }),
    buildKill({ tick: 140, victim: 1, victimTeam: 'CT' }),
    buildKill({ tick: 200 }),
  ];
  const match = buildMatch({ kills: [own, ...others] });
  expect(liveShot(match, { startTick: 100, endTick: 200 }, 0)).toEqual({
    ...{ startTick: 100, endTick: 200, pov: 0, subject: 0, kills: [own], speeds: [] },
    round: match.rounds[0]?.number,
  });
});
