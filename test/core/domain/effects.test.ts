import { describe, expect, it } from 'vitest';
import { fieldsOf } from '#domain/job.ts';
import { type JobEvent, outside, PROJECT } from '#domain/job-event.ts';
import { CLAIM, completed, failedWith, jobs, newJob, step, steps, T0 } from './builders.ts';

const beat = (phase: 'prefetch' | 'render'): JobEvent => ({ type: 'heartbeat', fence: 1, phase });
const types = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type);
const UPLOAD = { key: 'k', uploadId: 'u' };

describe('what follows a change', () => {
  it('of a claim: the index hears of it', () => {
    const pending = newJob();
    const { job, effects } = step(pending, CLAIM);
    expect(types(effects)).toEqual(['project']);
    expect(job.version).toBe(pending.version + 1);
  });

  it('of a heartbeat: the queue once, the index for each phase, and nothing else', () => {
    const first = step(jobs.prefetch(), beat('prefetch'));
    expect(types(first.effects)).toEqual(['started']);
    const second = step(first.job, beat('render'), T0 + 1);
    expect(second.job.status).toBe('render');
    expect(fieldsOf(second.job).lease).toEqual(fieldsOf(first.job).lease);
    expect(types(second.effects)).toEqual(['project']);
    expect(step(second.job, beat('render'), T0 + 2)).toEqual({ ok: true, job: second.job, effects: [] });
    expect(types(step(jobs.prefetch(), beat('render')).effects)).toEqual(['project', 'started']);
  });

  it('of an upload: nothing, but that it ends with the lease', () => {
    const { job, effects } = step(jobs.render(), { type: 'upload-begun', fence: 1, upload: UPLOAD });
    expect(effects).toEqual([]);
    expect(step(job, failedWith(1, 'demo_404')).effects).toContainEqual({ type: 'abort-uploads', uploads: [UPLOAD] });
  });

  it('of a released lease: the job is offered again', () => {
    for (const job of [jobs.prefetch(), jobs.render()]) {
      expect(step(job, { type: 'release', fence: 1 }).effects).toContainEqual({ type: 'offer' });
    }
  });

  it.each([
    ['a metered job at work', jobs.render(), true],
    ['a metered job that nobody was heard of', jobs.prefetch(), true],
    ['a reserved job at work', steps(newJob({ priority: true }), CLAIM, beat('render')), true],
  ])('of the end of %s: it holds a slot of its host, and gives it back', (_, job, settles) => {
    for (const event of [failedWith(1, 'demo_404'), failedWith(1, 'download_error'), completed(1)]) {
      expect(step(job, event).effects.some(({ type }) => type === 'settle')).toBe(settles);
    }
  });

  it('of a clip that is kept already: nothing', () => {
    const saved = step(jobs.done(), { type: 'save' }).job;
    expect(step(saved, { type: 'save' })).toEqual({ ok: true, job: saved, effects: [] });
    expect(step(saved, { type: 'save' }).job).toBe(saved);
    expect(step(saved, { type: 'unsave' }).job.clip?.isSaved).toBe(false);
  });

  it('of a change of webhooks or history happens in its transaction, and not outside of the job', () => {
    const inside = (['cancel-webhooks', 'announce', 'forget-history'] as const).map((type) => ({ type }));
    expect(outside([...inside, PROJECT])).toEqual([PROJECT]);
  });
});
