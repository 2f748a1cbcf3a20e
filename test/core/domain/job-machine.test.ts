import { describe, expect, it } from 'vitest';
import { ERROR_CODE_LIST, ERROR_CODES } from '#domain/failure/codes.ts';
import { type Effect, type JobEvent, PROJECT, PUBLISH } from '#domain/job/event.ts';
import { fieldsOf, JOB_STATUSES, type Job, type JobStatus } from '#domain/job/job.ts';
import { secretEndsAt, transition } from '#domain/job/machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import {
  admission,
  at,
  CLAIM,
  CLIP_ID,
  clipWork,
  completed,
  failedWith,
  jobs,
  newJob,
  step,
  steps,
  submitted,
  T0,
} from './builders.ts';

const EXPIRED = T0 + DEFAULT_SCHEDULE.leaseTtl;

function heartbeat(phase: 'prefetch' | 'render'): JobEvent {
  return { type: 'heartbeat', fence: 1, phase };
}

/** The status, or the reason of a refusal, after each event in each state. Compare with contract 3.1. */
const TABLE: Record<string, { event: JobEvent; to: Record<JobStatus, string>; now?: number }> = {
  'a second submit': {
    event: { type: 'submit', identity: newJob(), admission: admission() },
    to: {
      pending: 'pending',
      prefetch: 'prefetch',
      render: 'render',
      done: 'done',
      retrying: 'retrying',
      error: 'error',
    },
  },
  'forced redo': {
    event: { type: 'redo', admission: admission() },
    to: {
      pending: 'job_in_flight',
      prefetch: 'job_in_flight',
      render: 'job_in_flight',
      done: 'pending',
      retrying: 'job_in_flight',
      error: 'pending',
    },
  },
  resubmit: {
    event: { type: 'resubmit', acceptable: true },
    to: {
      pending: 'job_in_flight',
      prefetch: 'job_in_flight',
      render: 'job_in_flight',
      done: 'pending',
      retrying: 'pending',
      error: 'pending',
    },
  },
  claim: {
    event: CLAIM,
    to: {
      pending: 'prefetch',
      prefetch: 'not_queued',
      render: 'not_queued',
      done: 'not_queued',
      retrying: 'not_queued',
      error: 'not_queued',
    },
  },
  'success under the lease': { event: completed(1), to: underLease('done', { done: 'done' }) },
  'a demo that was read for a job that makes a clip': {
    event: { type: 'inspected', fence: 1 },
    to: underLease('stale_lease', { done: 'done' }),
  },
  'permanent failure under the lease': { event: failedWith(1, 'demo_404'), to: underLease('error') },
  'transient failure under the lease': { event: failedWith(1, 'download_error'), to: underLease('retrying') },
  // The lease in `render` is confirmed, the one in `prefetch` is not.
  'loss of the lease': {
    event: { type: 'lease-expired' },
    to: underLease('pending', { render: 'retrying' }),
    now: EXPIRED,
  },
  'the lease still valid': { event: { type: 'lease-expired' }, to: underLease('not_due') },
  'job handed back': { event: { type: 'release', fence: 1 }, to: underLease('pending') },
  // The same leases; the confirmed one's host works on the job.
  'grant that its host did not take': {
    event: { type: 'not-taken', fence: 1 },
    to: underLease('pending', { render: 'stale_lease' }),
  },
  'heartbeat while fetching': { event: heartbeat('prefetch'), to: underLease('prefetch', { render: 'render' }) },
  'an upload begins': {
    event: { type: 'upload-begun', fence: 1, upload: { key: 'k', uploadId: 'u' } },
    to: underLease('prefetch', { render: 'render' }),
  },
  'the wait of a retry, that is not over': {
    event: { type: 'retry-due' },
    to: { ...waiting('not_waiting'), retrying: 'not_due' },
  },
  cancel: {
    event: { type: 'cancel', by: 'account' },
    to: { ...waiting('error'), done: 'job_finished', error: 'job_finished' },
  },
  'a resend of a webhook that it has not': {
    event: { type: 'resend' },
    to: { ...waiting('job_in_flight'), done: 'no_webhook', error: 'no_webhook' },
  },
  'a republished clip': { event: { type: 'republish' }, to: { ...waiting('no_clip'), done: 'done' } },
  'rendering begins': { event: heartbeat('render'), to: underLease('render') },
};

function waiting(to: string): Record<JobStatus, string> {
  return { pending: to, prefetch: to, render: to, done: to, retrying: to, error: to };
}

function underLease(to: string, exceptions: Partial<Record<JobStatus, string>> = {}): Record<JobStatus, string> {
  const stale = 'stale_lease';
  return { pending: stale, prefetch: to, render: to, done: stale, retrying: stale, error: stale, ...exceptions };
}

describe('transitions of a job (contract 3.1)', () => {
  for (const [name, { event, to, now = T0 }] of Object.entries(TABLE)) {
    for (const status of JOB_STATUSES) {
      it(`${name} in ${status}: ${to[status]}`, () => {
        const result = transition(jobs[status](), event, at(now));
        expect(result.ok ? result.job.status : result.refusal).toBe(to[status]);
      });
    }
  }

  it.each<[string, JobEvent, Job, Effect]>([
    [
      'a resend',
      { type: 'resend' },
      { ...jobs.done(), webhook: { url: 'https://a.example', authHeader: null } },
      PROJECT,
    ],
    ['a resend of a post that was given up', { type: 'resend', hasPost: true }, jobs.done(), PROJECT],
    ['a republished clip', { type: 'republish' }, jobs.done(), PUBLISH],
    ['trouble of its webhook', { type: 'trouble-changed' }, jobs.done(), PROJECT],
  ])('%s changes no more than the version', (_what, event, job, effect) => {
    expect(step(job, event)).toEqual({ ok: true, job: { ...job, version: job.version + 1 }, effects: [effect] });
  });

  it('a clip of too many frames fails at once; a resubmit applies the present limit', () => {
    const limited = (asked: number) => newJob({ work: clipWork({ frames: { asked, most: 10 } }) });
    expect(limited(10).status).toBe('pending');
    const errorDetail = 'the clip would have 11 frames, and the account may have 10 at most';
    expect(limited(11)).toMatchObject({ status: 'error', errorCode: 'clip_too_long', errorDetail });
    const resubmit = { type: 'resubmit', acceptable: true } as const;
    expect(step(limited(11), resubmit).job.status).toBe('error');
    const { job } = step(limited(11), { ...resubmit, most: 11 });
    expect(job).toMatchObject({ status: 'pending', work: clipWork({ frames: { asked: 11, most: 11 } }) });
    const inspection = newJob({ work: { kind: 'inspection' }, acceptable: false });
    expect(step(inspection, { ...resubmit, most: 11 }).job.work).toEqual({ kind: 'inspection' });
  });

  it('an inspection announces nothing, bills nothing, and says nothing of how well its host renders', () => {
    const leased = steps(newJob({ work: { kind: 'inspection' } }), CLAIM, heartbeat('render'));
    expect(transition(leased, completed(1), at(T0))).toEqual({ ok: false, refusal: 'stale_lease' });
    const { job, effects } = step(leased, { type: 'inspected', fence: 1 });
    expect(fieldsOf(job)).toMatchObject({
      status: 'done',
      lease: null,
      clip: null,
      finishedAt: T0,
      renderedBy: 'host',
    });
    expect(effects).toEqual([{ type: 'project' }, { type: 'settle' }]);
  });

  it('an inspection that nobody finishes fails by the fault of its host', () => {
    const queued = newJob({ work: { kind: 'inspection' } });
    const week = T0 + DEFAULT_SCHEDULE.runDeadline;
    expect(step(queued, { type: 'run-overdue' }, week).job).toMatchObject({
      status: 'error',
      errorCode: 'cs2_unavailable',
      errorDetail: expect.stringContaining('no render host has'),
    });
    const silent = steps(queued, CLAIM, heartbeat('prefetch'));
    const { job } = step(silent, { type: 'lease-expired' }, EXPIRED);
    expect(job).toMatchObject({ status: 'retrying', errorCode: 'cs2_unavailable' });
  });

  it('a new job is pending, offered and indexed', () => {
    expect(transition(null, CLAIM, at(T0))).toEqual({ ok: false, refusal: 'not_found' });
    const { job, effects } = submitted();
    expect(fieldsOf(job)).toMatchObject({ status: 'pending', version: 1, run: 1, finishedAt: null, errorCode: null });
    expect(effects).toEqual([{ type: 'project' }, { type: 'offer' }]);
  });

  it('a job whose demo URL is not accepted fails at once and announces it', () => {
    const { job, effects } = submitted({ acceptable: false });
    expect(job).toMatchObject({ status: 'error', errorCode: 'demo_url_rejected', finishedAt: T0 });
    expect(fieldsOf(job).errorDetail).toContain('list of accepted domains');
    expect(effects).toEqual([{ type: 'project' }, { type: 'announce' }]);
  });

  it('a waiting job whose demo URL is no longer accepted fails when a host would get it', () => {
    const refused = { ...CLAIM, acceptable: false } as JobEvent;
    const { job, effects } = step(jobs.pending(), refused);
    expect(job).toMatchObject({ status: 'error', errorCode: 'demo_url_rejected', attempt: 0 });
    expect(fieldsOf(job).errorDetail).toContain('list of accepted domains');
    expect(effects).toEqual([{ type: 'project' }, { type: 'announce' }, { type: 'settle' }]);
    expect(transition(jobs.render(), refused, at(T0))).toEqual({ ok: false, refusal: 'not_queued' });
    expect(step(jobs.pending(), { ...CLAIM, acceptable: true } as JobEvent).job.status).toBe('prefetch');
  });

  it.each(['done', 'error'] as const)('a re-run of a job in %s cancels the webhooks of its last outcome', (status) => {
    const { job, effects } = step(jobs[status](), { type: 'resubmit', acceptable: true });
    expect(effects[0]).toEqual({ type: 'cancel-webhooks' });
    expect(fieldsOf(job)).toMatchObject({
      run: 2,
      attempt: 0,
      finishedAt: null,
      errorCode: null,
      lease: null,
      retryAt: null,
    });
  });

  it('a forced redo takes priority and webhook of its request', () => {
    const webhook = { url: 'https://example.com/hook', authHeader: null };
    const event: JobEvent = {
      type: 'redo',
      admission: admission({ priority: true, webhook, work: clipWork({ fps: 60 }) }),
    };
    expect(step(jobs.done(), event).job).toMatchObject({
      priority: true,
      webhook,
      work: { fps: 60 },
      status: 'pending',
    });
  });

  it('a finished job deletes a webhook with a secret after its retention, and one without never', () => {
    const webhook = { url: 'https://example.com/hook', authHeader: 'Token secret' };
    const ends = T0 + 1000;
    const at = (now: number) => ({ now, schedule: { ...DEFAULT_SCHEDULE, secretKept: 1000 }, jitter: 0.5 });
    for (const status of ['done', 'error'] as const) {
      const job = { ...jobs[status](), webhook, finishedAt: T0 };
      expect(transition(job, { type: 'secret-overdue' }, at(ends - 1))).toEqual({ ok: false, refusal: 'not_due' });
      const after = { ...job, webhook: null, version: job.version + 1 };
      const forgotten = { ok: true, job: after, effects: [{ type: 'project' }] };
      expect(transition(job, { type: 'secret-overdue' }, at(ends))).toEqual(forgotten);
      expect(secretEndsAt(job, DEFAULT_SCHEDULE)).toBe(null);
    }
    for (const job of [
      { ...jobs.done(), webhook: { ...webhook, authHeader: null } },
      { ...jobs.done(), webhook: null },
      { ...jobs.render(), webhook },
    ]) {
      expect(transition(job, { type: 'secret-overdue' }, at(2 * ends))).toEqual({ ok: false, refusal: 'not_waiting' });
    }
  });

  it.each(ERROR_CODE_LIST)('%s retries exactly if it is transient', (code) => {
    const { job } = step(jobs.render(), failedWith(1, code));
    expect(job.status).toBe(ERROR_CODES[code].retryable ? 'retrying' : 'error');
    expect(fieldsOf(job).errorCode).toBe(code);
  });

  it.each(['pending', 'prefetch', 'render', 'retrying'] as const)(
    'a cancel in %s ends the run at once, is told, and frees all that it held',
    (status) => {
      const { job, effects } = step(jobs[status](), { type: 'cancel', by: 'account' }, T0 + 20_000);
      const ended = { status: 'error', errorCode: 'canceled', errorDetail: 'canceled by the account' };
      expect(fieldsOf(job)).toMatchObject({ ...ended, lease: null, retryAt: null, finishedAt: T0 + 20_000 });
      const files = { type: 'delete-files', prefix: `clips/${CLIP_ID}/1/` };
      const hasLease = status === 'prefetch' || status === 'render';
      const expected = [{ type: 'project' }, { type: 'announce' }, { type: 'settle' }];
      const counted = effects.filter(({ type }) => type !== 'unbilled');
      expect(counted).toEqual(hasLease ? [...expected, files] : expected);
      if (hasLease) expect(transition(job, completed(1), at(T0))).toEqual({ ok: false, refusal: 'stale_lease' });
      expect(step(job, { type: 'cancel', by: 'operator' })).toEqual({ ok: true, job, effects: [] });
      expect(step(job, { type: 'resubmit', acceptable: true }).job).toMatchObject({ status: 'pending', run: 2 });
      expect(step(job, { type: 'redo', admission: admission() }).job).toMatchObject({ status: 'pending', run: 2 });
    },
  );

  it('a fence is never used twice', () => {
    const job = steps(newJob(), CLAIM, { type: 'release', fence: 1 }, CLAIM);
    expect(fieldsOf(job).lease?.fence).toBe(2);
    expect(transition(job, completed(1), at(T0))).toEqual({ ok: false, refusal: 'stale_lease' });
  });

  it('a completion updates index, webhook and usage, with the host that made it', () => {
    const { job, effects } = step(jobs.render(), completed(1), T0 + 5000);
    expect(fieldsOf(job)).toMatchObject({ status: 'done', lease: null, finishedAt: T0 + 5000, renderedBy: 'host' });
    const usage = { run: 1, tier: 'metered', resolution: 1080, fps: 30, seconds: 7.5, renderedAt: T0 + 5000 };
    const published = { type: 'project', isPublic: true };
    const end = { hostId: 'host', fence: 1, grantedAt: T0, code: null, at: T0 + 5000 };
    const settled = { type: 'settle', end };
    expect(effects).toEqual([published, { type: 'announce' }, { type: 'meter', usage }, settled]);
  });
});

describe('a lease', () => {
  const { leaseTtl, confirmWithin } = DEFAULT_SCHEDULE;
  const beat = (job: ReturnType<typeof newJob>, now: number) => step(job, heartbeat('prefetch'), now);

  it('that is unconfirmed ten times in a row counts as an attempt: the job itself may kill its hosts', () => {
    let job = newJob();
    for (let grants = 1; grants < 10; grants++) {
      job = step(steps(job, CLAIM), { type: 'lease-expired' }, T0 + confirmWithin).job;
      expect(job).toMatchObject({ status: 'pending', attempt: 0 });
    }
    job = step(steps(job, CLAIM), { type: 'lease-expired' }, T0 + confirmWithin).job;
    expect(job).toMatchObject({ status: 'retrying', attempt: 1, errorCode: 'cs2_unavailable', unconfirmed: 0 });
    expect(fieldsOf(job).errorDetail).toBe('10 grants in a row were confirmed by no render host');
    const confirmed = beat(steps({ ...newJob(), unconfirmed: 9 }, CLAIM), T0).job;
    expect(confirmed.unconfirmed).toBe(0);
  });

  it('gets its deadline back from the alarm if it is confirmed and the alarm is later', () => {
    const resumed = (job: Job, alarmAt: number | null) => step(job, { type: 'resumed', alarmAt });
    const job = jobs.render();
    const restored = { ...job, lease: { ...fieldsOf(job).lease, deadline: EXPIRED + 1 } };
    expect(resumed(job, EXPIRED + 1)).toEqual({ ok: true, job: restored, effects: [] });
    for (const alarmAt of [null, EXPIRED]) expect(resumed(job, alarmAt).job).toBe(job);
    for (const other of [jobs.prefetch(), jobs.done()]) expect(resumed(other, EXPIRED + 1).job).toBe(other);
  });

  it.each<[string, JobEvent, object]>([
    ['completed', completed(1), {}],
    [
      'failed',
      { ...failedWith(1, 'demo_404'), stage: 'download', facts: { status: 404 } } as JobEvent,
      { code: 'demo_404', stage: 'download', facts: { status: 404 } },
    ],
    ['failed', failedWith(1, 'upload_error'), { code: 'upload_error', retryAt: T0 + 2 + 15_000 }],
    ['handed_back', { type: 'release', fence: 1 }, {}],
    ['canceled', { type: 'cancel', by: 'account' }, { code: 'canceled' }],
  ])('that ends is kept as %s if it was confirmed', (outcome, event, reported) => {
    const claimed = step(newJob(), { ...CLAIM, hostName: 'Ada' }).job;
    const nothing = { stage: null, code: null, facts: null, retryAt: null };
    const end = { fence: 1, hostId: 'host', hostName: 'Ada', grantedAt: T0, endedAt: T0 + 2, ...nothing, outcome };
    for (const phase of ['prefetch', 'render'] as const) {
      const { job } = step(step(claimed, heartbeat(phase)).job, event, T0 + 2);
      expect(job.lastEnd).toEqual({ ...end, phase, ...reported });
    }
    expect(step(claimed, event, T0 + 2).job.lastEnd).toBeNull();
  });

  it('is written again only once less than half of its term is left', () => {
    const confirmed = beat(jobs.prefetch(), T0).job;
    expect(beat(confirmed, T0 + leaseTtl / 2).job).toBe(confirmed);
    const extended = beat(confirmed, T0 + leaseTtl / 2 + 1);
    expect(fieldsOf(extended.job).lease?.deadline).toBe(T0 + leaseTtl / 2 + 1 + leaseTtl);
    expect(extended).toMatchObject({ effects: [], job: { version: confirmed.version } });
  });

  it('of a host that fell silent at work costs an attempt', () => {
    const confirmed = beat(jobs.prefetch(), T0).job;
    const { job, effects } = step(confirmed, { type: 'lease-expired' }, T0 + leaseTtl);
    expect(job).toMatchObject({ status: 'retrying', attempt: 1, errorCode: 'cs2_unavailable' });
    expect(fieldsOf(job).errorDetail).toBe('the render host stopped reporting');
    expect(effects).toContainEqual(expect.objectContaining({ end: expect.objectContaining({ isExpired: true }) }));
  });

  it('of a host at fault has the retry prefer another one; a fault of the network does not, nor does a new run', () => {
    const job = steps(newJob(), CLAIM);
    const failed = step(job, failedWith(job.fence, 'cs2_unavailable')).job;
    expect(failed.avoidHost).toBe('host');
    expect(step(job, failedWith(job.fence, 'download_error')).job.avoidHost).toBeNull();
    expect(step(failed, { type: 'resubmit', acceptable: true }).job.avoidHost).toBe('host');
    const ended = step(job, failedWith(job.fence, 'render_failed')).job;
    expect(step({ ...ended, avoidHost: 'host' }, { type: 'resubmit', acceptable: true }).job.avoidHost).toBeNull();
  });

  it('takes only so many uploads', () => {
    let job = jobs.render();
    const event = (i: number): JobEvent => ({ type: 'upload-begun', fence: 1, upload: { key: 'k', uploadId: `${i}` } });
    for (let i = 0; i < 16; i++) job = steps(job, event(i));
    expect(transition(job, event(16), at(T0))).toEqual({ ok: false, refusal: 'too_many_uploads' });
  });
});

describe('a resubmit of a job that waits for its retry', () => {
  it('only skips the wait: the run, its attempts and its deliveries are as they were', () => {
    const retrying = jobs.retrying();
    const { job, effects } = step(retrying, { type: 'resubmit', acceptable: true });
    expect(fieldsOf(job)).toMatchObject({ status: 'pending', run: 1, attempt: 1, retryAt: null, errorCode: null });
    expect(effects).toEqual([{ type: 'project' }, { type: 'offer' }]);
  });
});
