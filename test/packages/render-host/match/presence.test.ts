import { expect, test } from 'vitest';
import { ROSTER } from '#demo-writer/script/roster.ts';
import { findHighlights } from '#render-host/match/highlights.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { readComposed } from './composed-demo.ts';

const rounds = [{ startTick: 10, freezeEndTick: 74, endTick: 900, winner: 'T' as const }];

test('a player whose connection is lost is no longer there, although their body stays', async () => {
  const match = await readComposed({ rounds, losses: [{ tick: 300, player: 1 }], lastTick: 1000 });
  expect(playerAt(match, 1, 299)).toMatchObject({ alive: true });
  expect(playerAt(match, 1, 301)).toBeNull();
  expect(match.players).toHaveLength(10);
});

test('who is left alone because the others left wins a clutch', async () => {
  const match = await readComposed({
    rounds,
    losses: [1, 2, 3, 4].map((player) => ({ tick: 300, player })),
    kills: [5, 6, 7, 8, 9].map((victim, at) => ({ tick: 400 + at * 100, attacker: 0, victim })),
    lastTick: 1000,
  });
  const [best] = findHighlights(match);
  expect(best?.feats.map(({ kind }) => kind)).toEqual(['clutch_1v5', 'ace', 'opening_double']);
});

test('a coach is no player', async () => {
  const match = await readComposed({ rounds, coaches: [4], lastTick: 1000 });
  expect(match.players.map(({ name }) => name)).toHaveLength(9);
  expect(inspectMatch(match).players.filter(({ team }) => team === 'T')).toHaveLength(4);
});

test('a player’s side is that of the first round they play, not of the warm-up, the freeze time or a break', async () => {
  const match = await readComposed({
    warmupEndTick: 100,
    rounds: [
      { ...rounds[0], startTick: 100, freezeEndTick: 200, endTick: 300 },
      { ...rounds[0], startTick: 500, freezeEndTick: 564 },
    ],
    seats: [
      { tick: 1, player: 9, slot: null },
      { tick: 400, player: 9, slot: 9 },
    ],
    sideSwaps: [50, 150, 170, 450],
    lastTick: 700,
  });
  const sides = inspectMatch(match).players.map(({ name, team }) => [name, team]);
  expect(sides.slice(0, 2)).toEqual([
    ['Juniper', 'CT'],
    ['Käthe Möwe', 'CT'],
  ]);
  expect(sides.at(-1)).toEqual([ROSTER[9]?.name, 'CT']);
});

test('a player’s side is the first one, if there is no round', async () => {
  const match = await readComposed({ sideSwaps: [50], lastTick: 100 });
  expect(inspectMatch(match).players[0]?.team).toBe('T');
});
