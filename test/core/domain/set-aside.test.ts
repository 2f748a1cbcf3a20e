import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#domain/error-codes.ts';
import { afterAttempt, type HostFaults, isOnTrial, isSetAside, NO_FAULTS } from '#domain/set-aside.ts';
import { T0 } from './builders.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface End {
  readonly job: string;
  /** Null for a clip. */
  readonly code: ErrorCode | null;
  readonly at?: number;
}
const fault = (job: string, at = T0): End => ({ job, code: 'cs2_unavailable', at });

let fence = 0;
const counted = (faults: HostFaults, { job, code, at = T0 }: End) =>
  afterAttempt(faults, job, { hostId: 'h', fence: ++fence, code, at });
const failedBy = (...ends: End[]) => ends.reduce(counted, NO_FAULTS);

describe('a host', () => {
  it.each<[string, End[], boolean]>([
    ['two jobs by its own fault', [fault('a'), fault('b')], false],
    ['three of them', [fault('a'), fault('b'), fault('c')], true],
    ['one job again and again', [fault('a'), fault('a'), fault('a'), fault('a')], false],
    ['a bad demo in between', [fault('a'), fault('b'), { job: 'x', code: 'demo_failed_parse' }, fault('c')], false],
    ['a clip in between', [fault('a'), fault('b'), { job: 'x', code: null }, fault('c'), fault('d')], false],
    ['three files of 24 bytes', ['a', 'b', 'c'].map((job) => ({ job, code: 'demo_failed_parse' as const })), false],
    [
      'three demos that its game refuses',
      ['a', 'b', 'c'].map((job) => ({ job, code: 'demo_incompatible' as const })),
      false,
    ],
  ])('that failed %s', (_, ends, isAside) => {
    expect(isSetAside(failedBy(...ends), T0)).toBe(isAside);
  });

  it('is set aside for five minutes, then for twice as long each time, and for four hours at most', () => {
    let faults = failedBy(fault('a'), fault('b'), fault('c'));
    let now = T0;
    for (const minutes of [5, 10, 20, 40, 80, 160, 240, 240]) {
      expect(faults.until - now).toBe(minutes * MINUTE);
      expect(isSetAside(faults, faults.until - 1)).toBe(true);
      expect(isOnTrial(faults, faults.until - 1)).toBe(false);
      now = faults.until;
      expect(isSetAside(faults, now)).toBe(false);
      expect(isOnTrial(faults, now)).toBe(true);
      faults = counted(faults, fault('c', now));
    }
  });

  it('is as good as new once it has made a clip, also while it is set aside', () => {
    const aside = failedBy(fault('a'), fault('b'), fault('c'));
    expect(counted(aside, { job: 'd', code: null })).toEqual(NO_FAULTS);
  });

  it('that fails again what it had in hand is set aside no longer for it', () => {
    const aside = failedBy(fault('a'), fault('b'), fault('c'));
    const later = T0 + MINUTE;
    expect(counted(aside, fault('d', later))).toEqual(aside);
    expect(counted(aside, { job: 'e', code: 'demo_404', at: later })).toEqual(aside);
  });

  it('that is tried and meets a bad demo is tried further, and then set aside for longer', () => {
    const aside = failedBy(fault('a'), fault('b'), fault('c'));
    const now = aside.until;
    const met = counted(aside, { job: 'd', code: 'demo_404', at: now });
    expect([isSetAside(met, now), isOnTrial(met, now)]).toEqual([false, false]);
    const again = [fault('e', now), fault('f', now), fault('g', now)].reduce(counted, met);
    expect(again.until - now).toBe(10 * MINUTE);
  });

  it('hears of one end of an attempt once', () => {
    const end = { hostId: 'h', fence: 1, code: 'cs2_unavailable', at: T0 } as const;
    const aside = failedBy(fault('a'), fault('b'), fault('c'));
    const tried = afterAttempt(aside, 'd', { ...end, at: aside.until });
    expect(afterAttempt(tried, 'd', { ...end, at: tried.until })).toBe(tried);
  });
});

describe('whatever a host does', () => {
  const ends = fc.array(
    fc.record({
      job: fc.integer({ min: 0, max: 6 }).map(String),
      code: fc.constantFrom<ErrorCode | null>('cs2_unavailable', 'cs2_unavailable', 'demo_404', 'upload_error', null),
      wait: fc.constantFrom(0, MINUTE, 6 * MINUTE, HOUR, 5 * HOUR),
    }),
    { maxLength: 40 },
  );

  /** Returns a model that reads the whole history each time. */
  function model(past: readonly { job: string; code: ErrorCode | null; at: number }[], now: number): boolean {
    let times = 0;
    let until = 0;
    let failed: string[] = [];
    for (const { job, code, at } of past) {
      if (code === null) [times, until, failed] = [0, 0, []];
      else if (at < until) continue;
      else if (code !== 'cs2_unavailable') failed = [];
      else if (failed.length >= 3 || new Set([...failed, job]).size >= 3) {
        failed = ['', '', ''];
        until = at + Math.min(5 * MINUTE * 2 ** times++, 4 * HOUR);
      } else failed = [...new Set([...failed, job])];
    }
    return now < until;
  }

  it('it is set aside exactly when three jobs in a row failed by its fault, for as long as it should be', () => {
    fc.assert(
      fc.property(ends, (random) => {
        let faults = NO_FAULTS;
        let at = T0;
        const past: { job: string; code: ErrorCode | null; at: number }[] = [];
        for (const { job, code, wait } of random) {
          at += wait;
          past.push({ job, code, at });
          faults = counted(faults, { job, code, at });
          for (const now of [at, at + 4 * MINUTE, at + HOUR, at + 4 * HOUR]) {
            expect(isSetAside(faults, now)).toBe(model(past, now));
          }
          expect(isSetAside(faults, at + 4 * HOUR)).toBe(false);
          expect(faults.jobs.length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  it('without a fault of its own it is never set aside', () => {
    const innocent = ends.map((all) => all.filter(({ code }) => code !== 'cs2_unavailable'));
    fc.assert(
      fc.property(innocent, (random) => {
        const faults = random.reduce((before, { job, code }) => counted(before, { job, code }), NO_FAULTS);
        expect(isSetAside(faults, T0)).toBe(false);
      }),
    );
  });
});

it('a host without a substitute is not set aside, and is as soon as there is one', () => {
  const end = (fence: number) => ({ hostId: 'h', fence, code: 'cs2_unavailable', at: 0 }) as const;
  let faults = NO_FAULTS;
  for (let fence = 1; fence <= 10; fence++) faults = afterAttempt(faults, `j${fence}`, end(fence), false);
  expect(faults).toMatchObject({ until: 0, times: 0 });
  expect(isOnTrial(faults, 0)).toBe(false);
  expect(isSetAside(afterAttempt(faults, 'j11', end(11), true), 1)).toBe(true);
});
