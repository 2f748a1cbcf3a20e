import { describe, expect, it } from 'vitest';
import type { JobEvent } from '../../domain/job-event.ts';
import { transition } from '../../domain/job-machine.ts';
import { at, CLAIM, completed, failedWith, jobs, step, steps, T0 } from './builders.ts';

describe('transitions of a clip (contract 3.2)', () => {
  it('is ready once the job is done', () => {
    expect(jobs.done().clip).toMatchObject({ state: 'ready', isSaved: false, tier: 'metered', createdAt: T0 });
  });

  it('is kept while a re-run is under way or has failed, and overwritten when it succeeds', () => {
    const rerun = steps(jobs.done(), { type: 'save' }, { type: 'resubmit', acceptable: true }, CLAIM);
    expect(rerun.clip).toMatchObject({ state: 'ready', isSaved: true });
    expect(steps(rerun, failedWith(2, 'render_failed')).clip).toEqual(rerun.clip);
    const again = step(rerun, completed(2), T0 + 1000);
    expect(again.job.clip).toMatchObject({ isSaved: true, createdAt: T0, renderedAt: T0 + 1000 });
    expect(again.effects).toContainEqual({ type: 'delete-files', prefix: expect.stringMatching(/\/1\/$/) });
  });

  it('deleting removes the files once; deleting again changes nothing', () => {
    const first = step(jobs.done(), { type: 'delete-clip' });
    expect(first.job.clip?.state).toBe('deleted');
    expect(first.effects).toContainEqual({ type: 'delete-files', prefix: expect.stringMatching(/\/1\/$/) });
    expect(step(first.job, { type: 'delete-clip' })).toEqual({ ok: true, job: first.job, effects: [] });
  });

  it('is deleted by its owner also where it was to be kept, and kept without a change of its files', () => {
    const { job, effects } = step(jobs.done(), { type: 'save' });
    expect(effects).toEqual([{ type: 'project' }]);
    expect(step(job, { type: 'delete-clip' }).job.clip?.state).toBe('deleted');
  });

  it('a re-run brings a deleted clip back, and has no old files to delete', () => {
    const rerun = steps(jobs.done(), { type: 'delete-clip' }, { type: 'resubmit', acceptable: true }, CLAIM);
    const { job, effects } = step(rerun, completed(2));
    expect(job.clip?.state).toBe('ready');
    expect(effects.map(({ type }) => type)).not.toContain('delete-files');
  });

  it.each(['save', 'unsave', 'delete-clip'] as const)('%s of a job without a clip is rejected', (type) => {
    expect(transition(jobs.pending(), { type }, at(T0))).toEqual({ ok: false, reason: 'no_clip' });
  });

  it('expires only when it is unsaved and old enough', () => {
    const expire = (renderedBefore: number): JobEvent => ({ type: 'expire-clip', renderedBefore });
    const done = jobs.done();
    const notDue = { ok: false, reason: 'not_due' };
    expect(transition(done, expire(T0), at(T0))).toEqual(notDue);
    expect(transition(steps(done, { type: 'save' }), expire(T0 + 1), at(T0))).toEqual(notDue);
    const { job, effects } = step(done, expire(T0 + 1));
    expect(job.clip?.state).toBe('deleted');
    expect(effects).toContainEqual({ type: 'delete-files', prefix: expect.stringMatching(/\/1\/$/) });
  });
});
