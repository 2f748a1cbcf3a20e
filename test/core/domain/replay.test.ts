import { describe, expect, it } from 'vitest';
import type { Job } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { recordOf } from '#domain/public-record.ts';
import { mayHaveTracks } from '#domain/replay.ts';
import { cutTracksKey } from '#domain/storage-keys.ts';
import { USUAL_VIEWING } from '#domain/viewing.ts';
import { admission, at, CLAIM, CLIP_ID, completed, failedWith, jobs, newJob, step, steps, T0 } from './builders.ts';

const TRACKS = { key: cutTracksKey(CLIP_ID, 'cut'), bytes: 7, sha256: 'c'.repeat(64) };
const cut = (run = 1): JobEvent => ({ type: 'tracks-cut', run, tracks: TRACKS });
const withTracks = (job: Job, run?: number) => step(job, cut(run), T0 + 1).job;
const inspection = () => newJob({ work: { kind: 'inspection' } });
const inspected = () => steps(inspection(), CLAIM, { type: 'inspected', fence: 1, tracks: TRACKS });
const files = (purge?: string) => ({ type: 'delete-files', prefix: `clips/${CLIP_ID}/cut/`, purge });

describe('the replay of a job', () => {
  it.each(['pending', 'prefetch', 'render', 'retrying', 'done'] as const)('may be cut in %s, once', (status) => {
    const { job, effects } = step(jobs[status](), cut(), T0 + 1);
    expect(job).toMatchObject({ status, tracks: { ...TRACKS, createdAt: T0 + 1 } });
    expect(effects).toEqual([{ type: 'project', isPublic: true }]);
    expect(transition(job, cut(), at(T0))).toEqual({ ok: false, refusal: 'job_changed' });
  });

  it('may not be cut for an ended or another run, or for a run that replaces a clip', () => {
    const rerun = step(jobs.done(), { type: 'redo', admission: admission() }).job;
    for (const job of [jobs.error(), rerun, step(jobs.done(), { type: 'delete-clip' }).job]) {
      expect(mayHaveTracks(job)).toBe(false);
      expect(transition(job, cut(job.run), at(T0))).toMatchObject({ ok: false });
    }
    expect(transition(jobs.pending(), cut(2), at(T0))).toMatchObject({ ok: false });
  });

  it.each<[string, Job, JobEvent, string | undefined]>([
    ['its clip is deleted', jobs.done(), { type: 'delete-clip' }, 'deletion'],
    ['its clip expires', jobs.done(), { type: 'expire-clip', renderedBefore: T0 + 9 }, undefined],
    ['its clip is taken down', jobs.done(), { type: 'take-down', reason: 'r' }, 'deletion'],
    ['it is taken down before the clip', jobs.render(), { type: 'take-down', reason: 'r' }, 'deletion'],
    ['its run fails', jobs.render(), failedWith(1, 'demo_404'), 'deletion'],
    ['its run is canceled', jobs.pending(), { type: 'cancel', by: 'account' }, 'deletion'],
    ['its job is made again for another request', jobs.done(), { type: 'redo', admission: admission() }, 'deletion'],
    ['its job is erased', jobs.pending(), { type: 'erase' }, 'deletion'],
  ])('ends when %s', (_, job, event, purge) => {
    const { job: after, effects } = step(withTracks(job), event, T0 + 2);
    expect(after.tracks).toBeUndefined();
    expect(effects).toContainEqual(files(purge));
    expect(effects.filter(({ type }) => type === 'project')).toEqual([{ type: 'project', isPublic: true }]);
  });

  it('stays while its job goes on, and beside its clip', () => {
    const job = withTracks(jobs.render());
    for (const events of [
      [failedWith(1, 'download_timeout')],
      [completed(1)],
      [completed(1), { type: 'resubmit', acceptable: true }, CLAIM, failedWith(2, 'demo_404')],
    ] satisfies JobEvent[][]) {
      expect(steps(job, ...events).tracks).toEqual(job.tracks);
    }
  });

  it('is public until there is a clip, and then a part of it', () => {
    const job = withTracks(jobs.render());
    const { version, tracks } = job;
    expect(recordOf(jobs.render())).toMatchObject({ state: 'unknown' });
    expect(recordOf(job)).toEqual({ version, state: 'replay', clip: { tracks } });
    const sites = { ...USUAL_VIEWING, embedSites: ['example.com'] };
    expect(recordOf(job, sites)).toMatchObject({ state: 'replay', clip: { embedSites: ['example.com'] } });
    expect(recordOf(job, { ...USUAL_VIEWING, isHidden: true })).toMatchObject({ state: 'removed' });
    expect(recordOf(jobs.render(), { ...USUAL_VIEWING, isHidden: true })).toMatchObject({ state: 'unknown' });
    expect(recordOf(steps(job, completed(1)))).toMatchObject({ state: 'ready', clip: { tracks, fps: 30 } });
    const removed = steps(job, { type: 'take-down', reason: 'r' });
    expect(recordOf(removed)).toMatchObject({ state: 'removed' });
    expect(step(removed, { type: 'resubmit', acceptable: true }).job).toMatchObject({ errorCode: 'clip_removed' });
    expect(step(removed, { type: 'take-down', reason: 'again' }).job).toBe(removed);
  });
});

describe('the replay of a demo', () => {
  it('comes with the result of its inspection, if the host sent one', () => {
    expect(inspected()).toMatchObject({ status: 'done', tracks: { ...TRACKS, createdAt: T0 } });
    expect(steps(inspection(), CLAIM, { type: 'inspected', fence: 1 }).tracks).toBeUndefined();
  });

  it.each<JobEvent>([
    { type: 'forget-tracks' },
    { type: 'take-down', reason: 'r' },
    { type: 'redo', admission: admission({ work: { kind: 'inspection' } }) },
    { type: 'erase' },
  ])('ends with $type', (event) => {
    const { job, effects } = step(inspected(), event);
    expect(job.tracks).toBeUndefined();
    expect(effects).toContainEqual(files(event.type === 'forget-tracks' ? undefined : 'deletion'));
  });

  it('is published again as a clip is, and forgotten once', () => {
    expect(step(inspected(), { type: 'republish' }).effects).toEqual([{ type: 'project', isPublic: true }]);
    const forgotten = step(inspected(), { type: 'forget-tracks' }).job;
    expect(step(forgotten, { type: 'forget-tracks' }).job).toBe(forgotten);
    expect(transition(forgotten, { type: 'republish' }, at(T0))).toEqual({ ok: false, refusal: 'no_clip' });
  });
});
