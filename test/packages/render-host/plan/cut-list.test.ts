import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tooLong } from '#domain/clip/plan/clip-length.ts';
import { lowestSpeed, secondAt, shotSeconds } from '#domain/clip/plan/shot-time.ts';
import { framesOf, type KillSelection, longestClip } from '#domain/clip/render-order.ts';
import type { Match } from '#render-host/match/match.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildShot } from '#test/packages/render-host/builders.ts';
import { ANNA, BORIS, buildKill, buildMatch, buildRound, killSelection, planShots, timeline } from './build-match.ts';

const S = 64;

function shotsOf(match: Match, options: Partial<KillSelection>): readonly Shot[] {
  const plan = planShots(match, killSelection(options));
  return plan.ok ? plan.shots : [];
}

const rounds = [1, 5000, 9000].map((startTick, at) => buildRound({ number: at + 1, startTick }));
const kills = fc.array(fc.tuple(fc.integer({ min: 1, max: 11_990 }), fc.constantFrom(0, 1), fc.constantFrom(0, 1, 2)));
const matches = fc
  .record({ kills, gap: fc.tuple(fc.nat(11_000), fc.integer({ min: 1, max: 900 })), lastTick: fc.constant(12_000) })
  .map(({ kills, gap: [startTick, ticks], lastTick }) =>
    buildMatch({
      rounds,
      lastTick,
      gaps: [{ startTick, endTick: startTick + ticks }],
      kills: kills
        .toSorted(([a], [b]) => a - b)
        .map(([tick, attacker, victim]) => {
          const round = rounds.findLast((one) => one.startTick <= tick)?.number ?? 1;
          return buildKill({ tick, round, attacker: attacker === 0 ? 0 : 2, victim: victim === 0 ? 1 : victim });
        }),
    }),
  );
const seconds = (most: number) => fc.integer({ min: 50, max: most * 100 }).map((hundredths) => hundredths / 100);
const options = fc.record({
  preKillPadding: seconds(5),
  postKillPadding: seconds(5),
  pov: fc.constantFrom('killer', 'victim', 'both'),
  mergeGap: fc.constantFrom(0, 1, 5, 10),
  killSlowdown: fc.constantFrom(null, 0.1, 0.5, 1),
});

describe('a cut list of random kills and options', () => {
  test('has the killer in tick order without overlaps, and after each shot its kills from their victims', () => {
    fc.assert(
      fc.property(matches, options, (match, asked) => {
        const killers = shotsOf(match, { ...asked, pov: 'killer' });
        for (const [at, shot] of killers.entries()) {
          expect(shot.startTick).toBeGreaterThanOrEqual(killers[at - 1]?.endTick ?? 1);
        }
        const both = killers.flatMap((shot) => [[0, ...shot.kills], ...shot.kills.map((kill) => [kill.victim, kill])]);
        const listed = shotsOf(match, { ...asked, pov: 'both' }).map(({ pov, kills: shown }) => [pov, ...shown]);
        expect(listed).toEqual(both);
        const victims = shotsOf(match, { ...asked, pov: 'victim' });
        expect(victims.map(({ pov, kills: [kill] }) => [pov, kill])).toEqual(both.filter(([pov]) => pov !== 0));
      }),
    );
  });

  test('is the list of the defaults, joined and slowed', () => {
    fc.assert(
      fc.property(matches, options, (match, asked) => {
        const { mergeGap, killSlowdown, ...paddings } = { ...asked, pov: 'killer' as const };
        const plain = shotsOf(match, paddings);
        const listed = shotsOf(match, { ...paddings, mergeGap, killSlowdown });
        expect(listed.flatMap((shot) => shot.kills)).toEqual(plain.flatMap((shot) => shot.kills));
        for (const shot of listed) {
          const inside = plain.filter((one) => one.startTick >= shot.startTick && one.endTick <= shot.endTick);
          expect([inside[0]?.startTick, inside.at(-1)?.endTick]).toEqual([shot.startTick, shot.endTick]);
          for (const [at, one] of inside.entries()) {
            expect(one.startTick - (inside[at - 1]?.endTick ?? one.startTick)).toBeLessThanOrEqual(mergeGap * S);
          }
          expect(match.gaps.some(({ startTick }) => shot.startTick < startTick && startTick < shot.endTick)).toBe(
            plain.some((one) =>
              match.gaps.some(
                (gap) =>
                  one.startTick < gap.startTick &&
                  gap.startTick < one.endTick &&
                  one.startTick >= shot.startTick &&
                  one.endTick <= shot.endTick,
              ),
            ),
          );
          expect(lowestSpeed(shot)).toBe(killSlowdown ?? 1);
          expect(shotSeconds(shot, S)).toBeGreaterThanOrEqual((shot.endTick - shot.startTick) / S);
        }
      }),
    );
  });
});

describe('views of the victims', () => {
  const victims = [1, 1, 2, 1];
  const each = (ticks: readonly number[]) =>
    buildMatch({
      rounds,
      kills: ticks.map((tick, at) => buildKill({ tick, victim: victims[at] ?? 1, victimTeam: 'CT' })),
    });
  const listed = (match: Match, asked: Partial<KillSelection>) =>
    shotsOf(match, asked).map(({ pov, subject, startTick, endTick, kills: { length } }) => [
      ...[pov, subject, startTick, endTick, length],
    ]);

  test.each([
    ['one kill', [1000], ['A:1', 'b:1000']],
    ['two a tick apart', [1000, 1001], ['A:2', 'b:1000', 'b:1001']],
    ['two at one tick', [1000, 1000], ['A:2', 'b:1000', 'b:1000']],
    [
      'one victim twice, another between',
      [1000, 1064, 2000, 2064],
      ['A:2', 'b:1000', 'b:1064', 'A:2', 'c:2000', 'b:2064'],
    ],
  ])('of %s follow the shot of the killer in their order', (_name, ticks, order) => {
    const names = shotsOf(each(ticks), { pov: 'both' }).map(({ pov, kills: shown }) =>
      pov === 0 ? `A:${shown.length}` : `${'abc'[pov]}:${shown[0]?.tick}`,
    );
    expect(names).toEqual(order);
  });

  test('last from the padding before the kill to a second after it, and count for the killer', () => {
    expect(listed(each([1000]), { pov: 'victim' })).toEqual([[1, 0, 1000 - 3 * S, 1000 + S, 1]]);
    expect(listed(each([1000]), { pov: 'victim', postKillPadding: 0.5 })[0]?.[3]).toBe(1032);
    const cut = { ...each([1000]), gaps: [{ startTick: 900, endTick: 950 }] };
    expect(listed(cut, { pov: 'victim' })).toEqual([[1, 0, 950, 1000 + S, 1]]);
  });

  test('are not in the recording of another player, but in their own', () => {
    const match = each([1000]);
    expect(planShots({ ...match, recorder: 0 }, killSelection({ pov: 'both' }))).toMatchObject({ code: 'pov_only' });
    expect(planShots({ ...match, recorder: 0 }, killSelection({ pov: 'victim' }))).toMatchObject({
      facts: { player_asked: BORIS, recorded_by: ANNA },
    });
    expect(listed({ ...match, recorder: 1 }, { pov: 'victim' })).toHaveLength(1);
    expect(planShots({ ...match, recorder: 1 }, killSelection({ pov: 'both' }))).toMatchObject({ code: 'pov_only' });
  });
});

describe('a merge gap', () => {
  const match = buildMatch({ rounds, kills: [1000, 1640].map((tick) => buildKill({ tick })) });
  const spans = (asked: Partial<KillSelection>, of = match) =>
    shotsOf(of, asked).map(({ startTick, endTick }) => [startTick, endTick]);

  test('keeps windows of one round in one shot, up to its length', () => {
    expect(spans({ mergeGap: 5 })).toEqual([[808, 1768]]);
    expect(spans({ mergeGap: 4.98 })).toHaveLength(2);
  });

  test('ends at a gap of the recording, and at another round', () => {
    const inPause = [
      { startTick: 1200, endTick: 1600 },
      { startTick: 1300, endTick: 1350 },
    ];
    expect(spans({ mergeGap: 10 }, { ...match, gaps: inPause })).toEqual([
      [808, 1128],
      [1600, 1768],
    ]);
    expect(spans({ mergeGap: 10 }, { ...match, gaps: [{ startTick: 1200, endTick: 1300 }] })).toHaveLength(2);
    const later = [buildKill({ tick: 4800 }), buildKill({ tick: 5200, round: 2 })];
    expect(spans({ mergeGap: 10 }, buildMatch({ rounds, kills: later }))).toHaveLength(2);
  });
});

describe('slow kills', () => {
  const at = (...ticks: number[]) => buildMatch({ rounds, kills: ticks.map((tick) => buildKill({ tick })) });
  const [before, after, ramp] = [16, 22, 22];
  const speedsOf = (match: Match) => shotsOf(match, { killSlowdown: 0.5 }).map(({ speeds }) => speeds);

  test('have a ramp on either side', () => {
    expect(speedsOf(at(1000))).toEqual([
      [
        { tick: 1000 - before - ramp, speed: 1 },
        { tick: 1000 - before, speed: 0.5 },
        { tick: 1000 + after, speed: 0.5 },
        { tick: 1000 + after + ramp, speed: 1 },
      ],
    ]);
  });

  test('stay slow where their ramps meet', () => {
    const meets = after + 2 * ramp + before;
    expect(speedsOf(at(1000, 1000 + meets)).map((all) => all.map(({ tick }) => tick))).toEqual([
      [962, 984, 1022 + meets, 1044 + meets],
    ]);
    expect(speedsOf(at(1000, 1001 + meets))[0]).toHaveLength(8);
  });

  test('are never faster than the shot', () => {
    const [segment] = timeline([ANNA, 900, 1300]).segments;
    if (segment === undefined) return expect.unreachable();
    const plan = (speed: number, killSlowdown: number) => {
      const asked = { mode: 'timeline', segments: [{ ...segment, speed }], killSlowdown } as const;
      const result = planShots(at(1000), asked);
      return result.ok ? result.shots[0].speeds : [];
    };
    expect(plan(0.25, 0.5)).toEqual([{ tick: 900, speed: 0.25 }]);
    expect(plan(2, 0.5).map(({ speed }) => speed)).toEqual([2, 0.5, 0.5, 2]);
    expect(plan(1, 1)).toEqual([]);
  });

  test('leave a segment at its own speed without kills that count', () => {
    const warmUp = buildMatch({ kills: [buildKill({ tick: 1000, round: null })] });
    for (const [match, steam64Id] of [
      [at(1000), BORIS],
      [warmUp, ANNA],
    ] as const) {
      const segments = [{ steam64Id, startTick: 900, endTick: 1028, speed: 2 }];
      const plan = planShots(match, { mode: 'timeline', segments, killSlowdown: 0.5 });
      expect(plan.ok && secondAt(plan.shots[0], 1028, S)).toBe(1);
    }
  });
});

test('segments of one player merge only at one speed, and count by it', () => {
  const part = (startTick: number, speed: number) => ({ steam64Id: ANNA, startTick, endTick: startTick + 128, speed });
  const of = (...segments: ReturnType<typeof part>[]) => ({ mode: 'timeline', segments, killSlowdown: null }) as const;
  const lengths = (selection: ReturnType<typeof of>) => {
    const plan = planShots(buildMatch(), selection);
    return plan.ok ? plan.shots.map((shot) => shotSeconds(shot, S)) : [];
  };
  expect(lengths(of(part(64, 2), part(128, 2)))).toEqual([1.5]);
  expect(lengths(of(part(64, 2), part(128, 0.5)))).toEqual([1, 4]);
  expect(framesOf(of(part(64, 2), part(128, 0.5)), 30)).toBe(150);
  expect(longestClip(of(part(64, 2), part(128, 0.5)))).toBe(70);
  expect(longestClip({ ...of(part(64, 2), part(128, 1)), killSlowdown: 0.5 })).toBe(76);
});

const shot = (ticks: number) => buildShot({ startTick: 100, endTick: 100 + ticks });
const shots = (count: number, ticks: number) => Array.from({ length: count }, () => shot(ticks));
const SLOW = { tickRate: 64 };

test('a clip of all that the contract admits, 20 segments of 64,000 ticks at 120 frames a second, is rendered', () => {
  expect(tooLong(shots(20, 64_000), SLOW, 120)).toBeNull();
});

test.each([
  ['a second more', shots(20, 64_004), SLOW, 120, '20001 seconds, and 20000 is the most'],
  ['a recording that claims a tick a second', shots(1, 64_000), { tickRate: 1 }, 5, '64000 seconds'],
  ['takes without number', shots(1001, 64), SLOW, 30, '1001 shots, and 1000 is the most'],
])('%s is clip_too_long', (_what, long, match, fps, detail) => {
  expect(tooLong(long, match, fps)).toMatchObject({
    ok: false,
    code: 'clip_too_long',
    detail: expect.stringContaining(detail),
  });
});

test('a lower limit of the account replaces that of the host', () => {
  expect(tooLong(shots(1, 640), SLOW, 60, {}, 600)).toBeNull();
  expect(tooLong(shots(1, 640), SLOW, 61, {}, 600)).toMatchObject({
    facts: { unit: 'frames', length: 610, most: 600 },
  });
  expect(tooLong(shots(1, 640), SLOW, 60, { frames: 500 }, 600)).toMatchObject({ facts: { most: 500 } });
});

test('the operator may have less, in seconds and in frames', () => {
  expect(tooLong(shots(2, 640), SLOW, 30, { seconds: 20 })).toBeNull();
  expect(tooLong(shots(2, 640), SLOW, 30, { seconds: 19 })).toMatchObject({ code: 'clip_too_long' });
  expect(tooLong(shots(2, 640), SLOW, 30, { frames: 600 })).toBeNull();
  expect(tooLong(shots(2, 640), SLOW, 31, { frames: 600 })).toMatchObject({ detail: expect.stringMatching(/620 fr/) });
});
