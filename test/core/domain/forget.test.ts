import { describe, expect, it } from 'vitest';
import { idleSince, spareSince } from '#domain/forget.ts';
import { fieldsOf, JOB_STATUSES } from '#domain/job.ts';
import { transition } from '#domain/job-machine.ts';
import { at, CLAIM, CLIP_ID, failedWith, jobs, newJob, step, steps, T0 } from './builders.ts';

const LATER = T0 + 1000;
const forget = { type: 'forget-request', finishedBefore: LATER } as const;
const webhook = { url: 'https://example.com/hook', authHeader: 'Token secret' };
const deleted = () => step(jobs.done(), { type: 'delete-clip' }).job;

describe('an idle job', () => {
  it('is one that failed, or whose clip is deleted', () => {
    const since = JOB_STATUSES.map((status) => [status, idleSince(jobs[status]())]);
    expect(Object.fromEntries(since)).toEqual({
      ...{ pending: null, prefetch: null, render: null, done: null, retrying: null },
      error: T0,
    });
    expect(idleSince(deleted())).toBe(T0);
  });

  it('deletes its request after its retention, and keeps its facts', () => {
    const failed = { ...steps(jobs.render(), failedWith(1, 'demo_404')), webhook, errorDetail: 'because' };
    expect(failed.lastEnd).not.toBeNull();
    const { job, effects } = step(failed, forget);
    expect(job).toEqual({ ...failed, webhook: null, errorDetail: null, lastEnd: null, version: failed.version + 1 });
    expect(effects).toEqual([{ type: 'forget-history' }, { type: 'project' }]);
    const facts = { kills: 2, players: ['Ferris'], map: 'cs_italy', round: 1 };
    const { clip } = deleted();
    const named = { ...deleted(), clip: clip && { ...clip, facts } };
    expect(step(named, forget).job.clip).toEqual({ ...clip, title: '', facts: undefined });
  });

  it('keeps it until then, and for as long as its clip can be watched or it has not finished', () => {
    const early = { type: 'forget-request', finishedBefore: T0 } as const;
    for (const [job, event] of [
      [jobs.error(), early],
      [jobs.done(), forget],
      [jobs.render(), forget],
    ] as const) {
      expect(transition(job, event, at(LATER))).toEqual({ ok: false, refusal: 'not_due' });
    }
  });
});

describe('a spare job', () => {
  it('has finished, never made a clip, and has no key; an inspection is never spare', () => {
    const since = JOB_STATUSES.map((status) => [status, spareSince(jobs[status](), undefined)]);
    expect(Object.fromEntries(since)).toEqual({
      ...{ pending: null, prefetch: null, render: null, done: null, retrying: null },
      error: T0,
    });
    expect(spareSince(deleted(), undefined)).toBeNull();
    expect(spareSince(jobs.error(), 'k')).toBeNull();
    expect(spareSince({ ...jobs.error(), work: { kind: 'inspection' } }, undefined)).toBeNull();
  });
});

describe('a job whose account is erased', () => {
  const FILES = { type: 'delete-files', prefix: `clips/${CLIP_ID}/`, since: LATER };

  it('ends at once, without a webhook, and leaves queue and storage', () => {
    const upload = { key: 'k', uploadId: 'u' };
    const claimed = steps(newJob({ webhook }), CLAIM);
    const running = step(claimed, { type: 'upload-begun', fence: 1, upload }).job;
    const { job, effects } = step(running, { type: 'erase' }, LATER);
    expect(fieldsOf(job)).toMatchObject({
      status: 'error',
      errorCode: 'canceled',
      finishedAt: LATER,
      lease: null,
      webhook: null,
    });
    expect(effects).toEqual([
      { type: 'cancel-webhooks', posts: true },
      { type: 'project' },
      { type: 'settle' },
      { type: 'abort-uploads', uploads: [upload] },
      FILES,
    ]);
    const waiting = step(jobs.retrying(), { type: 'erase' }, LATER);
    expect(fieldsOf(waiting.job).retryAt).toBeNull();
    expect(waiting.effects).toContainEqual({ type: 'settle' });
  });

  it('that has finished stays as it ended, and its clip is deleted', () => {
    const { job, effects } = step(jobs.done(), { type: 'erase' }, LATER);
    expect(fieldsOf(job)).toMatchObject({
      status: 'done',
      errorCode: null,
      finishedAt: T0,
      clip: { state: 'deleted', title: '' },
    });
    expect(effects).toEqual([
      { type: 'cancel-webhooks', posts: true },
      { type: 'project', isPublic: true },
      { ...FILES, purge: 'erasure' },
    ]);
  });
});

it('a job that was taken back outdoes what others have seen of it', () => {
  const done = jobs.done();
  const ahead = step(done, { type: 'recovered', version: done.version + 7, fence: done.fence + 3 });
  expect(ahead.job).toEqual({ ...done, version: done.version + 8, fence: done.fence + 3 });
  expect(ahead.effects).toEqual([{ type: 'project', isPublic: true }]);
  const behindAll = { type: 'recovered', version: 0, fence: 0 } as const;
  const behind = step(done, behindAll);
  expect(behind.job).toEqual({ ...done, version: done.version + 1 });
  // Its webhook is stored under the run that made it; the next run is a new one.
  const later = { ...behindAll, run: 4 };
  const kept = steps(done, later, behindAll);
  expect(kept.run).toBe(1);
  expect(steps(kept, { type: 'resubmit', acceptable: true }).run).toBe(5);
  expect(steps(jobs.pending(), later).run).toBe(5);
});
