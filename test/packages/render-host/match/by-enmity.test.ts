import { expect, test } from 'vitest';
import { byEnmity } from '#render-host/match/highlights.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { buildKill, buildMatch } from '../builders.ts';
import { readComposed } from './composed-demo.ts';

test('where everybody is an enemy, who is shown has a side of their own', () => {
  const kills = [
    buildKill({ attacker: 0, victim: 1, victimTeam: 'CT', freeForAll: true }),
    buildKill({ attacker: 6, victim: 2, attackerTeam: 'T', victimTeam: 'CT', freeForAll: true }),
    buildKill({ attacker: null, victim: 0, attackerTeam: null, victimTeam: 'CT', freeForAll: true }),
  ];
  const match = { ...buildMatch({ kills }), freeForAll: true as const };
  const drawn = byEnmity(match, [0]);
  const sides = match.players.map((_, player) => playerAt(drawn, player, 10)?.team);
  expect(sides).toEqual(['CT', ...Array.from({ length: 9 }, () => 'T')]);
  expect(drawn.kills.map(({ attackerTeam, victimTeam }) => [attackerTeam, victimTeam])).toEqual([
    ['CT', 'T'],
    ['T', 'T'],
    [null, 'CT'],
  ]);
  expect(playerAt(match, 1, 10)?.team).toBe('CT');
});

test('a match of teams stays as it is', () => {
  const match = buildMatch();
  expect(byEnmity(match, [0])).toBe(match);
});

test.each([
  ['true', true],
  ['1', true],
  ['false', undefined],
  ['0', undefined],
])('mp_teammates_are_enemies %s', async (value, expected) => {
  const match = await readComposed({ lastTick: 100 }, { conVars: { mp_teammates_are_enemies: value } });
  expect(match.freeForAll).toBe(expected);
});
