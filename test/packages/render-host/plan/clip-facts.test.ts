import { expect, test } from 'vitest';
import { clipTitle } from '#domain/clip/clip-title.ts';
import type { Selection } from '#domain/clip/render-order.ts';
import type { Match } from '#render-host/match/match.ts';
import { clipFacts, planShots } from '#render-host/plan/plan-shots.ts';
import { ANNA, BORIS, buildKill, buildMatch, buildRound, CLEO, killSelection, timeline } from './build-match.ts';

const match = buildMatch({
  rounds: [buildRound({ number: 1, startTick: 1 }), buildRound({ number: 2, startTick: 5000 })],
  kills: [buildKill({ tick: 1000 }), buildKill({ tick: 3000 }), buildKill({ tick: 6000, round: 2 })],
});

function title(selection: Selection, of: Match = match): string {
  const result = planShots(of, selection);
  return result.ok ? clipTitle(clipFacts(of, result.shots, selection)) : result.code;
}

function named(name: string): Match {
  return buildMatch({ ...match, players: match.players.map((player) => ({ ...player, name })) });
}

test.each<[string, Selection]>([
  ['3 kills by Anna on Test', killSelection()],
  ['2 kills by Anna on Test, round 1', killSelection({ round: 1 })],
  ['1 kill by Anna on Test, round 2', killSelection({ round: 2 })],
  ['1 kill by Anna on Test', timeline([ANNA, 900, 1100])],
  ['Anna on Test', timeline([ANNA, 100, 200])],
  ['Anna and Boris on Test', timeline([ANNA, 100, 200], [BORIS, 100, 200], [ANNA, 400, 500])],
  ['2 kills by Anna on Test', timeline([BORIS, 1, 99], [CLEO, 1, 99], [ANNA, 500, 3100])],
  ['1 kill by Anna on Test', timeline([ANNA, 900, 1100], [BORIS, 900, 1100], [ANNA, 950, 1200])],
  ['2 kills by Anna on Test', timeline([ANNA, 900, 1100], [CLEO, 1, 99], [ANNA, 950, 3100])],
])('reads %j', (expected, selection) => {
  expect(title(selection)).toBe(expected);
});

test('more than three players are counted, not listed', () => {
  const players = ['A', 'B', 'C', 'D', 'E'].map((name, at) => ({
    steamId: `${at}`,
    name,
    userId: at,
    isBot: false,
    seats: [],
  }));
  const crowd = buildMatch({ players });
  const segments = players.map(({ steamId }): [string, number, number] => [steamId, 100, 200]);
  expect(title(timeline(...segments), crowd)).toBe('A, B and 3 others on Test');
});

test('the victims’ views are about the killer', () => {
  const result = planShots(match, killSelection({ round: 1 }));
  if (!result.ok) return expect.unreachable();
  const shots = result.shots.flatMap((shot) => [shot, { ...shot, pov: 1 }]);
  const facts = { kills: 2, players: ['Anna'], map: 'de_test', round: 1 };
  expect(clipFacts(match, shots, killSelection({ round: 1 }))).toEqual(facts);
});

test.each([
  [
    'control characters and line breaks in a name become spaces',
    ' An\n\u0007na\u202e ',
    '1 kill by An na on Test, round 2',
  ],
  ['a very long name is cut', 'x'.repeat(200), `1 kill by ${'x'.repeat(48)} on Test, round 2`],
  ['a player without a name goes by his id', '\u200b', `1 kill by ${ANNA} on Test, round 2`],
])('%s', (_name, playerName, expected) => {
  expect(title(killSelection({ round: 2 }), named(playerName))).toBe(expected);
});
