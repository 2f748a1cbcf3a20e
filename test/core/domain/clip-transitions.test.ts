import { describe, expect, it } from 'vitest';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { recordOf } from '#domain/public-record.ts';
import { at, CLAIM, completed, failedWith, jobs, step, steps, T0 } from './builders.ts';

describe('transitions of a clip (contract 3.2)', () => {
  it('is ready once the job is done', () => {
    expect(jobs.done().clip).toMatchObject({ state: 'ready', isSaved: false, tier: 'metered', createdAt: T0 });
  });

  const FILES = { type: 'delete-files', prefix: expect.stringMatching(/\/1\/$/) };

  it('is kept while a re-run is under way or has failed, and overwritten when it succeeds', () => {
    const rerun = steps(jobs.done(), { type: 'save' }, { type: 'resubmit', acceptable: true }, CLAIM);
    expect(rerun).toMatchObject({ clip: { state: 'ready', isSaved: true }, renderedBy: 'host' });
    expect(steps(rerun, failedWith(2, 'render_failed')).clip).toEqual(rerun.clip);
    const again = step(rerun, completed(2), T0 + 1000);
    expect(again.job.clip).toMatchObject({ isSaved: true, createdAt: T0, renderedAt: T0 + 1000 });
    expect(again.effects).toContainEqual({ ...FILES, purge: 'overwrite' });
  });

  it('deleting removes the files once; deleting again changes nothing', () => {
    const first = step(jobs.done(), { type: 'delete-clip' });
    expect(first.job.clip?.state).toBe('deleted');
    expect(first.effects).toContainEqual({ ...FILES, purge: 'deletion' });
    expect(step(first.job, { type: 'delete-clip' })).toEqual({ ok: true, job: first.job, effects: [] });
  });

  it('is deleted by its owner also where it was to be kept, and kept without a change of its files', () => {
    const { job, effects } = step(jobs.done(), { type: 'save' });
    expect(effects).toEqual([{ type: 'project' }]);
    expect(step(job, { type: 'delete-clip' }).job.clip?.state).toBe('deleted');
  });

  it('a re-run makes a deleted clip ready again, and has no old files to delete', () => {
    const rerun = steps(jobs.done(), { type: 'delete-clip' }, { type: 'resubmit', acceptable: true }, CLAIM);
    const { job, effects } = step(rerun, completed(2));
    expect(job.clip?.state).toBe('ready');
    expect(effects.map(({ type }) => type)).not.toContain('delete-files');
  });

  it.each(['save', 'unsave', 'delete-clip'] as const)('%s of a job without a clip is rejected', (type) => {
    expect(transition(jobs.pending(), { type }, at(T0))).toEqual({ ok: false, refusal: 'no_clip' });
  });

  it('expires only when it is unsaved and old enough', () => {
    const expire = (renderedBefore: number): JobEvent => ({ type: 'expire-clip', renderedBefore });
    const done = jobs.done();
    const notDue = { ok: false, refusal: 'not_due' };
    expect(transition(done, expire(T0), at(T0))).toEqual(notDue);
    expect(transition(steps(done, { type: 'save' }), expire(T0 + 1), at(T0))).toEqual(notDue);
    const { job, effects } = step(done, expire(T0 + 1));
    expect(job.clip?.state).toBe('deleted');
    // Without a purge.
    expect(effects).toContainEqual(FILES);
  });
});

describe('the public record of a clip', () => {
  const isPublic = ({ effects }: ReturnType<typeof step>) =>
    effects.some((effect) => effect.type === 'project' && effect.isPublic === true);
  const RESUBMIT: JobEvent = { type: 'resubmit', acceptable: true };

  it('is that it is there, that it is gone, and what a player needs; nothing of its owner', () => {
    for (const job of [jobs.render(), jobs.retrying(), jobs.error()]) expect(recordOf(job).state).toBe('unknown');
    const { clip, ...rest } = jobs.done();
    const done = { ...rest, clip: clip && { ...clip, renderer: 'cs2' as const } };
    const { state: _, isSaved: _isSaved, tier: _tier, ...shown } = done.clip ?? {};
    expect(recordOf(done)).toEqual({ version: done.version, state: 'ready', clip: shown });
    const { job } = step(done, { type: 'delete-clip' });
    expect(recordOf(job)).toEqual({ version: job.version, state: 'deleted' });
    expect(recordOf(steps(job, RESUBMIT, CLAIM)).state).toBe('deleted');
    expect(recordOf(steps(done, RESUBMIT, CLAIM)).state).toBe('ready');
  });

  it('is also what its account shows beside it', () => {
    const viewing = { embedSites: ['example.com'], showsViews: true, showsMore: true };
    const shown = { embedSites: ['example.com'], showsViews: true, lists: ['one'] };
    expect(recordOf(jobs.done(), viewing, ['one'])).toMatchObject({ clip: shown });
    expect(recordOf(jobs.done(), viewing)).toMatchObject({ clip: { ...shown, lists: [] } });
  });

  it('changes only when a clip is made and when it is deleted', () => {
    expect(isPublic(step(jobs.pending(), CLAIM))).toBe(false);
    expect(isPublic(step(jobs.render(), completed(1)))).toBe(true);
    expect(isPublic(step(jobs.render(), failedWith(1, 'demo_404')))).toBe(false);
    expect(isPublic(step(jobs.done(), { type: 'delete-clip' }))).toBe(true);
    expect(isPublic(step(jobs.render(), failedWith(1, 'download_error')))).toBe(false);
    expect(isPublic(step(jobs.done(), { type: 'save' }))).toBe(false);
  });
});
