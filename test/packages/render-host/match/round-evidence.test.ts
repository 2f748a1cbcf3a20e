import { describe, expect, test } from 'vitest';
import { readRounds } from '#render-host/match/read-rounds.ts';
import type { RoundSign, RulesState } from '#render-host/match/round-sign.ts';

const LAST_TICK = 50_000;

describe('signs of different sources', () => {
  const rules = (tick: number, overrides: Partial<RulesState>): RoundSign => ({
    kind: 'rules',
    tick,
    state: {
      starts: 1,
      ends: 0,
      played: 0,
      freeze: false,
      warmup: false,
      paused: false,
      over: false,
      decided: false,
      winner: null,
      reason: 0,
      roundSeconds: 115,
      liveAtSeconds: 0,
      ...overrides,
    },
  });
  const scores = (tick: number, T: number, CT: number): RoundSign => ({ kind: 'scores', tick, scores: { T, CT } });
  const read = (...signs: RoundSign[]) => readRounds(signs, 1, LAST_TICK);

  test('of one end are one end: the event has the tick, the rules or the scores the rest', () => {
    const { rounds, evidence } = read(
      { kind: 'start', tick: 10 },
      scores(10, 0, 0),
      rules(10, {}),
      { kind: 'end', tick: 500, winner: null, reason: 0 },
      scores(501, 1, 0),
      rules(502, { ends: 1, played: 1, decided: true, winner: 'T', reason: 9 }),
    );
    expect(rounds).toMatchObject([
      { number: 1, endTick: 500, winner: 'T', reason: 'terrorists_won', score: { T: 1, CT: 0 } },
    ]);
    expect(evidence).toEqual({ starts: ['events'], ends: ['events'], numbers: ['rules'] });
  });

  test('builds without counts of rounds show them by the freeze time and the status', () => {
    const old = { starts: null, ends: null };
    const { rounds } = read(
      rules(1, { ...old, freeze: true }),
      rules(100, old),
      rules(500, { ...old, decided: true, winner: 'CT', reason: 8, played: 1 }),
      rules(900, { ...old, freeze: true, played: 1 }),
    );
    expect(rounds).toMatchObject([
      { number: 1, startTick: 1, freezeEndTick: 100, endTick: 500, officialEndTick: 900, winner: 'CT' },
      { number: 2, startTick: 900 },
    ]);
  });

  test('a count that rises with the next start, not with the end, gives the same numbers', () => {
    const { rounds } = read(
      rules(1, {}),
      rules(500, { ends: 1, decided: true, winner: 'T', reason: 9 }),
      rules(900, { starts: 2, ends: 1, played: 1 }),
    );
    expect(rounds.map(({ number, startTick }) => [number, startTick])).toEqual([
      [1, 1],
      [2, 900],
    ]);
  });

  test('the game commencing ends no round in the rules either', () => {
    const { rounds } = read(rules(1, {}), rules(50, { ends: 1, reason: 16 }), rules(80, { ends: 1, starts: 2 }));
    expect(rounds).toMatchObject([{ number: 1, startTick: 80, endTick: null }]);
  });

  test('scores that are sent one after the other when the sides change end no round', () => {
    const { rounds } = read(scores(1, 7, 8), scores(500, 8, 8), scores(503, 8, 7));
    expect(rounds).toMatchObject([{ number: 16, endTick: null }]);
  });

  test('what follows the end of the match belongs to no round', () => {
    const { rounds, roundAt } = read(
      rules(1, { played: 20 }),
      rules(500, { played: 21, ends: 1, decided: true, winner: 'T', reason: 9 }),
      rules(600, { played: 21, ends: 1, decided: true, winner: 'T', reason: 9, over: true }),
      rules(900, { starts: 2, ends: 1, played: 0 }),
    );
    expect(rounds.map(({ number }) => number)).toEqual([21]);
    expect([550, 700, 950].map(roundAt)).toEqual([21, 21, null]);
  });

  test('a recording that begins at the end of a match continues with the next', () => {
    const { rounds } = read(
      rules(1, { played: 21, over: true, decided: true }),
      rules(300, { starts: 2, warmup: true }),
      rules(900, { starts: 3 }),
    );
    expect(rounds).toMatchObject([{ number: 1, startTick: 900 }]);
  });
});
