import { describe, expect, it } from 'vitest';
import { fieldsOf, type Job } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { at, CLAIM, completed, failedWith, newJob, step, T0 } from './builders.ts';

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

  it('is not used by an unconfirmed grant, and is full again for the next run', () => {
    const silent = step(newJob(), CLAIM).job;
    const back = step(silent, { type: 'lease-expired' }, fieldsOf(silent).lease?.deadline ?? 0).job;
    expect(back).toMatchObject({ status: 'pending', hostMs: 0 });
    const failed = step(keptAlive(step(newJob(), CLAIM).job, T0 + MINUTE), failedWith(1, 'demo_404'), T0 + MINUTE).job;
    expect(failed).toMatchObject({ status: 'error', hostMs: MINUTE });
    expect(step(failed, { type: 'resubmit', acceptable: true }, T0 + MINUTE).job).toMatchObject({ hostMs: 0, run: 2 });
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

  it.each<[string, Job, JobEvent]>([
    ['made one', worked, completed(1)],
    ['will be tried again', worked, failedWith(1, 'upload_error')],
    ['no host has begun', step(newJob(), CLAIM).job, CANCEL],
  ])('counts nothing of one that %s', (_what, job, event) => {
    expect(step(job, event, T0 + MINUTE).effects.map(({ type }) => type)).not.toContain('unbilled');
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
