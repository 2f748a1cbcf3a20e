import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceRun,
  MOST_FAILURES,
  NEW_RUN,
  pauseReasonOf,
  type RuleRun,
  type RunContext,
  type RunEvent,
  type RunJob,
} from '#domain/job/rule-run.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { T0 } from './builders.ts';

const CONTEXT: RunContext = {
  now: T0,
  schedule: DEFAULT_SCHEDULE,
  made: 0,
  hasPost: false,
  hasWebhook: true,
  newId: () => 'a notice',
};
const WAITING: RuleRun = { ...NEW_RUN, createdAt: T0 };
const MOMENTS = [{ round: 1 }, { round: 2 }, { round: 3 }];
const ROOM = { demos: 1, clips: 9 };
const SUBMITTING: RuleRun = { ...WAITING, state: 'submitting', isRead: true, clips: 3, requests: MOMENTS };
const RUNNING: RuleRun = { ...SUBMITTING, state: 'running' };
const JOB: RunJob = { id: 'a', status: 'done', error_code: null, finished_at: 5 };
const FAILED: RunJob = { id: 'b', status: 'error', error_code: 'demo_404', finished_at: 9 };
const NOTICE = { id: 'a notice', attempts: 0, nextAt: T0 };
const read = (more: object = {}): RunEvent => ({ type: 'read', mismatch: null, moments: MOMENTS, room: ROOM, ...more });
const held: RunEvent = { type: 'held', why: 'a limit' };
const late = { ...CONTEXT, now: T0 + DEFAULT_SCHEDULE.runDeadline };

describe('a run of a rule', () => {
  it.each<[string, RuleRun, RunEvent, Partial<RunContext>, object]>([
    ['says why it waits', WAITING, held, {}, { state: 'waiting', detail: 'a limit' }],
    [
      'waits no longer than a job',
      WAITING,
      held,
      late,
      { state: 'skipped', detail: 'a limit', notice: { nextAt: late.now } },
    ],
    ['sends no notice without a webhook', WAITING, held, { ...late, hasWebhook: false }, { notice: null }],
    [
      'goes on at its deadline with the jobs that it has',
      ...([SUBMITTING, held, { ...late, made: 2 }] as const),
      { state: 'running', clips: 3, requests: MOMENTS.slice(0, 2), detail: '2 of 3 clips: a limit', notice: null },
    ],
    ['takes its clips', WAITING, read(), {}, { state: 'submitting', isRead: true, clips: 3, detail: null }],
    [
      'takes what the budget has',
      ...([WAITING, read({ room: { demos: 1, clips: 2 } }), {}] as const),
      { state: 'submitting', clips: 2, detail: 'the budget of the day has room for 2 of 3 clips' },
    ],
    [
      'is skipped without room for a clip',
      ...([WAITING, read({ room: { demos: 1, clips: -1 } }), {}] as const),
      { state: 'skipped', isRead: true, clips: 0, detail: 'the budget of the day has room for 0 of 3 clips' },
    ],
    [
      'is skipped without room for a demo, which then does not count',
      ...([WAITING, read({ room: { demos: 0, clips: 9 } }), {}] as const),
      { state: 'skipped', isRead: false, notice: NOTICE },
    ],
    ['is skipped where its rule does not fit', WAITING, read({ mismatch: 'no' }), {}, { isRead: true, detail: 'no' }],
    ['is skipped without a moment', WAITING, read({ moments: [] }), {}, { detail: 'the demo has no such moment' }],
    [
      'has the shortage again once it has submitted',
      ...([{ ...SUBMITTING, clips: 1, detail: 'a limit' }, { type: 'submitted' }, {}] as const),
      { state: 'running', detail: 'the budget of the day has room for 1 of 3 clips' },
    ],
    ['ends with its jobs', RUNNING, { type: 'jobs-ended', jobs: [JOB, FAILED] }, {}, { state: 'done', endedAt: T0 }],
    [
      'hands its post to the job that ended last',
      ...([RUNNING, { type: 'jobs-ended', jobs: [JOB, FAILED] }, { hasPost: true }] as const),
      { state: 'running', postedBy: 'b', endedAt: null },
    ],
    [
      'fails without a clip',
      ...([RUNNING, { type: 'jobs-ended', jobs: [FAILED] }, { hasPost: true }] as const),
      { state: 'failed', detail: 'no clip was made: demo_404', notice: null },
    ],
    ['ends once it has posted', { ...RUNNING, postedBy: 'b' }, { type: 'posted' }, {}, { state: 'done', endedAt: T0 }],
    [
      'fails with its post',
      { ...RUNNING, state: 'done' },
      { type: 'post-ended', fault: '404' },
      {},
      { state: 'failed', detail: '404' },
    ],
    [
      'sends a notice once',
      { ...WAITING, state: 'failed', notice: NOTICE },
      { type: 'noticed', isDelivered: true },
      {},
      { notice: null },
    ],
    [
      'sends a notice again',
      ...([{ ...WAITING, state: 'failed', notice: NOTICE }, { type: 'noticed', isDelivered: false }, {}] as const),
      { notice: { attempts: 1, nextAt: T0 + DEFAULT_SCHEDULE.webhookSpacing } },
    ],
    [
      'gives up a notice after ten attempts',
      ...([
        { ...WAITING, state: 'failed', notice: { ...NOTICE, attempts: 9 } },
        { type: 'noticed', isDelivered: false },
        {},
      ] as const),
      { notice: null },
    ],
  ])('%s', (_, run, event, context, expected) => {
    expect(advanceRun(run, event, { ...CONTEXT, ...context }).run).toMatchObject(expected);
  });

  it('counts as a failure of its rule where something is wrong, not where it waited or was not meant', () => {
    const of = (run: RuleRun, event: RunEvent, more: Partial<RunContext> = {}) =>
      advanceRun(run, event, { ...CONTEXT, ...more }).failures;
    expect(of(WAITING, { type: 'refused', why: 'x', isFault: true })).toBe('one-more');
    expect(of(WAITING, { type: 'refused', why: 'x', isFault: false })).toBeUndefined();
    expect(of(WAITING, held, late)).toBeUndefined();
    expect(of(WAITING, read({ mismatch: 'no' }))).toBeUndefined();
    expect(of(RUNNING, { type: 'jobs-ended', jobs: [FAILED] })).toBe('one-more');
    expect(of(RUNNING, { type: 'jobs-ended', jobs: [JOB] })).toBe('none');
    expect(of(RUNNING, { type: 'jobs-ended', jobs: [JOB] }, { hasPost: true })).toBeUndefined();
    expect(of({ ...RUNNING, state: 'done' }, { type: 'post-ended', fault: null })).toBe('none');
    expect(of({ ...RUNNING, state: 'done' }, { type: 'post-ended', fault: '404' })).toBe('one-more');
    expect(pauseReasonOf('404')).toBe(`${MOST_FAILURES} runs in a row have failed; the last one: 404`);
    expect(pauseReasonOf(null)).toContain('no reason is known');
  });

  const EVENTS = fc.oneof(
    fc.constantFrom<RunEvent>(
      ...([held, read(), read({ mismatch: 'no' }), { type: 'submitted' }, { type: 'posted' }] as const),
      ...([
        { type: 'jobs-ended', jobs: [JOB] },
        { type: 'post-ended', fault: null },
      ] as const),
      ...([
        { type: 'jobs-ended', jobs: [FAILED] },
        { type: 'post-ended', fault: '404' },
      ] as const),
      ...([
        { type: 'noticed', isDelivered: true },
        { type: 'noticed', isDelivered: false },
      ] as const),
      { type: 'refused', why: 'x', isFault: true },
    ),
  );

  it('never goes back, never takes clips twice, and has a reason wherever it made none', () => {
    const order = { waiting: 0, submitting: 1, running: 2, done: 3, skipped: 4, failed: 5 };
    const steps = fc.array(fc.tuple(EVENTS, fc.nat({ max: 3 }), fc.boolean(), fc.nat({ max: 9 })));
    fc.assert(
      fc.property(steps, (given) => {
        let run = WAITING;
        let { now } = CONTEXT;
        for (const [event, made, hasPost, days] of given) {
          now += days * 24 * 60 * 60_000;
          const context = {
            ...CONTEXT,
            now,
            made: run.state === 'submitting' ? Math.min(made, run.clips) : 0,
            hasPost,
          };
          const { run: next } = advanceRun(run, event, context);
          expect(order[next.state]).toBeGreaterThanOrEqual(order[run.state]);
          if (run.clips > 0) expect(next.clips).toBe(run.clips);
          expect(next.endedAt === null).toBe(order[next.state] < 3);
          if (order[next.state] > 3) expect(next.detail).not.toBeNull();
          if (next.state === 'submitting') expect(next.requests.length).toBeGreaterThanOrEqual(next.clips);
          run = next;
        }
      }),
    );
  });
});
