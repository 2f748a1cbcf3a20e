import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Match, Round } from '#render-host/match/match.ts';
import type { Shot } from '#scene/plan/shot.ts';
import {
  ANNA,
  BORIS,
  bothPlans,
  buildKill,
  buildMatch,
  buildRound,
  CLEO,
  killSelection,
  planShots,
  timeline,
} from './build-match.ts';

const TICK_RATE = 64;
const padding = fc.integer({ min: 50, max: 500 }).map((hundredths) => hundredths / 100);

/** Rounds one after the other, most of them decided, with Anna's and other kills anywhere in them. */
const matches: fc.Arbitrary<Match> = fc
  .record({
    firstTick: fc.integer({ min: 0, max: 300 }),
    tail: fc.integer({ min: 1, max: 900 }),
    rounds: fc.array(
      fc.record({
        ticks: fc.integer({ min: 20, max: 3000 }),
        decidedAfter: fc.option(fc.double({ min: 0.1, max: 1, noNaN: true })),
        winner: fc.constantFrom('T' as const, 'CT' as const, null),
        kills: fc.array(fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), by: fc.nat(1) })),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ firstTick, tail, rounds }) => {
    let tick = firstTick + 1;
    const built: Round[] = [];
    const kills = rounds.flatMap(({ ticks, decidedAfter, winner, kills: inRound }, index) => {
      const startTick = tick;
      tick += ticks;
      const endTick = decidedAfter === null ? null : startTick + Math.floor(decidedAfter * (ticks - 1));
      built.push(buildRound({ number: index + 1, startTick, endTick, officialEndTick: endTick && tick, winner }));
      return inRound
        .map(({ at, by }) => ({ killTick: startTick + Math.floor(at * ticks), by }))
        .sort((a, b) => a.killTick - b.killTick)
        .map(({ killTick, by }) => buildKill({ tick: killTick, round: index + 1, attacker: by === 0 ? 0 : 2 }));
    });
    return buildMatch({ firstTick, lastTick: tick + tail, rounds: built, kills });
  });

function shotsOf(match: Match, before: number, after: number): readonly Shot[] {
  const result = planShots(match, killSelection({ preKillPadding: before, postKillPadding: after }));
  return result.ok ? result.shots : [];
}

function covered(ranges: readonly { start: number; end: number }[]): Set<number> {
  const ticks = new Set<number>();
  for (const { start, end } of ranges) for (let tick = start; tick < end; tick += 1) ticks.add(tick);
  return ticks;
}

function missing(ticks: ReadonlySet<number>, ...from: readonly ReadonlySet<number>[]): number[] {
  return [...ticks].filter((tick) => !from.some((others) => others.has(tick)));
}

describe('a plan of kills', () => {
  test('shows every kill window, clamped to the demo, and nothing else but win announcements', () => {
    fc.assert(
      fc.property(matches, padding, padding, (match, before, after) => {
        const own = match.kills.filter(({ attacker }) => attacker === 0);
        const windows = own.map(({ tick }) => ({
          start: Math.max(1, match.firstTick, tick - Math.round(TICK_RATE * before)),
          end: Math.min(match.lastTick, tick + Math.round(TICK_RATE * after)),
        }));
        const announcements = match.rounds.flatMap(({ endTick }) =>
          endTick === null ? [] : [{ start: endTick - TICK_RATE, end: endTick + 5 * TICK_RATE }],
        );
        const shots = shotsOf(match, before, after);
        const shown = covered(shots.map(({ startTick, endTick }) => ({ start: startTick, end: endTick })));
        const wanted = covered(windows);
        expect(missing(wanted, shown)).toEqual([]);
        expect(missing(shown, wanted, covered(announcements))).toEqual([]);
      }),
    );
  });

  test('is in tick order, without overlaps, empty shots or ticks outside the demo', () => {
    fc.assert(
      fc.property(matches, padding, padding, (match, before, after) => {
        let previousEnd = Math.max(1, match.firstTick);
        for (const { startTick, endTick } of shotsOf(match, before, after)) {
          expect(startTick).toBeGreaterThanOrEqual(previousEnd);
          expect(endTick).toBeGreaterThan(startTick);
          previousEnd = endTick;
        }
        expect(previousEnd).toBeLessThanOrEqual(match.lastTick);
      }),
    );
  });

  test('holds every kill of the player once, in a shot of its round that shows it', () => {
    fc.assert(
      fc.property(matches, padding, padding, (match, before, after) => {
        const shots = shotsOf(match, before, after);
        expect(shots.flatMap(({ kills }) => kills)).toEqual(match.kills.filter(({ attacker }) => attacker === 0));
        for (const { startTick, endTick, round, kills } of shots) {
          for (const kill of kills) {
            expect(kill.round).toBe(round);
            expect(kill.tick).toBeGreaterThanOrEqual(startTick);
            expect(kill.tick).toBeLessThan(endTick);
          }
        }
      }),
    );
  });
});

describe('a plan of a timeline', () => {
  const segments = fc.array(
    fc
      .tuple(fc.constantFrom(ANNA, BORIS), fc.integer({ min: 0, max: 19_000 }), fc.integer({ min: 64, max: 6000 }))
      .map(([player, start, length]): [string, number, number] => [player, start, start + length]),
    { minLength: 1, maxLength: 20 },
  );

  test('shows what each player was asked for, and never cuts where it need not', () => {
    fc.assert(
      fc.property(segments, (asked) => {
        const match = buildMatch();
        const result = planShots(match, timeline(...asked));
        const shots = result.ok ? result.shots : [];
        for (const [pov, { steamId }] of match.players.entries()) {
          const wanted = asked.filter(([player]) => player === steamId);
          const clamped = wanted.map(([, start, end]) => ({ start: Math.max(1, start), end: Math.min(20_000, end) }));
          const own = shots.filter((shot) => shot.pov === pov);
          const shown = own.map(({ startTick, endTick }) => ({ start: startTick, end: endTick }));
          expect(covered(shown)).toEqual(covered(clamped));
        }
        for (const [at, shot] of shots.entries()) {
          const next = shots[at + 1];
          if (next?.pov !== shot.pov) continue;
          expect(next.startTick > shot.endTick || next.endTick < shot.startTick).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a plan of an inspected demo', () => {
  const side = fc.constantFrom('T' as const, 'CT' as const, null);
  const player = fc.constantFrom(0, 1, 2, null);
  const tick = fc.integer({ min: 0, max: 7000 });
  const kill = fc.record({
    tick,
    attacker: player,
    victim: fc.nat(2),
    attackerTeam: side,
    victimTeam: side,
    round: fc.constantFrom(null, 1, 2, 3),
  });
  const span = fc.tuple(tick, fc.integer({ min: 64, max: 900 }));
  const starts = [100, 2500, 4600];
  const anyMatch = fc
    .record({
      kills: fc.array(kill, { maxLength: 12 }),
      gaps: fc.array(span, { maxLength: 3 }),
      recorder: player,
      ends: fc.array(fc.option(fc.integer({ min: 60, max: 2000 })), { minLength: 3, maxLength: 3 }),
      official: fc.option(fc.integer({ min: 0, max: 600 })),
      winner: side,
      firstTick: fc.nat(200),
      tickRate: fc.constantFrom(64, 128, 63.9),
    })
    .map(({ kills, gaps, ends, official, winner, ...rest }) =>
      buildMatch({
        ...rest,
        lastTick: 7000,
        gaps: gaps.sort(([a], [b]) => a - b).map(([startTick, ticks]) => ({ startTick, endTick: startTick + ticks })),
        kills: kills.sort((a, b) => a.tick - b.tick).map((one) => buildKill(one)),
        rounds: starts.map((startTick, at) => {
          const endTick = ends[at] == null ? null : startTick + ends[at];
          const officialEndTick = endTick === null || official === null ? null : endTick + official;
          return buildRound({ number: at + 1, startTick, endTick, officialEndTick, winner });
        }),
      }),
    );
  const steam64Id = fc.constantFrom(ANNA, BORIS, CLEO, '76561198000000009');
  const selections = fc.oneof(
    fc
      .record({
        steam64Id,
        round: fc.constantFrom(null, 1, 2, 3, 9),
        preKillPadding: padding,
        postKillPadding: padding,
        pov: fc.constantFrom('killer', 'victim', 'both'),
        mergeGap: fc.constantFrom(0, 5, 10),
        killSlowdown: fc.constantFrom(null, 0.5),
      })
      .map(killSelection),
    fc
      .array(fc.tuple(steam64Id, fc.nat(8000), fc.integer({ min: 64, max: 3000 })), { minLength: 1, maxLength: 5 })
      .map((all) => timeline(...all.map(([id, at, ticks]): [string, number, number] => [id, at, at + ticks])))
      .chain((asked) => fc.constantFrom(null, 0.5).map((killSlowdown) => ({ ...asked, killSlowdown }))),
  );

  test('has the shots of the host, or the same reason why there are none', { tags: ['long'] }, () => {
    const codes = new Set<unknown>();
    fc.assert(
      fc.property(anyMatch, selections, (match, selection) => {
        const [ofHost, ofInspection] = bothPlans(match, selection);
        expect(ofInspection).toEqual(ofHost);
        codes.add('code' in ofHost ? ofHost.code : 'shots');
      }),
      { numRuns: 2000 },
    );
    const known = ['no_kills_found', 'player_not_in_demo', 'pov_only', 'segment_not_in_demo', 'shots'];
    expect([...codes].sort()).toEqual(known);
  });
});
