import { describe, expect, it } from 'vitest';
import { fieldsOf, type Job } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { admission, at, CLAIM, newJob, step, steps, T0 } from './builders.ts';

const incompatible = (fence: number, refusedBuild?: string): JobEvent => ({
  type: 'fail',
  fence,
  code: 'demo_incompatible',
  detail: 'because',
  refusedBuild,
});
/** When the wait of the latest retry is over. */
const due = (job: Job) => step(job, { type: 'retry-due' }, fieldsOf(job).retryAt ?? 0).job;
const claimed = (job: Job) => step(job, CLAIM).job;

describe('a demo that the game refuses', () => {
  it('goes to another build, and has the reason meanwhile', () => {
    const job = steps(newJob(), CLAIM, incompatible(1, '1.40'));
    expect(job).toMatchObject({ status: 'retrying', errorCode: 'demo_incompatible', refusedBuilds: ['1.40'] });
    expect(fieldsOf(job).retryAt).toBe(T0 + 15_000);
    expect(fieldsOf(due(job))).toMatchObject({ status: 'pending', errorCode: null, refusedBuilds: ['1.40'] });
  });

  it('is final at once where no build is named, for none would play it', () => {
    const job = steps(newJob(), CLAIM, incompatible(1));
    expect(job).toMatchObject({ status: 'error', errorCode: 'demo_incompatible', refusedBuilds: [] });
  });

  it('is final where a build refuses it that has refused it before: it came from nowhere else', () => {
    const again = steps(claimed(due(steps(newJob(), CLAIM, incompatible(1, '1.40')))), incompatible(2, '1.40'));
    expect(again).toMatchObject({ status: 'error', errorCode: 'demo_incompatible' });
  });

  it('is final with the fourth build that refuses it', () => {
    let job = newJob();
    for (const [i, build] of ['1', '2', '3'].entries()) {
      job = due(steps(claimed(job), incompatible(i + 1, build)));
    }
    expect(job).toMatchObject({ status: 'pending', refusedBuilds: ['1', '2', '3'] });
    expect(steps(claimed(job), incompatible(4, '4'))).toMatchObject({ status: 'error' });
  });

  it('keeps its refused builds through other failures, until the next run', () => {
    const refused = due(steps(newJob(), CLAIM, incompatible(1, '1.40')));
    const failed = steps(claimed(refused), { type: 'fail', fence: 2, code: 'demo_404', detail: '', refusedBuild: '9' });
    expect(failed).toMatchObject({ status: 'error', refusedBuilds: ['1.40'] });
    expect(steps(failed, { type: 'resubmit', acceptable: true }).refusedBuilds).toEqual([]);
  });

  const refusedTwice = steps(claimed(due(steps(newJob(), CLAIM, incompatible(1, '1.40')))), incompatible(2, '1.41'));

  it.each([
    ['retrying', refusedTwice, 'because'],
    ['pending', due(refusedTwice), 'no host is left whose build has not refused it: 1.40, 1.41'],
  ])('ends while it is %s when no build is left', (_status, waiting, errorDetail) => {
    const { job, effects } = step(waiting, { type: 'no-host-left' }, T0 + 99);
    expect(fieldsOf(job)).toMatchObject({
      status: 'error',
      errorCode: 'demo_incompatible',
      errorDetail,
      retryAt: null,
      finishedAt: T0 + 99,
    });
    expect(effects.map(({ type }) => type)).toEqual(['project', 'announce', 'settle']);
  });

  it('does not end for it at work, nor one that nothing refused', () => {
    const refused = steps(newJob(), CLAIM, incompatible(1, '1.40'));
    for (const job of [newJob(), claimed(due(refused)), steps(newJob(), CLAIM)]) {
      expect(transition(job, { type: 'no-host-left' }, at(T0))).toEqual({ ok: false, refusal: 'not_waiting' });
    }
  });
});

describe('what an account requires of hosts', () => {
  const asked = { renderer: 'cs2', labels: ['eu'] } as const;

  it('stays with the job through retries and runs, and is replaced by a forced redo', () => {
    const failed = steps(newJob(asked), CLAIM, incompatible(1));
    expect(steps(failed, { type: 'resubmit', acceptable: true })).toMatchObject(asked);
    const redo = { type: 'redo', admission: admission({ labels: ['us'] }) } as const;
    expect(steps(failed, redo)).toMatchObject({ renderer: null, labels: ['us'] });
  });
});
