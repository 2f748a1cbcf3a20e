import { describe, expect, it } from 'vitest';
import { billedSeconds, DAY_MS, dayState, isoDate } from '#domain/job/metering.ts';
import {
  afterBusy,
  afterFailure,
  afterRest,
  afterTaken,
  type Circuit,
  CLOSED,
  openSlots,
} from '#domain/lib/circuit-breaker.ts';
import { createRateBuckets, createRecent } from '#domain/lib/rate-buckets.ts';
import { alertsOf } from '#domain/operate/alerts.ts';
import { T0 } from './builders.ts';

const POLICY = { name: 'things', limit: 2, windowMs: 60_000 };

/** Counts the allowed calls of a client that tries every `everyMs` milliseconds in a span of time. */
function through(limit: number, everyMs: number, fromMs: number, untilMs: number): number {
  const buckets = createRateBuckets({ name: 'things', limit, windowMs: 60_000 });
  let taken = 0;
  for (let at = 0; at < untilMs; at += everyMs) {
    if (buckets.waitOf('a', T0 + at) > 0) continue;
    buckets.count('a', T0 + at);
    if (at >= fromMs) taken++;
  }
  return taken;
}

describe('a limit', () => {
  it('lets as many through at once, says how long to wait, and lets one more through after that', () => {
    const buckets = createRateBuckets(POLICY);
    expect(buckets.waitOf('a', T0)).toBe(0);
    buckets.count('a', T0);
    expect(buckets.waitOf('a', T0)).toBe(0);
    buckets.count('a', T0);
    expect(buckets.waitOf('a', T0)).toBe(30_000);
    expect(buckets.waitOf('a', T0 + 20_000)).toBe(10_000);
    expect(buckets.waitOf('b', T0 + 20_000)).toBe(0);
    expect(buckets.waitOf('a', T0 + 30_000)).toBe(0);
    buckets.count('a', T0 + 30_000);
    expect(buckets.waitOf('a', T0 + 30_000)).toBe(30_000);
    expect(buckets.waitOf('a', T0 + 90_000)).toBe(0);
  });

  it.each([1, 7, 2400])('of %d a minute is told in whole milliseconds that are long enough', (limit) => {
    const buckets = createRateBuckets({ ...POLICY, limit });
    let now = T0;
    for (let i = 0; i < 3 * limit; i++) {
      now += buckets.waitOf('a', now);
      expect(buckets.waitOf('a', now)).toBe(0);
      buckets.count('a', now);
    }
    expect(now - T0).toBeGreaterThanOrEqual(120_000);
    expect(now - T0).toBeLessThan(120_000 + 3 * limit);
  });

  it('is never taken twice within a second by a flooding client, except in the first window', () => {
    const MINUTE = 60_000;
    expect(through(600, 10, 0, MINUTE)).toBeLessThanOrEqual(1200);
    for (let second = 60; second < 200; second++) {
      expect(through(600, 10, second * 1000, (second + 1) * 1000)).toBeLessThanOrEqual(11);
    }
    expect(through(600, 10, MINUTE, 6 * MINUTE)).toBe(3000);
  });

  it('is not retried sooner if the clock goes back', () => {
    const buckets = createRateBuckets(POLICY);
    buckets.fill('a', T0);
    expect(buckets.waitOf('a', T0 - 5000)).toBe(60_000);
  });

  it('evicts only the oldest key when there are too many', () => {
    const buckets = createRateBuckets(POLICY, 3);
    for (const key of ['a', 'b', 'c', 'd']) buckets.fill(key, T0);
    expect(['a', 'b', 'c', 'd'].map((key) => buckets.waitOf(key, T0) > 0)).toEqual([false, true, true, true]);
    // A known key evicts none, and an empty bucket is like a new one.
    buckets.count('c', T0);
    for (const key of ['b', 'e']) buckets.fill(key, T0 + 200_000);
    expect(['b', 'c', 'd', 'e'].map((key) => buckets.waitOf(key, T0) > 0)).toEqual([true, false, true, true]);
  });
});

/** Returns the circuit after so many failures, each after the rest of the one before. */
function failed(times: number, jitter = 1): Circuit {
  let circuit = CLOSED;
  for (let n = 0; n < times; n++) {
    circuit = afterRest(circuit, Number.POSITIVE_INFINITY);
    circuit = afterFailure(circuit, circuit, T0, jitter);
  }
  return circuit;
}
const rested = (circuit: Circuit) => afterRest(circuit, circuit.restUntil ?? 0);

describe('a push host', () => {
  it('rests until its time is over, and not a moment less', () => {
    const circuit = failed(1);
    expect(circuit.restUntil).toBe(T0 + 1000);
    expect(openSlots(afterRest(circuit, T0 + 999), 4)).toBe(0);
    expect(openSlots(afterRest(circuit, T0 + 1000), 4)).toBe(4);
  });

  it('rests twice as long each time, up to five minutes, spread over the upper half', () => {
    const rests = (jitter: number) => [1, 2, 3, 9, 10, 1000].map((n) => (failed(n, jitter).restUntil ?? 0) - T0);
    expect(rests(1)).toEqual([1000, 2000, 4000, 256_000, 300_000, 300_000]);
    expect(rests(0)).toEqual([500, 1000, 2000, 128_000, 150_000, 150_000]);
  });

  it('that has failed three times in a row is tried with one job, until it takes one', () => {
    expect(openSlots(rested(failed(2)), 4)).toBe(4);
    expect(openSlots(rested(failed(3)), 4)).toBe(1);
    expect(openSlots(rested(failed(9)), 4)).toBe(1);
    expect(openSlots(rested(failed(3)), 0)).toBe(0);
    expect(afterTaken(rested(failed(3)))).toEqual(CLOSED);
  });

  it('has failed once where several calls failed at a time', () => {
    const once = afterFailure(CLOSED, CLOSED, T0, 1);
    expect(afterFailure(once, CLOSED, T0 + 100, 1)).toEqual(once);
    expect(afterFailure(once, once, T0 + 100, 1).failures).toBe(2);
  });

  it('rests as long as it says, within a second and an hour, which is no failure and no proof of health', () => {
    expect(afterBusy(CLOSED, 30_000, T0)).toEqual({ failures: 0, restUntil: T0 + 30_000 });
    expect(afterBusy(CLOSED, -5, T0).restUntil).toBe(T0 + 1000);
    expect(afterBusy(CLOSED, 1e12, T0).restUntil).toBe(T0 + 3_600_000);
    expect(afterBusy(rested(failed(3)), 1000, T0).failures).toBe(3);
  });

  it('never rests less than it was going to, and a job that it took before changes nothing about that', () => {
    const long = afterBusy(CLOSED, 60_000, T0);
    expect(afterBusy(long, 1000, T0).restUntil).toBe(T0 + 60_000);
    expect(afterFailure(long, long, T0, 1).restUntil).toBe(T0 + 60_000);
    expect(afterTaken(long)).toEqual({ failures: 0, restUntil: T0 + 60_000 });
  });
});

describe('what is remembered', () => {
  it('is so much and no more, whatever comes', () => {
    const recent = createRecent<number>(1000);
    for (let i = 0; i < 100_000; i++) recent.set(`key ${i}`, i);
    expect(recent.size).toBe(1000);
    expect(recent.get('key 98999')).toBeUndefined();
    expect(recent.get('key 99000')).toBe(99_000);
  });

  it('is what was asked for last', () => {
    const recent = createRecent<string>(2);
    recent.set('a', 'A');
    recent.set('b', 'B');
    expect(recent.get('a')).toBe('A');
    recent.set('c', 'C');
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual(['A', undefined, 'C']);
    recent.set('a', 'A again');
    recent.delete('c');
    expect([recent.get('a'), recent.get('c'), recent.size]).toEqual(['A again', undefined, 1]);
  });
});

describe('a day that is billed', () => {
  it('a day is settled two days after its end, and final after thirty', () => {
    const end = 20_000 * DAY_MS;
    const states = [end - 1, end, end + 2 * DAY_MS - 1, end + 2 * DAY_MS, end + 30 * DAY_MS - 1, end + 30 * DAY_MS];
    expect(states.map((now) => dayState(19_999, now))).toEqual([
      ...['open', 'open', 'open', 'settled', 'settled', 'final'],
    ]);
  });

  it('seconds are billed to thousandths', () => {
    expect([0, 0.1 + 0.2, 1.0004, 1.0005, 12.5166].map(billedSeconds)).toEqual([0, 0.3, 1, 1.001, 12.517]);
  });

  it('a day is written as its date', () => {
    expect([0, 20_484].map(isoDate)).toEqual(['1970-01-01', '2026-01-31']);
  });
});

describe('an alert', () => {
  const CALM = {
    waiting: 0,
    oldestS: null,
    hosts: 1,
    setAside: 0,
    barredBuilds: [],
    clocksOff: 0,
    refused: null,
    alertError: null,
    lost: 0,
    unservable: null,
    givenUp: 0,
    unerased: null,
    done: 0,
    failed: 0,
    upkeepError: null,
    nearLimit: null,
    databaseBytes: 8e9,
    isDiskFilling: false,
    backupFault: null,
  };

  it.each([
    ['nothing waits', {}, []],
    ['a job waits for less than a quarter of an hour', { waiting: 1, oldestS: 899 }, []],
    ['a job waits for a quarter of an hour', { waiting: 1, oldestS: 900 }, ['QueueStuck']],
    ['a job waits, and no host is there', { waiting: 1, oldestS: 0, hosts: 0 }, ['NoHosts']],
    ['no host is there, and nothing waits', { hosts: 0 }, []],
    ['a host with a job fell silent', { lost: 1 }, ['HostsLost']],
    ['jobs wait for a host that is not there', { unservable: { jobs: 2, text: '' } }, ['JobsWithoutHost']],
    ['no host is there at all', { waiting: 2, unservable: { jobs: 2, text: '' }, hosts: 0 }, ['NoHosts']],
    ['a webhook is given up', { givenUp: 1 }, ['WebhooksExhausted']],
    ['the upkeep failed', { upkeepError: 'R2 is away' }, ['UpkeepFailed']],
    ['half of the runs fail', { done: 10, failed: 10 }, []],
    ['more fail than not', { done: 9, failed: 11 }, ['RunsFail']],
    ['all of a few fail', { failed: 19 }, []],
    ['the database has more than eight tenths of its limit', { databaseBytes: 8e9 + 1 }, ['DatabaseGrows']],
    ['an account is near a limit', { nearLimit: 'a' }, ['AccountNearLimit']],
    ['a host is set aside', { setAside: 1 }, ['HostsSetAside']],
    ['all hosts with a build are set aside', { barredBuilds: ['1.41'] }, ['BuildSetAside']],
    ['a clock is off', { clocksOff: 1 }, ['ClockOff']],
    ['an account is refused now and then', { refused: { accountId: 'a', count: 499 } }, []],
    ['an account is refused all the time', { refused: { accountId: 'a', count: 500 } }, ['Flood']],
    ['alerts are not sent', { alertError: 'it answered 500' }, ['AlertsUnsent']],
    ['the erasure of an account has not ended for over a day', { unerased: 'a' }, ['ErasureStuck']],
    ['the last backup failed', { backupFault: 'The last backup failed: full' }, ['BackupFailed']],
    ['the disk is almost full', { isDiskFilling: true }, ['DiskFilling']],
  ])('fires where %s', (_, vitals, names) => {
    expect(Object.keys(alertsOf({ ...CALM, ...vitals }))).toEqual(names);
  });

  it('of hosts that are set aside waits for a quarter of an hour', () => {
    const lasting = (minutes: number) =>
      Object.keys(alertsOf({ ...CALM, setAside: 1, clocksOff: 1 }, () => minutes * 6e4));
    expect([lasting(0), lasting(14.9), lasting(15)]).toEqual([
      ['ClockOff'],
      ['ClockOff'],
      ['HostsSetAside', 'ClockOff'],
    ]);
  });

  it('is a sentence with its number', () => {
    const unservable = { jobs: 3, text: 'No host can do them.' };
    expect(alertsOf({ ...CALM, waiting: 3, oldestS: 1019, unservable })).toEqual({
      QueueStuck: 'A job has waited for a host for 16 minutes.',
      JobsWithoutHost: '3 jobs wait for a host that is not there. No host can do them.',
    });
  });
});
