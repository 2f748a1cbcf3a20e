import { describe, expect, test } from 'vitest';
import type { Match } from '#render-host/match/match.ts';
import { endsRound } from '#render-host/match/round-sign.ts';
import {
  ANNA,
  BORIS,
  bothPlans,
  buildKill,
  buildMatch,
  buildRound,
  killSelection,
  planShots,
  timeline,
} from './build-match.ts';

const S = 64;

/** `[start, end, number of kills]` of every shot, or the failure's code. */
function plan(match: Match, selection = killSelection()) {
  const result = planShots(match, selection);
  if (!result.ok) return result.code;
  return result.shots.map(({ startTick, endTick, kills }) => [startTick, endTick, kills.length]);
}

const round1 = buildRound({ number: 1, startTick: 1 });

describe('windows around kills', () => {
  test('a kill is shown from 3 s before to 2 s after', () => {
    const match = buildMatch({ rounds: [round1], kills: [buildKill({ tick: 1000 })] });
    expect(plan(match)).toEqual([[1000 - 3 * S, 1000 + 2 * S, 1]]);
  });

  test.each([
    { name: 'overlapping windows become one shot', second: 1000 + 4 * S, shots: [[808, 1000 + 6 * S, 2]] },
    { name: 'touching windows become one shot', second: 1000 + 5 * S, shots: [[808, 1000 + 7 * S, 2]] },
    {
      name: 'windows a tick apart stay two shots',
      second: 1000 + 5 * S + 1,
      shots: [
        [808, 1128, 1],
        [1129, 1001 + 7 * S, 1],
      ],
    },
  ])('$name', ({ second, shots }) => {
    const match = buildMatch({ rounds: [round1], kills: [buildKill({ tick: 1000 }), buildKill({ tick: second })] });
    expect(plan(match)).toEqual(shots);
  });
});

describe('which kills count', () => {
  test.each([
    ['a warm-up kill', { round: null }],
    ['a suicide', { victim: 0, victimTeam: 'T' as const }],
    ['a team kill', { victim: 2, victimTeam: 'T' as const }],
    ['a kill by the world', { attacker: null, attackerTeam: null }],
    ["somebody else's kill", { attacker: 2, victim: 1 }],
  ])('%s is not shown', (_name, overrides) => {
    const match = buildMatch({ rounds: [round1], kills: [buildKill({ tick: 1000, ...overrides })] });
    expect(plan(match)).toBe('no_kills_found');
  });
});

describe('ticks without a picture', () => {
  test('are not shown: a window ends where the recording jumps, or the game is paused', () => {
    const gaps = [
      { startTick: 950, endTick: 960 },
      { startTick: 1050, endTick: 9000 },
    ];
    const match = buildMatch({ rounds: [round1], kills: [buildKill({ tick: 1000 })], gaps });
    expect(plan(match)).toEqual([[960, 1050, 1]]);
  });

  test('may begin and end with the kill', () => {
    const kills = [buildKill({ tick: 1000 })];
    const before = [{ startTick: 900, endTick: 1000 }];
    expect(plan(buildMatch({ rounds: [round1], kills, gaps: before }))).toEqual([[1000, 1128, 1]]);
  });

  test('keep two shots apart', () => {
    const gaps = [{ startTick: 1010, endTick: 1020 }];
    const match = buildMatch({ rounds: [round1], kills: [buildKill({ tick: 1000 }), buildKill({ tick: 1030 })], gaps });
    expect(plan(match)).toEqual([
      [808, 1010, 1],
      [1020, 1030 + 2 * S, 1],
    ]);
  });
});

describe('a demo that a player recorded', () => {
  const match = buildMatch({ rounds: [round1], kills: [buildKill({ tick: 1000 })] });

  test('shows that player, and nobody else', () => {
    expect(plan({ ...match, recorder: 0 })).toHaveLength(1);
    expect(planShots({ ...match, recorder: 1 }, killSelection())).toEqual({
      ok: false,
      code: 'pov_only',
      detail: expect.stringContaining(`recorded by player ${BORIS}`),
      facts: { player_asked: ANNA, recorded_by: BORIS },
    });
    expect(plan({ ...match, recorder: 1 }, killSelection({ steam64Id: '76561198999999999' }))).toBe(
      'player_not_in_demo',
    );
  });
});

describe('where there is nothing to show', () => {
  const detail = (match: Match, round: number | null) => {
    const result = planShots(match, killSelection({ round }));
    return result.ok ? 'shots' : result.detail;
  };
  const rounds = [3, 4, 5, 6, 8].map((number) => buildRound({ number, startTick: number * 1000 }));

  test('the rounds of the demo and those of the kills are named', () => {
    const kills = [3, 5, 5, 6].map((round, at) => buildKill({ tick: round * 1000 + at, round }));
    const lost = buildKill({ tick: 9000, round: null });
    expect(detail(buildMatch({ rounds, kills: [...kills, lost] }), 7)).toBe(
      `player ${ANNA} has no kills in round 7; the demo covers rounds 3 to 6 and 8; ` +
        "the player's kills are in rounds 3, 5 (2) and 6; 1 in warm-up, or in rounds that were played anew",
    );
  });

  test('consecutive rounds differ from those with more than one kill', () => {
    const inRounds = (...numbers: number[]) =>
      numbers.map((round, at) => buildKill({ tick: round * 1000 + at, round }));
    const said = (...numbers: number[]) =>
      /kills are in (.*)$/.exec(detail(buildMatch({ rounds, kills: inRounds(...numbers) }), 9))?.[1];
    expect(said(3, 4)).toBe('rounds 3 and 4');
    expect(said(3, 4, 4)).toBe('rounds 3 and 4 (2)');
    expect(said(3, 3, 4)).toBe('rounds 3 (2) and 4');
    expect(said(3, 4, 5, 5)).toBe('rounds 3, 4 and 5 (2)');
    const asked = planShots(buildMatch({ rounds, kills: inRounds(3, 4, 4) }), killSelection({ round: 9 }));
    const facts = { round_asked: 9, rounds: [3, 4], rounds_in_demo: [3, 4, 5, 6, 8] };
    expect(asked).toMatchObject({ code: 'no_kills_found', facts });
  });

  test('parts of the demo that are not the match are named, with their ticks', () => {
    const otherParts = [{ startTick: 100, endTick: 2500, rounds: 1, players: [0, 2] }];
    const match = buildMatch({ rounds, otherParts });
    for (const plan of bothPlans(match, killSelection()))
      expect(plan).toMatchObject({ facts: { other_parts: ['ticks 100 to 2500, 1 round of Anna, Cleo'] } });
    expect(planShots(match, timeline([ANNA, 200, 400])).ok).toBe(true);
  });

  test("kills of others, and of the player's own side, are not counted", () => {
    const others = [
      buildKill({ tick: 3000, round: 3, attacker: 2 }),
      buildKill({ tick: 4000, round: 4, victim: 2, victimTeam: 'T' }),
    ];
    expect(detail(buildMatch({ rounds: rounds.slice(0, 1), kills: others }), null)).toBe(
      `player ${ANNA} has no kills; the demo covers round 3`,
    );
  });

  test('a player who was not there is named', () => {
    const result = planShots(buildMatch(), killSelection({ steam64Id: '76561198999999999' }));
    expect(result).toEqual({
      ok: false,
      code: 'player_not_in_demo',
      detail: 'no player 76561198999999999 in this demo',
      facts: { player_asked: '76561198999999999', players: expect.arrayContaining([ANNA, BORIS]) },
    });
  });

  test('a player without any kills is said to have none', () => {
    expect(detail(buildMatch({ rounds: rounds.slice(0, 1) }), null)).toBe(
      `player ${ANNA} has no kills; the demo covers round 3`,
    );
    expect(detail(buildMatch(), 2)).toBe(`player ${ANNA} has no kills in round 2; the demo has no rounds`);
  });
});

describe('the end of a round', () => {
  const ended = buildRound({ number: 1, startTick: 1, endTick: 1002, officialEndTick: 1002 + 7 * S, winner: 'T' });
  const next = buildRound({ number: 2, startTick: 1002 + 7 * S });

  test('the kill that ends it is followed by 5 s of win announcement', () => {
    const match = buildMatch({ rounds: [ended, next], kills: [buildKill({ tick: 1000 })] });
    expect(plan(match)).toEqual([[808, 1002 + 5 * S, 1]]);
  });

  test('the announcement is shown no longer than the game shows it', () => {
    const short = { ...ended, officialEndTick: 1002 + 3 * S };
    const match = buildMatch({ rounds: [short, next], kills: [buildKill({ tick: 1000 })] });
    expect(plan(match)).toEqual([[808, 1002 + 3 * S, 1]]);
  });

  test('without an official end the announcement ends with the start of the next round', () => {
    const unsaid = { ...ended, officialEndTick: null };
    const rounds = [unsaid, { ...next, startTick: 1002 + 4 * S }];
    const match = buildMatch({ rounds, kills: [buildKill({ tick: 1000 })] });
    expect(plan(match)).toEqual([[808, 1002 + 4 * S, 1]]);
  });

  test('the extension stays 3 s clear of the last tick, the padding itself does not', () => {
    const match = buildMatch({ lastTick: 1300, rounds: [ended], kills: [buildKill({ tick: 1000 })] });
    expect(plan(match)).toEqual([[808, 1128, 1]]);
    expect(plan(buildMatch({ ...match, lastTick: 1400 }))).toEqual([[808, 1400 - 3 * S, 1]]);
  });

  test.each([
    ['the other side won', { winner: 'CT' as const }, []],
    ['the round ended long after', { endTick: 1000 + 2 * S }, []],
    ['the round had ended before', { endTick: 990 }, []],
    ['a teammate made the last kill', {}, [buildKill({ tick: 1001, attacker: 2 })]],
  ])('no extension where %s', (_name, overrides, moreKills) => {
    const match = buildMatch({
      rounds: [{ ...ended, ...overrides }, next],
      kills: [buildKill({ tick: 1000 }), ...moreKills],
    });
    expect(plan(match)).toEqual([[808, 1128, 1]]);
  });

  test.each([
    ['it falls in the tick of the end', { endTick: 1000 }, []],
    ['it falls a second before the end', { endTick: 1000 + S }, []],
    ['nobody knows the winner', { winner: null, endTick: 1002 }, []],
    ['another of his side fell later', {}, [buildKill({ tick: 1001, attacker: 1, victim: 2, victimTeam: 'T' })]],
    ['the losers lost one in another round', {}, [buildKill({ tick: 1001, attacker: 2, round: 2 })]],
    ['the losers lost one after the end', {}, [buildKill({ tick: 1003, attacker: 2 })]],
  ])('an extension also where %s', (_name, overrides, moreKills) => {
    const round = { ...ended, ...overrides };
    const match = buildMatch({ rounds: [round, next], kills: [buildKill({ tick: 1000 }), ...moreKills] });
    expect(plan(match)).toEqual([[808, (round.endTick ?? 0) + 5 * S, 1]]);
  });

  test('no extension where a teammate made the last kill in the very tick of the end', () => {
    const kills = [buildKill({ tick: 1000 }), buildKill({ tick: 1002, attacker: 2 })];
    expect(plan(buildMatch({ rounds: [ended, next], kills }))).toEqual([[808, 1128, 1]]);
  });

  test('no extension where nobody knows when or whether it ended', () => {
    const kills = [buildKill({ tick: 1000 })];
    expect(plan(buildMatch({ rounds: [{ ...ended, endTick: null }, next], kills }))).toEqual([[808, 1128, 1]]);
    expect(plan(buildMatch({ rounds: [next], kills }))).toEqual([[808, 1128, 1]]);
  });
});

test('a kill ends only its own round, if that was decided', () => {
  const rounds = [buildRound({ number: 1, startTick: 1, endTick: 990 }), buildRound({ number: 2, startTick: 1100 })];
  const match = buildMatch({ rounds: [...rounds, buildRound({ number: 3, startTick: 2000, endTick: 3000 })] });
  const ends = (tick: number, round: number | null) => endsRound(match, buildKill({ tick, round }));
  expect([ends(990, 1), ends(3000 - S, 3), ends(2999 - S, 3), ends(3001, 3)]).toEqual([true, true, false, false]);
  expect([ends(990, 3), ends(990, 2), ends(990, 4), ends(990, null)]).toEqual([false, false, false, false]);
});

describe('kills of different rounds', () => {
  const rounds = [
    buildRound({ number: 1, startTick: 1, endTick: 990, officialEndTick: 1100 }),
    buildRound({ number: 2, startTick: 1100 }),
  ];

  test('are never merged: windows that would overlap are cut where the later round starts', () => {
    const match = buildMatch({ rounds, kills: [buildKill({ tick: 1050 }), buildKill({ tick: 1150, round: 2 })] });
    expect(plan(match)).toEqual([
      [1050 - 3 * S, 1100, 1],
      [1100, 1150 + 2 * S, 1],
    ]);
  });
});
