import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#domain/error-codes.ts';
import { fallbackAt, hasFallenBack, needsOfNewRun, withFallback } from '#domain/fallback.ts';
import { fieldsOf, type Job } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { admission, at, CLAIM, completed, failedWith, newJob, step, steps, T0 } from './builders.ts';

const WAIT = 600_000;
const asked = withFallback(null, WAIT);
const fails = (fence: number, code: ErrorCode, refusedBuild?: string): JobEvent => ({
  ...{ type: 'fail', fence, code, detail: 'because', refusedBuild },
});
const due = (job: Job) => step(job, { type: 'retry-due' }, fieldsOf(job).retryAt ?? 0).job;

it.each([
  ['no fallback asked', null, null, { renderer: null, fallback: undefined }],
  ['any renderer', null, WAIT, { renderer: 'cs2', fallback: { waitMs: WAIT, attempts: 0 } }],
  ['an account with the game', 'cs2', WAIT, { renderer: 'cs2', fallback: { waitMs: WAIT, attempts: 0 } }],
  ['an account with the radar', 'radar', WAIT, { renderer: 'radar', fallback: undefined }],
] as const)('a new job has a renderer and a fallback: %s', (_name, renderer, waitMs, state) => {
  expect(withFallback(renderer, waitMs)).toEqual(state);
});

describe('a failure in the game', () => {
  it.each([
    ['demo_incompatible', undefined],
    ['workshop_not_supported', undefined],
  ] as const)('%s is retried on the radar, with all retries and no outcome', (code, build) => {
    const { job, effects } = step(steps(newJob(asked), CLAIM), fails(1, code, build));
    expect(job).toMatchObject({ status: 'retrying', errorCode: code, renderer: 'radar', retryAt: T0 + 15_000 });
    expect(effects.map(({ type }) => type)).toEqual(['project', 'settle', 'delete-files']);
    const again = steps(due(job), CLAIM, fails(2, 'download_error'));
    expect(again).toMatchObject({ status: 'retrying', attempt: 2, retryAt: T0 + 15_000 });
  });

  it('is retried on the radar after a refusal by the last build, even if no retry is left', () => {
    let job = newJob(asked);
    for (const fence of [1, 2, 3, 4, 5]) job = due(steps(job, CLAIM, fails(fence, 'cs2_unavailable')));
    expect(steps(job, CLAIM, fails(6, 'demo_incompatible', '1'))).toMatchObject({
      ...{ status: 'retrying', renderer: 'radar', refusedBuilds: ['1'] },
      fallback: { attempts: 6 },
    });
  });

  it('is final on the radar, and without a fallback', () => {
    const fallen = due(steps(newJob(asked), CLAIM, fails(1, 'demo_incompatible')));
    expect(steps(fallen, CLAIM, fails(2, 'demo_incompatible'))).toMatchObject({ status: 'error', renderer: 'radar' });
    expect(steps(newJob({ renderer: 'cs2' }), CLAIM, fails(1, 'workshop_not_supported')).status).toBe('error');
  });

  it.each(['render_failed', 'demo_404', 'player_not_in_demo', 'clip_too_long'] as const)(
    '%s is final: the radar would fail as well',
    (code) => {
      expect(steps(newJob(asked), CLAIM, failedWith(1, code))).toMatchObject({ status: 'error', renderer: 'cs2' });
    },
  );

  it('is retried on another build first', () => {
    const refused = steps(newJob(asked), CLAIM, fails(1, 'demo_incompatible', '1'));
    expect(refused).toMatchObject({ status: 'retrying', renderer: 'cs2', refusedBuilds: ['1'] });
    for (const waiting of [refused, due(refused)]) {
      const { job, effects } = step(waiting, { type: 'no-host-left' });
      expect(job).toMatchObject({ status: 'pending', renderer: 'radar', fallback: { attempts: 1 } });
      expect(effects).toEqual([{ type: 'project' }, { type: 'offer' }]);
      expect(step(job, { type: 'no-host-left' }).job).toMatchObject({
        ...{ status: 'error', errorCode: 'demo_incompatible' },
      });
    }
  });
});

describe('a wait for the game', () => {
  const refusal = { ok: false, refusal: 'not_waiting' };
  const noHost = (job: Job, now: number) => transition(job, { type: 'no-host-left' }, at(now));

  it('ends on the radar after its time', () => {
    expect(noHost(newJob(asked), T0 + WAIT - 1)).toEqual(refusal);
    expect(noHost(newJob(asked), T0 + WAIT)).toMatchObject({ job: { status: 'pending', renderer: 'radar' } });
    expect(noHost(newJob({ renderer: 'cs2' }), T0 + WAIT)).toEqual(refusal);
  });

  it('does not end while a host works, while a retry waits, or on the radar', () => {
    const retrying = steps(newJob(asked), CLAIM, failedWith(1, 'download_error'));
    const fallen = step(newJob(asked), { type: 'no-host-left' }, T0 + WAIT).job;
    for (const job of [steps(newJob(asked), CLAIM), retrying, fallen]) {
      expect(noHost(job, T0 + WAIT)).toEqual(refusal);
    }
  });
});

it('a job of the radar without a fallback has neither fallen back nor will it', () => {
  const drawn = { renderer: 'radar', fallback: undefined } as const;
  expect(hasFallenBack(drawn)).toBe(false);
  expect(needsOfNewRun(drawn)).toEqual(drawn);
  expect(fallbackAt({ ...asked, renderer: 'radar', queuedAt: T0 })).toBeNull();
  expect(fallbackAt({ ...asked, queuedAt: T0 })).toBe(T0 + WAIT);
});

it('each run tries the game again, and a redo takes the fallback of its request', () => {
  const fallen = due(steps(newJob(asked), CLAIM, fails(1, 'demo_incompatible')));
  const done = steps(fallen, { ...CLAIM, renderer: 'radar' }, completed(2));
  expect(done).toMatchObject({ status: 'done', clip: { renderer: 'radar' } });
  expect(hasFallenBack(done)).toBe(true);
  expect(steps(done, { type: 'resubmit', acceptable: true })).toMatchObject(asked);
  const redone = steps(done, { type: 'redo', admission: admission() });
  expect([redone.renderer, redone.fallback]).toEqual([null, undefined]);
});
