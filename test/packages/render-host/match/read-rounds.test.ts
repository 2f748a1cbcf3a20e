import { expect, test } from 'vitest';
import { readRounds } from '#render-host/match/read-rounds.ts';
import type { RoundSign } from '#render-host/match/round-sign.ts';

const KINDS = new Map<string, Exclude<RoundSign['kind'], 'end' | 'rules' | 'scores'>>([
  ['start', 'start'],
  ['freeze', 'freezeEnd'],
  ['official', 'officialEnd'],
  ['begin', 'matchBegun'],
  ['announce', 'matchStart'],
  ['warmup', 'warmup'],
  ['over', 'matchOver'],
]);

/** Reads what happens and when: `start 10, freeze 110, kill 500, end 900 T, official 1000`. An end may have a reason. */
const stepsOf = (text: string) =>
  text.split(', ').map((step) => {
    const [name = '', tick, winner, reason = 9] = step.split(' ');
    return { name, tick: Number(tick), winner, reason: Number(reason) };
  });

const signsOf = (text: string) =>
  stepsOf(text).flatMap(({ name, tick, winner, reason }): RoundSign[] => {
    if (name === 'end') return [{ kind: 'end', tick, winner: winner === 'CT' ? 'CT' : 'T', reason }];
    const kind = KINDS.get(name);
    return kind ? [{ kind, tick }] : [];
  });

const LAST_TICK = 50_000;

/** Returns the start, freeze end, end and official end of each round, and the rounds of the kills. */
function play(text: string) {
  const { rounds, roundAt } = readRounds(signsOf(text), 1, LAST_TICK);
  expect(rounds.map(({ number }) => number)).toEqual(rounds.map((_, at) => at + 1));
  return {
    rounds: rounds.map(({ startTick, freezeEndTick, endTick, officialEndTick }) =>
      [startTick, freezeEndTick, endTick, officialEndTick].map((tick) => tick ?? '–').join(' '),
    ),
    kills: stepsOf(text).flatMap(({ name, tick }) => (name === 'kill' ? [roundAt(tick)] : [])),
  };
}

const played = (start: number) =>
  `start ${start}, freeze ${start + 100}, kill ${start + 500}, end ${start + 900} T, official ${start + 1000}`;
const round = (start: number) => `${start} ${start + 100} ${start + 900} ${start + 1000}`;

test.each<{ name: string; steps: string; rounds: string[]; kills: (number | null)[] }>([
  {
    name: 'rounds are numbered in their order',
    steps: `${played(10)}, ${played(1010)}, ${played(2010)}`,
    rounds: [round(10), round(1010), round(2010)],
    kills: [1, 2, 3],
  },
  {
    name: 'a kill between the end of a round and the next start belongs to the round before',
    steps: 'start 10, end 500 T, kill 550, official 600, kill 605, start 610, kill 615',
    rounds: ['10 – 500 600', '610 – – –'],
    kills: [1, 1, 2],
  },
  {
    name: 'an official end in the tick of the next start belongs to the round before, sent first or second',
    steps: 'start 10, end 500 T, start 600, official 600, kill 700, end 900 T',
    rounds: ['10 – 500 600', '600 – 900 –'],
    kills: [2],
  },
  {
    name: 'what is played in an announced warm-up does not count',
    steps: 'warmup 5, start 10, kill 50, end 100 T, begin 200, start 200, kill 300',
    rounds: ['200 – – –'],
    kills: [null, 1],
  },
  {
    name: 'a warm-up that nobody announced ends where the match begins',
    steps: `kill 50, start 100, kill 150, begin 200, ${played(200)}`,
    rounds: [round(200)],
    kills: [null, null, 1],
  },
  {
    name: 'a knife round does not count once the match begins anew',
    steps: `begin 5, ${played(10)}, begin 1500, ${played(1500)}, ${played(2500)}`,
    rounds: [round(1500), round(2500)],
    kills: [null, 1, 2],
  },
  {
    name: 'the match start, announced as the first freeze time ends, leaves that round alone',
    steps: 'begin 10, start 10, freeze 110, announce 110, kill 500, end 900 CT',
    rounds: ['10 110 900 –'],
    kills: [1],
  },
  {
    name: 'a round that was rolled back is replaced by the one played in its stead',
    steps: `${played(10)}, start 1010, kill 1100, ${played(2010)}, ${played(3010)}`,
    rounds: [round(10), round(2010), round(3010)],
    kills: [1, null, 2, 3],
  },
  {
    name: 'in a demo that reports no ends every start is a round',
    steps: 'start 10, kill 50, start 1000, kill 1050, start 2000',
    rounds: ['10 – – –', '1000 – – –', '2000 – – –'],
    kills: [1, 2],
  },
  {
    name: 'a recording that starts amid a round counts that round from its first tick',
    steps: `kill 50, end 100 T, official 200, ${played(200)}`,
    rounds: ['1 – 100 200', round(200)],
    kills: [1, 2],
  },
  {
    name: 'a recording without round starts takes the ends of the freeze times',
    steps: 'freeze 100, end 500 T, freeze 900, kill 950, end 1500 T',
    rounds: ['1 100 500 900', '900 900 1500 –'],
    kills: [2],
  },
  {
    name: 'a recording with nothing but round ends counts those',
    steps: 'kill 50, end 500 T, official 600, kill 550, end 1500 CT',
    rounds: ['1 – 500 600', '600 – 1500 –'],
    kills: [1, 1],
  },
  {
    name: 'events sent twice count once',
    steps: 'start 10, start 10, freeze 110, freeze 110, end 500 T, end 500 T',
    rounds: ['10 110 500 –'],
    kills: [],
  },
  {
    name: 'the game commencing ends no round',
    steps: `start 10, kill 50, end 100 CT 16, ${played(200)}`,
    rounds: [round(200)],
    kills: [null, 1],
  },
  {
    name: 'what follows the end of the match belongs to no round, but the last kills do',
    steps: `${played(10)}, ${played(1010)}, over 2000, kill 2010, begin 2500, ${played(2500)}`,
    rounds: [round(10), round(1010)],
    kills: [1, 2, 2, null],
  },
  {
    name: 'a demo without any event is one round from its first tick',
    steps: '',
    rounds: ['1 – – –'],
    kills: [],
  },
])('$name', ({ steps, rounds, kills }) => {
  expect(play(steps)).toEqual({ rounds, kills });
});

test.each([
  [5, 2],
  [6, 1],
  [10, 1],
])('a new scoreboard after which %d of ten players are on the other side begins %d part(s)', (changed, parts) => {
  const steps = `begin 5, ${played(10)}, begin 1500, ${played(1500)}`;
  const sidesAt = (tick: number) =>
    new Map(
      Array.from(
        { length: 10 },
        (_, player) => [player, (tick > 1500 && player < changed) !== player < 5 ? 'T' : 'CT'] as const,
      ),
    );
  const { rounds, otherParts } = readRounds(signsOf(steps), 1, LAST_TICK, sidesAt);
  expect([rounds.length, otherParts.length]).toEqual([3 - parts, parts - 1]);
});
