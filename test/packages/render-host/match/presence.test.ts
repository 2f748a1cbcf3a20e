import { describe, expect, test } from 'vitest';
import type { ComposedKill, RecordingOptions } from '#demo-writer/index.ts';
import { ROSTER } from '#demo-writer/script/roster.ts';
import type { ScriptedPlayer } from '#demo-writer/script/scripted-match.ts';
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

test.each([
  ['from the start', 1, 4],
  ['from the warm-up on', 5, 4],
  ['from the freeze time on', 50, 4],
  ['after they have played', 500, 5],
])('a coach %s is a player only of a round that they have played in', async (_when, tick, terrorists) => {
  const match = await readComposed({ rounds, coaches: [{ tick, player: 4 }], lastTick: 1000 });
  expect(match.players).toHaveLength(5 + terrorists);
  expect(inspectMatch(match).players.filter(({ team }) => team === 'T')).toHaveLength(terrorists);
});

describe('coaches who join as players of a side are nowhere', () => {
  const coach = (slot: number, color?: number) => ({
    ...{ steamId: `765611980000005${slot}0`, name: `Coach ${slot}`, userId: slot },
    ...(color === undefined ? {} : { color }),
  });
  const twoRounds = [100, 1300].map((startTick) => ({ startTick, endTick: startTick + 900, winner: 'T' as const }));
  const ace = [5, 6, 7, 8, 9].map((victim, at) => ({ tick: 400 + at * 100, attacker: 0, victim }));
  const worldKills = (victim: number, ...ticks: number[]) => ticks.map((tick) => ({ tick, attacker: null, victim }));
  /** The first of eleven or twelve is the coach of T, so that the others are not where they are in the list. */
  const facts = async (
    coaches: readonly ScriptedPlayer[],
    deaths: readonly ComposedKill[] = [],
    recording: RecordingOptions = {},
  ) => {
    const [first, ...others] = coaches;
    const everybody = [first, ...ROSTER, ...others].flatMap((player) => player ?? []);
    const players = everybody.map((player, userId) => ({ ...player, userId }));
    const moved = ace.map((kill) => (first ? { ...kill, attacker: 1, victim: kill.victim + 1 } : kill));
    const outline = { players, rounds: twoRounds, kills: [...deaths, ...moved], lastTick: 2300 };
    const match = await readComposed(outline, recording);
    return {
      names: inspectMatch(match).players.map(({ name }) => name),
      kills: match.kills.map(({ attacker, victim }) => [attacker, victim]),
      feats: findHighlights(match).map(({ round, feats }) => [round, feats[0]?.kind]),
      sides: match.players.map((_, player) => playerAt(match, player, 300)?.team),
      rows: match.tracks.flags.length / match.tracks.length,
    };
  };

  test('if the world kills them around the end of each freeze time', async () => {
    const deaths = [...worldKills(0, 229, 1390), ...worldKills(11, 180, 1429)];
    expect(await facts([coach(12), coach(13)], deaths)).toEqual({
      names: ROSTER.map(({ name }) => name),
      kills: ace.map(({ attacker, victim }) => [attacker, victim]),
      feats: [[1, 'ace']],
      sides: ['T', 'T', 'T', 'T', 'T', 'CT', 'CT', 'CT', 'CT', 'CT'],
      rows: 10,
    });
  });

  test('if their color is above those of a side', { tags: ['long'] }, async () => {
    expect(await facts([coach(12, 5), coach(13, 7)], worldKills(0, 900))).toEqual(await facts([]));
  });

  test('and the player of slot 0 does not die for one, although their ids end with the same byte', async () => {
    const recording = { wireId: (slot: number) => 65_792 + slot * 256 };
    const { names, kills } = await facts([coach(12), coach(13, 7)], worldKills(11, 229, 1429), recording);
    expect(names).toEqual(['Coach 12', ...ROSTER.map(({ name }) => name)]);
    expect(kills).toEqual(ace.map(({ victim }) => [1, victim + 1]));
  });

  test('but a player whom the world kills there in one round alone stays', async () => {
    const { names, kills } = await facts([coach(12)], worldKills(0, 229));
    expect([names.length, kills[0]]).toEqual([11, [null, 0]]);
  });
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
