import { describe, expect, test } from 'vitest';
import type { ComposedKill, MatchOutline, RecordingOptions } from '#demo-writer/index.ts';
import type { Match } from '#render-host/match/match.ts';
import { readComposed } from './real-demos.ts';

/**
 * Recordings as servers make them, which differ from what the game's events suggest. Kills are named by what they are.
 */
const ROUNDS = [
  { startTick: 50, freezeEndTick: 100, endTick: 200 },
  { startTick: 300, freezeEndTick: 350, endTick: 450, winner: 'T' },
  { startTick: 550, freezeEndTick: 600, endTick: 700 },
] as const;
const KILLS: readonly ComposedKill[] = [
  { tick: 150, attacker: 0, victim: 5 },
  { tick: 400, attacker: 0, victim: 6 },
  { tick: 470, attacker: 0, victim: 7 },
  { tick: 650, attacker: 5, victim: 1 },
];
const PLAYED: MatchOutline = { rounds: ROUNDS, kills: KILLS };

/** `number: winner score` of each round, and the round of each kill. */
function outcome({ rounds, kills }: Match) {
  return {
    rounds: rounds.map(({ number, winner, score }) => `${number}: ${winner} ${score?.T}-${score?.CT}`),
    kills: kills.map(({ round }) => round),
  };
}

const WHOLE = { rounds: ['1: CT 0-1', '2: T 1-1', '3: CT 1-2'], kills: [1, 2, 2, 3] };
const again = (startTick: number) => ({ startTick, freezeEndTick: startTick + 50, endTick: startTick + 150 });

describe('rounds', () => {
  test.each<[string, MatchOutline, ReturnType<typeof outcome>, RecordingOptions?]>([
    ['a server of today, without round events', PLAYED, WHOLE],
    ['a server of before 2024, with round events', PLAYED, WHOLE, { nativeRoundEvents: true }],
    ['a deathmatch server, whose rules have a part of their own', PLAYED, WHOLE, { isDeathmatch: true }],
    ['packets that tell no sizes', PLAYED, WHOLE, { payloadSizes: false }],
    ['no end mark', PLAYED, WHOLE, { endMark: false }],
    [
      'a recording that starts amid round 2',
      PLAYED,
      { rounds: ['2: T 1-1', '3: CT 1-2'], kills: [2, 2, 3] },
      { fromTick: 380 },
    ],
    [
      'a recording that starts after the end of round 2',
      PLAYED,
      { rounds: ['2: T 1-1', '3: CT 1-2'], kills: [2, 3] },
      { fromTick: 460 },
    ],
    [
      'a backup of round 2 that is loaded: the later take counts',
      {
        rounds: [...ROUNDS, again(800)],
        kills: [...KILLS, { tick: 900, attacker: 1, victim: 8 }],
        scores: [{ tick: 800, T: 0, CT: 1 }],
      },
      { rounds: ['1: CT 0-1', '2: CT 0-2'], kills: [1, null, null, null, 2] },
    ],
    [
      'a restart after the match: the part with more rounds counts',
      {
        rounds: [...ROUNDS, again(800)],
        kills: [...KILLS, { tick: 900, attacker: 1, victim: 8 }],
        scores: [{ tick: 800, T: 0, CT: 0 }],
      },
      { ...WHOLE, kills: [...WHOLE.kills, null] },
    ],
    [
      'a restart after one round: of equal parts the later one counts',
      { rounds: [ROUNDS[0], ROUNDS[1]], kills: KILLS, scores: [{ tick: 300, T: 0, CT: 0 }] },
      { rounds: ['1: T 1-0'], kills: [null, 1, 1, 1] },
    ],
    [
      'an empty scoreboard as the sides change: the second half of the match',
      { ...PLAYED, scores: [{ tick: 510, T: 0, CT: 0 }], sideSwaps: [500] },
      { rounds: ['1: CT 0-1', '2: T 1-1', '3: CT 1-2'], kills: [1, 2, 2, 3] },
    ],
    [
      'an empty scoreboard as the sides change, and most of the players: another match',
      {
        ...PLAYED,
        scores: [{ tick: 510, T: 0, CT: 0 }],
        sideSwaps: [500],
        seats: [0, 1, 2, 3, 4].map((player) => ({ tick: 500, player, slot: null })),
      },
      { rounds: ['1: CT 0-1', '2: T 1-1'], kills: [1, 2, 2, null] },
    ],
    [
      'a second half that is begun three times, before and after the sides change',
      {
        rounds: [ROUNDS[0], { startTick: 250 }, { startTick: 270 }, again(300)],
        kills: [{ tick: 400, attacker: 0, victim: 6 }],
        scores: [240, 260, 290].map((tick) => ({ tick, T: 0, CT: 0 })),
        sideSwaps: [265],
      },
      { rounds: ['1: CT 0-1', '2: CT 1-1'], kills: [2] },
    ],
    [
      'a warm-up in the middle',
      {
        rounds: [ROUNDS[0], ROUNDS[1], again(800)],
        kills: [...KILLS, { tick: 900, attacker: 1, victim: 8 }],
        warmups: [{ startTick: 540, endTick: 790 }],
      },
      { rounds: ['1: CT 0-1', '2: T 1-1', '3: CT 1-2'], kills: [1, 2, 2, null, 3] },
    ],
    [
      'a knife round, after which the scores are set back',
      {
        rounds: [{ ...ROUNDS[0], isBroke: true }, ROUNDS[1], ROUNDS[2]],
        kills: KILLS,
        scores: [{ tick: 300, T: 0, CT: 0 }],
      },
      { rounds: ['1: T 1-0', '2: CT 1-1'], kills: [null, 1, 1, 2] },
    ],
    [
      'two knife rounds, a change of sides, a restart, and 24 rounds',
      {
        rounds: [
          ...[50, 300].map((startTick) => ({ ...again(startTick), isBroke: true })),
          ...Array.from({ length: 24 }, (_, at) => again(600 + at * 250)),
        ],
        scores: [{ tick: 580, T: 0, CT: 0 }],
        sideSwaps: [550],
      },
      { rounds: Array.from({ length: 24 }, (_, at) => `${at + 1}: CT 0-${at + 1}`), kills: [] },
    ],
    [
      'a knife round and no more',
      { rounds: [{ ...ROUNDS[0], isBroke: true }], kills: [{ tick: 150, attacker: 0, victim: 5, weapon: 'knife' }] },
      { rounds: [], kills: [null] },
    ],
    [
      'a round without money, but with guns',
      { rounds: [{ ...ROUNDS[0], isBroke: true }], kills: [{ tick: 150, attacker: 0, victim: 5 }] },
      { rounds: ['1: CT 0-1'], kills: [1] },
    ],
    [
      'overtime',
      { ...PLAYED, scores: [{ tick: 10, T: 12, CT: 12 }] },
      { rounds: ['25: CT 12-13', '26: T 13-13', '27: CT 13-14'], kills: [25, 26, 26, 27] },
    ],
    [
      'a change of sides after round 2: the scores go with the teams',
      { ...PLAYED, scores: [{ tick: 10, T: 5, CT: 6 }], sideSwaps: [500] },
      { rounds: ['12: CT 5-7', '13: T 6-7', '14: CT 7-7'], kills: [12, 13, 13, 14] },
    ],
    [
      'a round that is ended in a draw',
      { rounds: [ROUNDS[0], { ...ROUNDS[1], winner: null }, ROUNDS[2]], kills: KILLS },
      { rounds: ['1: CT 0-1', '2: null 0-1', '3: CT 0-2'], kills: [1, 2, 2, 3] },
    ],
  ])('%s', { tags: ['long'] }, async (_name, outline, expected, recording) => {
    expect(outcome(await readComposed(outline, recording))).toEqual(expected);
  });

  test('that a restart leaves behind are another part, with its players; not so knife rounds and other takes', {
    tags: ['long'],
  }, async () => {
    const rounds = [...ROUNDS, ...[800, 1050, 1300, 1550].map(again)];
    const outline = { rounds, kills: KILLS, seats: [{ tick: 760, player: 2, slot: null }], lastTick: 1800 };
    const restarted = await readComposed({ ...outline, scores: [{ tick: 780, T: 0, CT: 0 }] });
    expect(restarted.rounds.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(restarted.players).toHaveLength(10);
    const part = { startTick: 50, endTick: 800, rounds: 3, players: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] };
    expect(restarted.otherParts).toEqual([part]);
    const parts = await Promise.all([
      readComposed({ ...outline, scores: [{ tick: 780, T: 0, CT: 1 }] }),
      readComposed({ rounds: [{ ...ROUNDS[0], isBroke: true }, ROUNDS[1]], scores: [{ tick: 290, T: 0, CT: 0 }] }),
    ]);
    expect(parts.map(({ otherParts }) => otherParts)).toEqual([[], []]);
  });

  test('have their ticks and reasons from the rules as from the events', async () => {
    const [today, before] = await Promise.all([
      readComposed(PLAYED),
      readComposed(PLAYED, { nativeRoundEvents: true }),
    ]);
    const facts = ({ rounds }: Match) => rounds.map(({ officialEndTick: _, ...round }) => round);
    expect(facts(today)).toEqual(facts(before));
    expect(today.roundEvidence).toEqual({ starts: ['rules'], ends: ['rules'], numbers: ['rules'] });
    expect(before.roundEvidence).toEqual({ starts: ['events'], ends: ['events'], numbers: ['rules'] });
  });
});

describe('where the rules cannot be read', { tags: ['long'] }, () => {
  const KNIFE = { rounds: [{ ...ROUNDS[0], isBroke: true }, ROUNDS[1], ROUNDS[2]], kills: KILLS };
  const RESTORED = { rounds: [...ROUNDS, again(800)], kills: KILLS, scores: [{ tick: 800, T: 0, CT: 1 }] };

  test.each<[string, MatchOutline, ReturnType<typeof outcome>, RecordingOptions?]>([
    ['scores and spawns tell of the rounds', PLAYED, WHOLE],
    ['also amid the match', PLAYED, { rounds: ['2: T 1-1', '3: CT 1-2'], kills: [2, 2, 3] }, { fromTick: 380 }],
    ['also after a backup', RESTORED, { rounds: ['1: CT 0-1', '2: CT 0-2'], kills: [1, null, null, null] }],
    [
      'also after a knife round',
      { ...KNIFE, scores: [{ tick: 300, T: 0, CT: 0 }] },
      { rounds: ['1: T 1-0', '2: CT 1-1'], kills: [null, 1, 1, 2] },
    ],
    [
      'a change of sides ends no round',
      { ...PLAYED, scores: [{ tick: 10, T: 5, CT: 6 }], sideSwaps: [500] },
      { rounds: ['12: CT 5-7', '13: T 6-7', '14: CT 7-7'], kills: [12, 13, 13, 14] },
    ],
    [
      'the warm-up’s events tell of it',
      { ...PLAYED, kills: [{ tick: 20, attacker: 0, victim: 5 }, ...KILLS], warmupEndTick: 40 },
      { ...WHOLE, kills: [null, ...WHOLE.kills] },
    ],
  ])('%s', { tags: ['long'] }, async (_name, outline, expected, recording) => {
    const match = await readComposed(outline, { ...recording, lacks: ['rules'] });
    expect(outcome(match)).toEqual(expected);
    expect(match.roundEvidence).toEqual({ starts: ['spawns'], ends: ['scores'], numbers: ['scores'] });
  });

  test('and neither can the scores, rounds are counted', async () => {
    const today = await readComposed(PLAYED, { lacks: ['rules', 'teams'] });
    expect(today.rounds.map(({ number, startTick, endTick }) => [number, startTick, endTick])).toEqual([
      [1, 50, null],
      [2, 300, null],
      [3, 550, null],
    ]);
    expect(today.roundEvidence).toEqual({ starts: ['spawns'], ends: [], numbers: ['count'] });
    const before = await readComposed(PLAYED, { lacks: ['rules', 'teams'], nativeRoundEvents: true });
    expect(before.rounds.map(({ endTick, winner }) => [endTick, winner])).toEqual([
      [200, 'CT'],
      [450, 'T'],
      [700, 'CT'],
    ]);
  });
});

describe('who recorded a demo', () => {
  test('is nobody in particular where a server did', async () => {
    expect((await readComposed({ lastTick: 50 })).recorder).toBeNull();
  });

  test('is the player whose view it is', async () => {
    expect((await readComposed({ lastTick: 50 }, { recordedBy: 3 })).recorder).toBe(3);
  });

  test('is the one in the recording’s slot, of two of one name', async () => {
    const players = [0, 1].map((userId) => ({ steamId: `7656119900000000${userId}`, name: 'Twin', userId }));
    expect((await readComposed({ players, lastTick: 50 }, { recordedBy: 1 })).recorder).toBe(1);
  });
});

test('a map whose name shows nothing is an unnamed map', async () => {
  expect((await readComposed({ map: '\u200b\n', lastTick: 50 })).map).toBe('an unnamed map');
});

describe('time', () => {
  test('has the tick rate of the demo', async () => {
    expect((await readComposed({ lastTick: 50 }, { tickRate: 128 })).tickRate).toBe(128);
  });

  test('is the game’s: a server that runs it faster records the same ticks', async () => {
    const faster = await readComposed({ lastTick: 50 }, { conVars: { host_timescale: '2' } });
    expect(faster).toEqual(await readComposed({ lastTick: 50 }));
  });

  test('is no gap where shots are fired in what the rules call a pause', async () => {
    const outline = {
      pauses: [{ startTick: 60, endTick: 90 }],
      kills: [{ tick: 70, attacker: 0, victim: 5 }],
      lastTick: 100,
    };
    expect((await readComposed(outline)).gaps).toEqual([]);
  });

  test('ends before a jump of more than an hour', async () => {
    const outline = { kills: [150, 195].map((tick) => ({ tick, attacker: 0, victim: 5 })), lastTick: 200 };
    const jumped = await readComposed(outline, { jumps: [{ atTick: 190, by: 230_400 }] });
    expect(jumped).toMatchObject({ lastTick: 189, complete: false, gaps: [], kills: [{ tick: 150 }] });
    const reason = 'it jumps over 230401 ticks, more than the 230400 accepted';
    expect(jumped.damage).toEqual({ tick: 189, reason });
  });

  test('that nothing was recorded of is a gap, as is a pause; what a jump skips repeats what was before', async () => {
    const outline = {
      pauses: [{ startTick: 60, endTick: 90 }],
      kills: [{ tick: 150, attacker: 0, victim: 5 }],
      lastTick: 200,
    };
    const { gaps, lastTick, kills, tracks } = await readComposed(outline, { jumps: [{ atTick: 120, by: 5000 }] });
    expect(gaps).toEqual([
      { startTick: 60, endTick: 90 },
      { startTick: 120, endTick: 5120 },
    ]);
    expect(lastTick).toBe(5200);
    expect(kills.map(({ tick }) => tick)).toEqual([5150]);
    expect(tracks.x[3000 - tracks.firstTick]).toBe(tracks.x[119 - tracks.firstTick]);
  });
});
