import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#domain/failure/codes.ts';
import { HOLDS, type HostFacts, hostState, isOlder, type Rest } from '#domain/host/host-state.ts';
import { afterAttempt, type HostFaults, isOnTrial, isSetAside, NO_FAULTS } from '#domain/host/set-aside.ts';
import type { JobEvent } from '#domain/job/event.ts';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { at, CLAIM, failedWith, newJob, step, T0 } from './builders.ts';

describe('the version of a host', () => {
  it.each([
    ['1.3.9', '1.4.0', true],
    ['1.4.0', '1.4.0', false],
    ['1.10.0', '1.9.0', false],
    ['2.0.0', '1.9.9', false],
    ['0.9.9', '1', true],
    ['1', '1.0.1', true],
    ['1.0.1', '1', false],
    ['v1.4.0', '1.4', false],
    ['1.4.0-rc.1', '1.4.0', false],
    ['1.3.0+build7', '1.4.0', true],
    ['test', '0', true],
    ['', '0.0.1', true],
  ])('%s is older than %s: %s', (version, least, older) => {
    expect(isOlder(version, least)).toBe(older);
  });
});

const { hostBudget, leaseTtl, runDeadline } = DEFAULT_SCHEDULE;
const MINUTE = 60_000;
const CANCEL: JobEvent = { type: 'cancel', by: 'account' };

/** Returns the job after its host has sent a heartbeat every ten seconds until `end`. */
function keptAlive(job: Job, end: number, start = T0): Job {
  let kept = job;
  for (let now = start; now < end; now += 10_000) {
    const result = transition(kept, { type: 'heartbeat', fence: job.fence, phase: 'render' }, at(now));
    if (result.ok) kept = result.job;
  }
  return kept;
}

describe("the fleet's share of a run", () => {
  it('ends the lease of a host that is alive and never done, for good', () => {
    const job = keptAlive(step(newJob(), CLAIM).job, T0 + hostBudget + MINUTE);
    expect(fieldsOf(job).lease?.deadline).toBe(T0 + hostBudget);
    expect(keptAlive(job, T0 + hostBudget, T0 + hostBudget - 1)).toBe(job);
    const { job: ended, effects } = step(job, { type: 'lease-expired' }, T0 + hostBudget);
    expect(effects).toContainEqual(expect.objectContaining({ end: expect.objectContaining({ isExpired: true }) }));
    expect(fieldsOf(ended)).toMatchObject({ status: 'error', errorCode: 'render_failed', lease: null });
    expect(fieldsOf(ended).errorDetail).toBe('hosts spent 360 minutes on it, and no more are allowed');
  });

  it('is counted over all attempts, and over what was handed back', () => {
    const half = hostBudget / 2;
    const first = keptAlive(step(newJob(), CLAIM).job, T0 + half);
    const { job: released } = step(first, { type: 'release', fence: 1 }, T0 + half);
    expect(released).toMatchObject({ status: 'pending', attempt: 0, hostMs: half });
    const second = step(released, CLAIM, T0 + half).job;
    const used = keptAlive(second, T0 + hostBudget + MINUTE, T0 + half);
    expect(fieldsOf(used).lease?.deadline).toBe(T0 + hostBudget);
    expect(step(used, failedWith(2, 'cs2_unavailable'), T0 + hostBudget).job).toMatchObject({
      status: 'error',
      errorCode: 'cs2_unavailable',
      hostMs: hostBudget,
    });
  });
});

describe('a run that made no clip', () => {
  const worked = keptAlive(step(newJob(), CLAIM).job, T0 + MINUTE);
  const unbilled = { type: 'unbilled', run: 1, hostMs: MINUTE, endedAt: T0 + MINUTE };

  it.each<[string, Job, JobEvent]>([
    ['failed', worked, failedWith(1, 'demo_404')],
    ['is canceled', worked, CANCEL],
    ['is canceled while it waits', step(worked, failedWith(1, 'upload_error'), T0 + MINUTE).job, CANCEL],
  ])('counts the time of hosts once it %s', (_how, job, event) => {
    expect(step(job, event, T0 + MINUTE).effects).toContainEqual(unbilled);
  });

  it('counts it when its time is over', () => {
    const { job } = step(worked, { type: 'release', fence: 1 }, T0 + MINUTE);
    const { effects } = step(job, { type: 'run-overdue' }, T0 + runDeadline);
    expect(effects).toContainEqual({ ...unbilled, endedAt: T0 + runDeadline });
  });
});

describe('the time of a run', () => {
  it('is over for a job that waits for a host, or for its retry', () => {
    const waits = newJob();
    expect(transition(waits, { type: 'run-overdue' }, at(T0 + runDeadline - 1))).toEqual({
      ok: false,
      refusal: 'not_due',
    });
    const { job, effects } = step(waits, { type: 'run-overdue' }, T0 + runDeadline);
    expect(job).toMatchObject({ status: 'error', errorCode: 'cs2_unavailable', finishedAt: T0 + runDeadline });
    expect(fieldsOf(job).errorDetail).toBe('no render host has finished it in 168 hours');
    expect(effects.map(({ type }) => type)).toEqual(['project', 'announce', 'settle']);
    const retrying = step(keptAlive(step(newJob(), CLAIM).job, T0 + 1), failedWith(1, 'download_error')).job;
    expect(fieldsOf(step(retrying, { type: 'run-overdue' }, T0 + runDeadline).job)).toMatchObject({
      status: 'error',
      errorCode: 'download_error',
      retryAt: null,
    });
  });

  it('is over for a lease, too, and leaves no room for a retry', () => {
    const late = T0 + runDeadline - leaseTtl / 2;
    const job = keptAlive(step(newJob(), CLAIM, late).job, late + 20_000, late);
    expect(fieldsOf(job).lease?.deadline).toBe(T0 + runDeadline);
    expect(step(job, failedWith(1, 'download_error'), late + 20_000).job.status).toBe('error');
    const lastWait = T0 + runDeadline - 15_000;
    expect(step(job, failedWith(1, 'download_error'), lastWait).job.status).toBe('error');
    expect(step(job, failedWith(1, 'download_error'), lastWait - 1).job.status).toBe('retrying');
  });

  it('does not end what has ended, or what a host works on', () => {
    for (const job of [step(newJob(), CLAIM).job, step(step(newJob(), CLAIM).job, failedWith(1, 'demo_404')).job]) {
      expect(transition(job, { type: 'run-overdue' }, at(T0 + 2 * runDeadline))).toEqual({
        ok: false,
        refusal: 'not_waiting',
      });
    }
  });
});

describe('the state of a host', () => {
  const IDLE: HostFacts = {
    isRevoked: false,
    isBarred: false,
    hold: null,
    holdUntil: null,
    asideUntil: null,
    lastSeen: T0,
    jobs: 0,
    rest: null,
    isSilent: false,
  };
  const REFUSED: Rest = { why: 'it answered 401', isAsked: false, until: T0 + MINUTE };
  const FULL: Rest = { why: 'it answered 429', isAsked: true, until: null };
  const LATER = T0 + 60 * MINUTE;

  describe('the state of a host', () => {
    it.each<[string, Partial<HostFacts>, string]>([
      ['that asks for work', {}, 'idle'],
      ['that works', { jobs: 1 }, 'busy'],
      ['that works and was not heard of since', { jobs: 1, lastSeen: T0 - 60 * MINUTE }, 'busy'],
      ['that asked two and a half minutes ago', { lastSeen: T0 - 150_000 }, 'idle'],
      ['that asked longer ago', { lastSeen: T0 - 150_001 }, 'gone'],
      ['that never asked', { lastSeen: null }, 'gone'],
      ['that was revoked', { isRevoked: true }, 'gone'],
      ['that was revoked at work', { isRevoked: true, jobs: 2 }, 'gone'],
      ['that is paused', { hold: 'paused' }, 'paused'],
      ['that is paused for a while', { hold: 'paused', holdUntil: LATER }, 'paused'],
      ['whose pause is over', { hold: 'paused', holdUntil: T0 }, 'idle'],
      ['that is paused at work', { hold: 'paused', jobs: 1 }, 'paused'],
      ['that drains', { hold: 'draining', jobs: 1 }, 'draining'],
      ['that has drained', { hold: 'draining' }, 'draining'],
      ['that has drained and left', { hold: 'draining', lastSeen: T0 - 10 * MINUTE }, 'gone'],
      ['that its faults set aside', { asideUntil: LATER }, 'set aside'],
      ['that its faults set aside at work', { asideUntil: LATER, jobs: 1 }, 'set aside'],
      ['that is tried again', { asideUntil: T0, jobs: 1 }, 'busy'],
      ['whose lease ended in silence', { isSilent: true, lastSeen: T0 - MINUTE }, 'lost'],
      ['that was lost an hour ago', { isSilent: true, lastSeen: T0 - 60 * MINUTE }, 'lost'],
      ['that lost one of two leases', { isSilent: true, jobs: 1 }, 'busy'],
      ['that was lost and is revoked', { isSilent: true, isRevoked: true }, 'gone'],
      ['that was lost while it drained', { isSilent: true, hold: 'draining' }, 'lost'],
      ['that was lost and set aside', { isSilent: true, asideUntil: LATER }, 'lost'],
      ['that refuses jobs', { rest: REFUSED, lastSeen: null }, 'resting'],
      ['that refuses jobs at work', { rest: REFUSED, jobs: 1 }, 'resting'],
      ['that is full at work', { rest: FULL, jobs: 1 }, 'busy'],
      ['that says that it is full, without a job', { rest: FULL }, 'resting'],
      ['that refuses jobs and is paused', { rest: REFUSED, hold: 'paused' }, 'paused'],
      ['that refuses jobs and is barred', { rest: REFUSED, isBarred: true }, 'set aside'],
      ['that is paused and set aside', { asideUntil: LATER, hold: 'paused' }, 'paused'],
    ])('%s', (_, facts, state) => {
      expect(hostState({ ...IDLE, ...facts }, T0)).toBe(state);
    });
  });

  const anyFacts = fc.record<HostFacts>({
    isRevoked: fc.boolean(),
    isBarred: fc.boolean(),
    isSilent: fc.boolean(),
    hold: fc.constantFrom(null, ...HOLDS),
    holdUntil: fc.constantFrom(null, T0, LATER),
    asideUntil: fc.constantFrom(null, T0, LATER),
    rest: fc.constantFrom(null, REFUSED, FULL),
    lastSeen: fc.constantFrom(null, T0, T0 - 60 * MINUTE),
    jobs: fc.nat(2),
  });

  it('a host without a job and a sign of life is never idle or busy, and one with a job is never lost or gone', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const state = hostState({ ...facts, isRevoked: false }, T0);
        const isThere = facts.jobs > 0 || (!facts.isSilent && facts.lastSeen === T0);
        if (!isThere) expect(['idle', 'busy']).not.toContain(state);
        if (facts.jobs > 0) expect(['idle', 'lost', 'gone']).not.toContain(state);
        if (state === 'lost') expect(facts).toMatchObject({ isSilent: true, jobs: 0 });
        if (state === 'resting') expect(facts.rest).not.toBeNull();
        expect(hostState({ ...facts, isRevoked: true }, T0)).toBe('gone');
      }),
    );
  });
});

describe('a host set aside', () => {
  const HOUR = 60 * MINUTE;

  interface End {
    readonly job: string;
    /** Null for a clip. */
    readonly code: ErrorCode | null;
    readonly at?: number;
    /** The demo that crashed the game while it loaded, or the host's own account. */
    readonly about?: string;
  }
  const fault = (job: string, at = T0): End => ({ job, code: 'cs2_unavailable', at });

  const crash = (job: string, about: string): End => ({ ...fault(job), about });

  let fence = 0;
  const counted = (faults: HostFaults, { job, code, at = T0, about }: End) =>
    afterAttempt(faults, job, { hostId: 'h', fence: ++fence, code, at, about });
  const failedBy = (...ends: End[]) => ends.reduce(counted, NO_FAULTS);

  describe('a host', () => {
    it.each<[string, End[], boolean]>([
      ['three of them', [fault('a'), fault('b'), fault('c')], true],
      [
        'three jobs of a demo that crashes its game, or of its own account',
        ['a', 'b', 'c'].map((job) => crash(job, 'same')),
        false,
      ],
      ['three jobs of demos that crash its game', ['a', 'b', 'c'].map((job) => crash(job, `of ${job}`)), true],
      ['three files of 24 bytes', ['a', 'b', 'c'].map((job) => ({ job, code: 'demo_failed_parse' as const })), false],
      [
        'three demos that its game refuses',
        ['a', 'b', 'c'].map((job) => ({ job, code: 'demo_incompatible' as const })),
        false,
      ],
    ])('that failed %s', (_, ends, isAside) => {
      expect(isSetAside(failedBy(...ends), T0)).toBe(isAside);
    });

    it('is as good as new once it has made a clip, also while it is set aside', () => {
      const aside = failedBy(fault('a'), fault('b'), fault('c'));
      expect(counted(aside, { job: 'd', code: null })).toEqual(NO_FAULTS);
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
  });

  it('a host without a substitute is not set aside, and is as soon as there is one', () => {
    const end = (fence: number) => ({ hostId: 'h', fence, code: 'cs2_unavailable', at: 0 }) as const;
    let faults = NO_FAULTS;
    for (let fence = 1; fence <= 10; fence++) faults = afterAttempt(faults, `j${fence}`, end(fence), false);
    expect(faults).toMatchObject({ until: 0, times: 0 });
    expect(isOnTrial(faults, 0)).toBe(false);
    expect(isSetAside(afterAttempt(faults, 'j11', end(11), true), 1)).toBe(true);
  });
});
