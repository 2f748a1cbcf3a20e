import { describe, expect, test } from 'vitest';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import { byEnmity, findHighlights } from '#render-host/match/highlights.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import type { Kill, Match, Round } from '#render-host/match/match.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { buildKill, buildMatch, type MatchPlan } from '../builders.ts';
import { readComposed } from './real-demos.ts';

const S = 64;
const ROUND: Round = {
  number: 7,
  startTick: 0,
  freezeEndTick: 10,
  endTick: 2000,
  officialEndTick: null,
  winner: 'CT',
  reason: 'cts_won',
  score: null,
};
/** Two against two, as in wingman: the others are not in the match. */
const WINGMAN = (player: number) => ({ x: 0, y: 0, yaw: 0, alive: player % 5 < 2 });

/** Players 0 to 4 are CT. By default kills are ten seconds apart, so that no two open a round together. */
function kills(...pairs: readonly (readonly [attacker: number, victim: number, overrides?: Partial<Kill>])[]): Kill[] {
  return pairs.map(([attacker, victim, overrides], at) => {
    const teams = { attackerTeam: attacker < 5 ? 'CT' : 'T', victimTeam: victim < 5 ? 'CT' : 'T' } as const;
    return buildKill({ tick: 50 + at * 10 * S, round: 7, attacker, victim, ...teams, ...overrides });
  });
}

function played(plan: MatchPlan, overrides: Partial<Match> = {}): Match {
  const still = (player: number) => ({ x: player * 100, y: 0, yaw: 0 });
  return { ...buildMatch({ ticks: 3600, rounds: [{ ...ROUND, endTick: 3500 }], stand: still, ...plan }), ...overrides };
}

/** `player: feat, feat (score)`, the best first. */
function found(match: Match): string[] {
  return findHighlights(match).map(
    ({ player, feats, score }) => `${player}: ${feats.map(({ kind }) => kind).join(', ')} (${score})`,
  );
}

describe('highlights', () => {
  test.each<[string, Kill[], string[]]>([
    ['an ace', kills([0, 5], [0, 6], [0, 7], [0, 8], [0, 9]), ['0: ace (100)']],
    ['four kills', kills([0, 5], [0, 6], [0, 7], [0, 8]), ['0: 4k (60)']],
    ['three kills', kills([0, 5], [0, 6], [0, 7]), ['0: 3k (30)']],
    ['two kills are nothing much', kills([0, 5], [0, 6]), []],
    [
      'a clutch: the last one wins against two',
      kills([5, 1], [5, 2], [0, 7], [5, 3], [0, 8], [5, 4], [0, 9], [0, 5], [0, 6]),
      ['0: ace, clutch_1v3 (170)', '5: 4k (60)'],
    ],
    ['the first two kills of a round', kills([0, 5], [0, 6, { tick: 50 + 3 * S }]), ['0: opening_double (20)']],
    ['which are two players’', kills([0, 5], [1, 6, { tick: 50 + 3 * S }]), []],
    [
      'the circumstances of kills add up',
      kills([0, 5, { noScope: true, throughSmoke: true }], [0, 6, { wallbang: true }]),
      ['0: no_scope, wallbang, through_smoke (42)'],
    ],
    ['a knife', kills([0, 5, { weapon: 'knife_karambit' }]), ['0: knife (25)']],
    ['a zeus', kills([0, 5, { weapon: 'taser' }]), ['0: zeus (25)']],
    [
      'a blind shot from the air',
      kills([0, 5, { attackerBlind: true, attackerInAir: true }]),
      ['0: blind, in_air (27)'],
    ],
    [
      'two by one bullet',
      kills([1, 9], [0, 5, { weapon: 'awp', tick: 900 }], [0, 6, { weapon: 'awp', tick: 900 }]),
      ['0: collateral (35)'],
    ],
    [
      'three by one bullet are one collateral',
      kills([1, 9], [0, 5, { tick: 900 }], [0, 6, { tick: 900 }], [0, 7, { tick: 900 }]),
      ['0: collateral, 3k (65)'],
    ],
    [
      'two by a grenade are none',
      kills([1, 9], [0, 5, { weapon: 'hegrenade', tick: 900 }], [0, 6, { weapon: 'hegrenade', tick: 900 }]),
      [],
    ],
    [
      'five kills that are not all enemies: one took over a bot',
      kills([0, 5], [0, 5], [0, 6], [0, 7], [0, 8]),
      ['0: 5k (85)'],
    ],
    [
      'where the dead come back, many kills are no feat',
      kills([0, 5], [0, 5], [0, 5], [0, 6], [0, 7, { noScope: true }]),
      ['0: no_scope (20)'],
    ],
    [
      'nor where everybody is an enemy',
      kills([0, 1, { freeForAll: true }], [0, 5, { freeForAll: true, tick: 60 }], [0, 6, { freeForAll: true }]),
      [],
    ],
    ['not a kill of a mate', kills([0, 1, { noScope: true }]), []],
    ['nor one that does not count', kills([0, 5, { noScope: true, round: null }]), []],
  ])('%s', (_name, list, expected) => {
    expect(found(played({ kills: list }))).toEqual(expected);
  });

  test('a headshot after a quick turn is a flick, after a slow one it is none', () => {
    const headshot = kills([0, 5, { tick: 500, headshot: true }]);
    const turning = (ticks: number) => (player: number, tick: number) => {
      const part = Math.min(1, Math.max(0, (tick - 500 + ticks) / ticks));
      return { x: player, y: 0, yaw: player === 0 ? 170 + part * 60 - (170 + part * 60 > 180 ? 360 : 0) : 0 };
    };
    expect(found(played({ kills: headshot, stand: turning(8) }))).toEqual(['0: flick_headshot (18)']);
    expect(found(played({ kills: headshot, stand: turning(200) }))).toEqual([]);
  });

  test('an ace is all enemies that were alive at the end of the freeze time', () => {
    expect(found(played({ kills: kills([0, 5], [0, 6]), stand: WINGMAN }))).toEqual(['0: ace (40)']);
    expect(found(played({ kills: kills([0, 5], [1, 6]), stand: WINGMAN }))).toEqual([]);
  });

  test('a player who leaves is no longer alive: the other is left alone, and fewer are against them', () => {
    const gone =
      (...players: number[]) =>
      (player: number, tick: number) => ({
        ...WINGMAN(player),
        ...(players.includes(player) && tick >= 300 ? { alive: false } : {}),
      });
    const list = kills([0, 5, { tick: 1000 }]);
    expect(found(played({ kills: list, stand: gone() }))).toEqual([]);
    expect(found(played({ kills: list, stand: gone(1) }))).toEqual(['0: clutch_1v2 (45)']);
    expect(found(played({ kills: list, stand: gone(1, 6) }))).toEqual(['0: clutch_1v1 (30)']);
  });

  test('a clutch does not depend on the order in which deaths of one tick are told', () => {
    const all = [1, 2, 3, 4, 5, 6].map((victim) => buildKill({ tick: 200, round: 7, attacker: null, victim }));
    for (let turn = 0; turn < all.length; turn++) {
      const turned = [...all.slice(turn), ...all.slice(0, turn)];
      expect(found(played({ kills: turned }))).toEqual(['0: clutch_1v3 (70)']);
    }
  });

  test('a 1v1 is worth more than an opening double', () => {
    const clutch = findHighlights(played({ kills: kills([1, 6], [5, 1], [0, 5]), stand: WINGMAN }));
    const opening = findHighlights(played({ kills: kills([0, 5], [0, 6, { tick: 60 }]) }));
    expect(clutch[0]?.feats.map(({ kind }) => kind)).toEqual(['clutch_1v1']);
    expect(clutch[0]?.score).toBeGreaterThan(opening[0]?.score ?? Infinity);
  });

  test.each<[string, Round['score'], number]>([
    ['an early round', { T: 3, CT: 2 }, 30],
    ['a match point of the winner', { T: 3, CT: 13 }, 38],
    ['a match point of the loser', { T: 12, CT: 10 }, 38],
    ['a round won from far behind', { T: 9, CT: 4 }, 35],
    ['both', { T: 12, CT: 4 }, 43],
    ['12 to 12: nobody can win here without overtime', { T: 12, CT: 13 }, 38],
  ])('the weight of %s', (_name, score, expected) => {
    const rounds = [{ ...ROUND, endTick: 3500, score }];
    const plan = { kills: kills([0, 5], [0, 6], [0, 7]), rounds };
    expect(findHighlights(played(plan, { matchRounds: { regular: 24, overtime: 0 } }))[0]?.score).toBe(expected);
    const unknown = findHighlights(played(plan))[0]?.score;
    expect(unknown).toBe(score?.CT === 4 ? 35 : 30);
  });

  test('match points of overtimes are counted', () => {
    const scoreOf = (T: number, CT: number) => {
      const plan = { kills: kills([0, 5], [0, 6], [0, 7]), rounds: [{ ...ROUND, endTick: 3500, score: { T, CT } }] };
      return findHighlights(played(plan, { matchRounds: { regular: 24, overtime: 6 } }))[0]?.score;
    };
    expect([scoreOf(12, 13), scoreOf(12, 16), scoreOf(15, 13), scoreOf(15, 16), scoreOf(15, 19)]).toEqual([
      30, 38, 38, 30, 38,
    ]);
  });

  test('a clutch that a defuse wins ends after the defuse, as a timeline', () => {
    const list = kills([5, 1, { tick: 200 }], [0, 5, { tick: 400 }]);
    const effects: Match['effects'] = [
      { kind: 'bomb', startTick: 100, endTick: 100 + 30 * S, x: 0, y: 0, z: 0, defusedBy: 0 },
    ];
    const [clutch] = findHighlights(played({ kills: list, stand: WINGMAN, effects }));
    expect(clutch?.feats.map(({ kind }) => kind)).toEqual(['clutch_1v2']);
    expect(clutch?.endTick).toBe(100 + 30 * S);
    const steam64_id = '76561198000000000';
    // The hiding between the kill and the defuse is left out.
    expect(clutch?.request.timeline).toEqual([
      { steam64_id, start_tick: 200 - 3 * S, end_tick: 400 + 2 * S },
      { steam64_id, start_tick: 100 + 27 * S, end_tick: 100 + 32 * S },
    ]);
  });

  test('a ninja defuse: an enemy lives, and none saw the player', () => {
    const defuse = (by: number, sight: Partial<Match['sights'][number]>, dead: Kill[] = []) =>
      found(
        played({
          kills: dead,
          stand: WINGMAN,
          effects: [{ kind: 'bomb', startTick: 100, endTick: 1000, x: 0, y: 0, z: 0, defusedBy: by }],
          bombActions: [{ kind: 'defuse_begun', tick: 680, player: by }],
          sights: [{ player: 1, by: 5, startTick: 700, endTick: 800, ...sight }],
        }),
      );
    expect(defuse(0, {})).toEqual(['0: ninja_defuse (50)']);
    expect(defuse(0, { player: 0 })).toEqual([]);
    expect(defuse(0, { player: 0, startTick: 100, endTick: 600 })).toEqual(['0: ninja_defuse (50)']);
    expect(defuse(0, { player: 0, by: 1 })).toEqual(['0: ninja_defuse (50)']);
    expect(defuse(0, {}, kills([1, 5, { tick: 500 }], [1, 6, { tick: 600 }]))).not.toContain('0: ninja_defuse (50)');
  });

  test('a clutch needs the round won, and somebody to be left of', () => {
    const list = kills([5, 1], [5, 2], [5, 3], [5, 4], [0, 5]);
    expect(found(played({ kills: list }))).toEqual(['0: clutch_1v5 (130)', '5: 4k (60)']);
    expect(found(played({ kills: list, rounds: [{ ...ROUND, endTick: 3500, winner: 'T' }] }))).toEqual(['5: 4k (60)']);
    expect(found(played({ kills: list, rounds: [{ ...ROUND, winner: null }] }))).toEqual(['5: 4k (60)']);
  });

  test('a defuse in the last second is one, an earlier one is none', () => {
    const bomb = (seconds: number): Match['effects'] => [
      { kind: 'bomb', startTick: 100, endTick: 100 + seconds * S, x: 0, y: 0, z: 0, defusedBy: 2 },
    ];
    const [late] = findHighlights(played({ effects: bomb(39) }));
    expect(late).toMatchObject({ player: 2, round: 7, feats: [{ kind: 'last_second_defuse', tick: 100 + 39 * S }] });
    expect(late?.request).toEqual({
      timeline: [{ steam64_id: '76561198000000002', start_tick: 100 + 36 * S, end_tick: 100 + 41 * S }],
    });
    expect(found(played({ effects: bomb(35) }))).toEqual([]);
    // A server with a fuse of 36 s.
    expect(found(played({ effects: bomb(35).map((one) => ({ ...one, fuseSeconds: 36 })) }))).toEqual([
      '2: last_second_defuse (45)',
    ]);
  });

  test('come the best first, with their ticks and a request that the service takes', () => {
    const list = kills([0, 5], [1, 6], [1, 7], [1, 8], [0, 9, { noScope: true }]);
    const highlights = findHighlights(played({ kills: list }));
    expect(highlights.map(({ player, startTick, endTick }) => [player, startTick, endTick])).toEqual([
      [1, 50 + 10 * S, 50 + 30 * S],
      [0, 50, 50 + 40 * S],
    ]);
    for (const { request } of highlights) {
      expect(SubmitRequest.safeParse({ demo_url: 'https://demos.example.com/a.dem', ...request }).success).toBe(true);
    }
  });
});

describe('an inspection', () => {
  test('has what can be asked for: players with kills and deaths, rounds, kills, highlights', () => {
    const list = [...kills([0, 5], [0, 6], [0, 7], [5, 5]), buildKill({ tick: 9, round: null })];
    const found = inspectMatch(played({ kills: list }));
    expect(found).toMatchObject({ map: 'de_mirage', tickRate: 64, complete: true, recordedBy: null });
    expect(found.players[0]).toMatchObject({ steamId: '76561198000000000', team: 'CT', kills: 3, deaths: 0 });
    expect([...(found.players[0]?.killsByRound ?? [])]).toEqual([[7, 3]]);
    expect(found.players[5]).toMatchObject({ team: 'T', kills: 0, deaths: 2 });
    expect(found.kills).toHaveLength(3);
    expect(found.rounds).toHaveLength(1);
    expect(found.highlights).toHaveLength(1);
  });

  test('offers for a player’s own recording only what shows that player', () => {
    const list = kills([0, 5], [0, 6], [0, 7], [1, 8], [1, 9, { noScope: true }]);
    const found = inspectMatch(played({ kills: list }, { recorder: 1 }));
    expect(found.recordedBy).toBe('76561198000000001');
    expect(found.highlights.map(({ player }) => player)).toEqual([1]);
  });
});

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
