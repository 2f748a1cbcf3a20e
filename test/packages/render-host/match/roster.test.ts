import { encodeCrosshair } from 'csgo-sharecode';
import { describe, expect, it, test } from 'vitest';
import type { ComposedKill, RecordingOptions } from '#demo-writer/index.ts';
import { ROSTER } from '#demo-writer/script/roster.ts';
import type { ScriptedPlayer } from '#demo-writer/script/scripted-match.ts';
import { findHighlights } from '#render-host/match/highlights.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import { createRoster, readCrosshair } from '#render-host/match/roster.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { readComposed } from './real-demos.ts';

const info = (steamid: string, name: string, userid: number, overrides: object = {}) => ({
  name,
  userid,
  xuid: steamid,
  steamid,
  fakeplayer: false,
  ishltv: false,
  ...overrides,
});

describe('the roster', () => {
  test('lists who took part, by a clean name: a slot that nothing asks for only watched', () => {
    const roster = createRoster();
    roster.update(1, 0, info('100', 'Coach', 0));
    roster.update(1, 1, info('101', '\u202eAn\u0000na', 1));
    expect(roster.playerAt(1)).toBe(0);
    expect(roster.players()).toEqual([
      { steamId: '101', name: 'An na', userId: 1, isBot: false, seats: [{ sinceTick: 1, slot: 1 }] },
    ]);
  });

  test('keeps one player through a reconnect into another slot, under the latest name', () => {
    const roster = createRoster();
    roster.update(1, 1, info('101', 'Anna', 1));
    expect(roster.playerAt(1)).toBe(0);
    roster.update(1, 1, null);
    roster.update(900, 4, info('101', 'Anna B.', 260));
    expect(roster.playerAt(4)).toBe(0);
    const seats = [
      { sinceTick: 1, slot: 1 },
      { sinceTick: 900, slot: 4 },
    ];
    expect(roster.players()).toEqual([{ steamId: '101', name: 'Anna B.', userId: 260, isBot: false, seats }]);
  });

  test('separates players who use one slot after each other; the last event still finds the first', () => {
    const roster = createRoster();
    roster.update(1, 1, info('101', 'Anna', 1));
    expect(roster.playerAt(1)).toBe(0);
    roster.update(1, 1, null);
    expect(roster.playerAt(1)).toBe(0);
    roster.update(1, 1, info('102', 'Boris', 257));
    expect(roster.playerAt(1)).toBe(1);
  });

  test('knows bots by the steamid of their entry, and without one by seat and name', () => {
    const roster = createRoster();
    roster.update(1, 2, info('900', 'Vox', 2, { xuid: '0', fakeplayer: true }));
    roster.update(1, 3, info('0', 'Walt', 3, { fakeplayer: true }));
    roster.update(1, 4, info('0', 'Efe', 4, { fakeplayer: true }));
    expect([2, 3, 4].map((slot) => roster.playerAt(slot))).toEqual([0, 1, 2]);
    expect(roster.players().map(({ steamId, isBot }) => [steamId, isBot])).toEqual([
      ['900', true],
      ['0', true],
      ['0', true],
    ]);
  });

  test('falls back to the xuid of builds that send no steamid', () => {
    const roster = createRoster();
    roster.update(1, 0, info('0', 'Anna', 0, { xuid: '101' }));
    roster.playerAt(0);
    expect(roster.players()[0]?.steamId).toBe('101');
  });

  test('has nobody for GOTV, empty slots and no slot at all', () => {
    const roster = createRoster();
    roster.update(1, 9, info('900', 'DemoRecorder', 9, { ishltv: true }));
    expect([9, 5, null].map((slot) => roster.playerAt(slot))).toEqual([null, null, null]);
  });

  describe('where a controller names a human', () => {
    const controller = (steamId: bigint, name: string) => ({ entity: {}, steamId, name });

    test('gives the slot to them, whatever old entries say; a repeated entry seats nobody', () => {
      const roster = createRoster();
      roster.update(-1, 3, info('104', 'Dora', 3));
      roster.control(1, 3, controller(104n, 'Dora'));
      expect(roster.playerAt(3)).toBe(0);
      roster.update(900, 3, info('177', 'Nele', 3));
      expect(roster.playerAt(3)).toBe(0);
      roster.control(901, 3, controller(177n, 'Nele'));
      roster.update(902, 3, info('104', 'Dora', 3));
      expect([roster.playerAt(3), roster.playerOf(3)]).toEqual([1, 1]);
      roster.control(1000, 5, controller(104n, 'Dora'));
      roster.update(1100, 3, info('104', 'Dora', 3));
      expect(roster.playerAt(5)).toBe(0);
      expect(
        roster.players().map(({ name, seats }) => [name, seats.map(({ sinceTick, slot }) => [sinceTick, slot])]),
      ).toEqual([
        [
          'Dora',
          [
            [0, 3],
            [1000, 5],
          ],
        ],
        ['Nele', [[901, 3]]],
      ]);
    });

    test('takes their name and id from it, also without any entry, and after a return into an old slot', () => {
      const roster = createRoster();
      roster.control(1, 3, controller(104n, 'Dora'));
      expect(roster.playerAt(3)).toBe(0);
      roster.control(50, 4, controller(104n, 'Dora D.'));
      roster.control(90, 3, controller(104n, 'Dora D.'));
      roster.update(95, 3, info('104', 'Dora', 3));
      const seats = [
        { sinceTick: 1, slot: 3 },
        { sinceTick: 50, slot: 4 },
        { sinceTick: 90, slot: 3 },
      ];
      expect(roster.players()).toEqual([{ steamId: '104', name: 'Dora D.', userId: 3, isBot: false, seats }]);
      expect(roster.slotsNamed('Dora D.')).toEqual([3, 4]);
    });

    test('has the bot that followed them, with the bot’s entry or without', () => {
      const roster = createRoster();
      roster.update(-1, 3, info('104', 'Dora', 3));
      roster.control(1, 3, controller(104n, 'Dora'));
      roster.control(90, 3, controller(0n, 'Walt'));
      roster.update(95, 3, info('104', 'Dora', 3));
      expect(roster.playerAt(3)).toBe(0);
      expect(roster.players()).toMatchObject([{ steamId: '0', name: 'Walt', isBot: true }]);
      roster.update(100, 3, info('900', 'Walt', 3, { fakeplayer: true }));
      expect(roster.playerAt(3)).toBe(1);
      expect(roster.players()[1]).toMatchObject({ steamId: '900', name: 'Walt', seats: [{ sinceTick: 100, slot: 3 }] });
    });
  });

  test('has nobody by an entry without id and name', () => {
    const roster = createRoster();
    roster.update(1, 3, info('0', ' ', 3));
    expect(roster.playerAt(3)).toBeNull();
  });
});

/** A code of the game, from a demo of 1.41.6.0. */
const PARTRIDGE = 'CSGO-8Qp6t-erQh9-tieBA-YrCqZ-qDZ2Q';
const OWN = {
  length: 0,
  red: 1,
  green: 2,
  blue: 250,
  gap: 3,
  alphaEnabled: false,
  alpha: 100,
  outlineEnabled: false,
  outline: 2,
  color: 5,
  thickness: 0,
  centerDotEnabled: true,
  splitDistance: 7,
  followRecoil: false,
  fixedCrosshairGap: 0,
  innerSplitAlpha: 1,
  outerSplitAlpha: 0.5,
  splitSizeRatio: 0.3,
  tStyleEnabled: true,
  deployedWeaponGapEnabled: false,
  style: 4,
};

it('reads the crosshair of a share code, in pixels', () => {
  expect(readCrosshair(PARTRIDGE)).toEqual({
    color: '#32fafa',
    alpha: 200 / 255,
    length: 3.6,
    thickness: 1.4,
    gap: 2,
    outline: 1,
    dot: false,
    isT: false,
  });
  expect(readCrosshair(encodeCrosshair(OWN))).toEqual({
    color: '#0102fa',
    alpha: 1,
    length: 0,
    thickness: 1,
    gap: 7,
    outline: 0,
    dot: true,
    isT: true,
  });
});

it.each([
  '',
  'CSGO-8Qp6t',
  PARTRIDGE.replace('Q', 'R'),
  PARTRIDGE.replace('8', '0'),
  'CSGO-99999-99999-99999-99999-99999',
  PARTRIDGE + PARTRIDGE,
])('reads no crosshair from %j', (code) => {
  expect(readCrosshair(code)).toBeNull();
});

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
    steamId: `765611980000005${slot}0`,
    name: `Coach ${slot}`,
    userId: slot,
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
