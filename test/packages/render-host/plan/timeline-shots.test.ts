import { describe, expect, test } from 'vitest';
import type { TimelineSelection } from '#domain/clip/render-order.ts';
import { ANNA, BORIS, buildKill, buildMatch, buildRound, planShots, timeline } from './build-match.ts';

const match = buildMatch({
  rounds: [buildRound({ number: 1, startTick: 100 }), buildRound({ number: 2, startTick: 5000 })],
  kills: [
    buildKill({ tick: 1000 }),
    buildKill({ tick: 1010, attacker: 1, victim: 2, attackerTeam: 'CT', victimTeam: 'T' }),
    buildKill({ tick: 1200 }),
  ],
});

/** `[player, start, end]` of every shot, or the failure's code. */
function plan(selection: TimelineSelection) {
  const result = planShots(match, selection);
  if (!result.ok) return result.code;
  return result.shots.map(({ pov, startTick, endTick }) => [match.players[pov]?.name, startTick, endTick]);
}

describe('segments of a timeline', () => {
  test.each([
    {
      name: 'keep the order given, even backwards in time',
      segments: timeline([ANNA, 3000, 3100], [BORIS, 1000, 1100], [ANNA, 200, 300]),
      shots: [
        ['Anna', 3000, 3100],
        ['Boris', 1000, 1100],
        ['Anna', 200, 300],
      ],
    },
    {
      name: 'of one player stay apart when a tick lies between them',
      segments: timeline([ANNA, 1000, 1200], [ANNA, 1201, 1300]),
      shots: [
        ['Anna', 1000, 1200],
        ['Anna', 1201, 1300],
      ],
    },
    {
      name: 'wholly outside the demo fail the job',
      segments: timeline([ANNA, 100, 200], [ANNA, 20_000, 20_100]),
      shots: 'segment_not_in_demo',
    },
    {
      name: 'of a player who is not in the demo fail the job',
      segments: timeline([ANNA, 100, 200], ['76561198999999999', 100, 200]),
      shots: 'player_not_in_demo',
    },
  ])('$name', ({ segments, shots }) => {
    expect(plan(segments)).toEqual(shots);
  });

  test('carry the kills of their own player only, and the round they start in', () => {
    const result = planShots(match, timeline([ANNA, 900, 1200], [BORIS, 5000, 5100], [ANNA, 10, 74]));
    const shots = result.ok ? result.shots : [];
    expect(shots.map(({ round, kills }) => [round, kills.map(({ tick }) => tick)])).toEqual([
      [1, [1000]],
      [2, []],
      [null, []],
    ]);
  });
});

describe('a timeline that cannot be shown', () => {
  const within = buildMatch({ gaps: [{ startTick: 2000, endTick: 3000 }] });

  test('says which ticks were asked for, and which there are', () => {
    expect(planShots(within, timeline([ANNA, 30_000, 40_000]))).toEqual({
      ok: false,
      code: 'segment_not_in_demo',
      detail: 'ticks 30000 to 40000 are not in the demo, which has 1 to 20000',
      facts: { start_tick: 30_000, end_tick: 40_000, first_tick: 1, last_tick: 20_000 },
    });
  });

  test('says that there is nothing in it', () => {
    expect(planShots(within, timeline())).toEqual({
      ok: false,
      code: 'render_failed',
      detail: 'the timeline is empty',
    });
  });

  test('is shown up to a gap, and from its end', () => {
    const ranges = (start: number, end: number) => {
      const result = planShots(within, timeline([ANNA, start, end]));
      return result.ok ? result.shots.map(({ startTick, endTick }) => [startTick, endTick]) : result.code;
    };
    expect(ranges(1900, 2000)).toEqual([[1900, 2000]]);
    expect(ranges(3000, 3100)).toEqual([[3000, 3100]]);
    expect(ranges(3500, 3600)).toEqual([[3500, 3600]]);
    expect(ranges(2000, 3100)).toEqual([[3000, 3100]]);
    expect(ranges(1900, 3000)).toEqual([[1900, 2000]]);
    expect(ranges(2000, 3000)).toBe('segment_not_in_demo');
  });

  test('has the kill of its first tick, and not that of its end', () => {
    const kills = [buildKill({ tick: 1000 }), buildKill({ tick: 1100 })];
    const result = planShots(buildMatch({ kills }), timeline([ANNA, 1000, 1100]));
    expect(result.ok && result.shots[0].kills.map(({ tick }) => tick)).toEqual([1000]);
  });
});
