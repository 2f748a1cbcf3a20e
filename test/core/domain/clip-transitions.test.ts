import { describe, expect, it } from 'vitest';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { PURGE_REASONS } from '#domain/outbox.ts';
import { recordOf } from '#domain/public-record.ts';
import { admission, at, CLAIM, CLIP_ID, completed, failedWith, jobs, step, steps, T0 } from './builders.ts';

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
    expect(first.effects).toContainEqual({ ...FILES, purge: 'deletion', since: T0 });
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

describe('a take-down', () => {
  const DOWN: JobEvent = { type: 'take-down', reason: 'because' };
  const ALL_FILES = { type: 'delete-files', prefix: `clips/${CLIP_ID}/`, purge: 'take-down', since: T0 + 5 };
  const removal = { at: T0 + 5, reason: 'because' };
  const down = () => step(jobs.done(), DOWN, T0 + 5).job;
  const RERUNS: [string, JobEvent][] = [
    ['a resubmit', { type: 'resubmit', acceptable: true }],
    ['a redo', { type: 'redo', admission: admission() }],
  ];

  it('deletes all files of the clip, and their copies before all others', () => {
    const { job, effects } = step(jobs.done(), DOWN, T0 + 5);
    expect(job).toMatchObject({
      status: 'done',
      version: jobs.done().version + 1,
      clip: { state: 'deleted', removal },
    });
    expect(effects).toEqual([{ type: 'project', isPublic: true }, ALL_FILES]);
    expect(recordOf(job)).toEqual({ version: job.version, state: 'removed' });
    expect(PURGE_REASONS[0]).toBe('take-down');
  });

  it('keeps its first reason, and is not saved, unsaved or deleted again', () => {
    for (const type of ['save', 'unsave', 'delete-clip'] as const) {
      expect(step(down(), { type })).toEqual({ ok: true, job: down(), effects: [] });
    }
    expect(step(down(), { ...DOWN, reason: 'another' }).job).toEqual(down());
    const saved = step(steps(jobs.done(), { type: 'save' }), DOWN).job;
    expect(step(saved, { type: 'unsave' }).job.clip?.isSaved).toBe(true);
  });

  it('also marks a clip that its owner has deleted, so that no run brings it back', () => {
    const { job } = step(steps(jobs.done(), { type: 'delete-clip' }), DOWN, T0 + 5);
    expect(job.clip).toMatchObject({ state: 'deleted', removal });
  });

  it.each(RERUNS)('%s ends at once', (_name, rerun) => {
    const { job, effects } = step(down(), rerun, T0 + 9);
    const ended = { status: 'error', errorCode: 'clip_removed', errorDetail: 'because', finishedAt: T0 + 9, run: 2 };
    expect(job).toMatchObject({ ...ended, clip: down().clip });
    expect(effects.map(({ type }) => type)).toEqual(['cancel-webhooks', 'project', 'announce']);
  });

  it('ends a run that is under way, and refuses its host', () => {
    const rerun = steps(jobs.done(), { type: 'resubmit', acceptable: true }, CLAIM);
    const { job, effects } = step(rerun, DOWN, T0 + 5);
    expect(job).toMatchObject({
      status: 'error',
      errorCode: 'clip_removed',
      errorDetail: 'because',
      clip: { removal },
    });
    expect(effects.filter(({ type }) => type === 'project')).toEqual([{ type: 'project', isPublic: true }]);
    const types = ['project', 'announce', 'settle', 'delete-files', 'delete-files'];
    expect(effects.map(({ type }) => type)).toEqual(types);
    expect(effects.at(-1)).toEqual(ALL_FILES);
    expect(transition(job, completed(2), at(T0 + 6))).toEqual({ ok: false, refusal: 'stale_lease' });
  });

  it('of a job without a clip is refused: nobody knows its id', () => {
    expect(transition(jobs.render(), DOWN, at(T0))).toEqual({ ok: false, refusal: 'no_clip' });
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
    const viewing = { embedSites: ['example.com'], showsViews: true, showsMore: true, isHidden: false };
    const shown = { embedSites: ['example.com'], showsViews: true, lists: ['one'] };
    expect(recordOf(jobs.done(), viewing, ['one'])).toMatchObject({ clip: shown });
    expect(recordOf(jobs.done(), viewing)).toMatchObject({ clip: { ...shown, lists: [] } });
    const hidden = { ...viewing, isHidden: true };
    expect(recordOf(jobs.done(), hidden)).toEqual({ version: jobs.done().version, state: 'removed' });
    expect(recordOf(jobs.render(), hidden).state).toBe('unknown');
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
