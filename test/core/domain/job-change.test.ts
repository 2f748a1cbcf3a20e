import { describe, expect, it } from 'vitest';
import type { Job } from '#domain/job.ts';
import { describeChange } from '#domain/job-change.ts';
import { JOB_ID, jobs, step, T0 } from './builders.ts';

describe('the log of a change', () => {
  it('says whose job went from where to where, in which run, attempt and lease, and who asked', () => {
    const pending = jobs.pending();
    expect(describeChange(null, pending, { event: 'submit', requestId: 'r' })).toEqual({
      event: 'submit',
      requestId: 'r',
      job: JOB_ID,
      account: 'account',
      from: null,
      to: 'pending',
      run: 1,
      attempt: 0,
      fence: 0,
      host: null,
    });
    expect(describeChange(pending, jobs.prefetch(), { event: 'claim' })).toEqual({
      event: 'claim',
      job: JOB_ID,
      account: 'account',
      from: 'pending',
      to: 'prefetch',
      run: 1,
      attempt: 1,
      fence: 1,
      host: 'host',
    });
  });

  it('names the host that failed, the code and the detail, without what may be signed', () => {
    const failed = (errorDetail: string | null): Job => ({ ...jobs.error(), ...{ errorDetail } });
    const signed = 'GET https://d.example/a.dem?sig=secret&x=1 answered 404';
    expect(describeChange(jobs.prefetch(), failed(signed), { event: 'fail' })).toMatchObject({
      host: 'host',
      errorCode: 'demo_404',
      errorDetail: 'GET https://d.example/a.dem?… answered 404',
      tookMs: 0,
    });
    expect(describeChange(jobs.prefetch(), failed(null), { event: 'fail' })).toMatchObject({
      errorDetail: null,
    });
  });

  it('says how long a run took, and what became of the clip', () => {
    const done = { ...jobs.done(), finishedAt: T0 + 5 };
    expect(describeChange(jobs.render(), done, { event: 'complete' })).toMatchObject({ tookMs: 5, clip: 'ready' });
    const saved = step(done, { type: 'save' }).job;
    expect(describeChange(done, saved, { event: 'save' })).toMatchObject({ isSaved: true, clip: 'ready' });
    const deleted = step(done, { type: 'delete-clip' }).job;
    expect(describeChange(done, deleted, { event: 'delete-clip' })).toMatchObject({ clip: 'deleted' });
    expect(describeChange(done, { ...done, run: 2 }, { event: 'redo' })).toMatchObject({ run: 2 });
    expect(describeChange(done, { ...done, fence: 2 }, { event: 'claim' })).toMatchObject({ fence: 2 });
  });

  it('is silent about what only keeps a lease alive', () => {
    const job = jobs.render();
    expect(describeChange(job, { ...job, version: job.version + 1 }, { event: 'heartbeat' })).toBeNull();
  });
});
