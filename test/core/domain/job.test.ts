import { describe, expect, it } from 'vitest';
import { describeChange } from '#domain/job/change.ts';
import { type JobEvent, outside, PROJECT } from '#domain/job/event.ts';
import { idleSince, spareSince } from '#domain/job/forget.ts';
import { fieldsOf, JOB_STATUSES, type Job } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { DEFAULT_SCHEDULE, retryWait, scaleSchedule } from '#domain/job/schedule.ts';
import { admission, at, CLAIM, CLIP_ID, failedWith, JOB_ID, jobs, newJob, step, steps, T0 } from './builders.ts';

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
    const failed = (errorDetail: string | null): Job => Object.assign(jobs.error(), { errorDetail });
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

describe('the schedule of a job', () => {
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;

  describe('the schedule', () => {
    it('is what the contract and the documents say', () => {
      expect(DEFAULT_SCHEDULE).toEqual({
        retryWaits: [15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
        webhookSpacing: 15 * MINUTE,
        runDeadline: 7 * 24 * 60 * MINUTE,
        hostBudget: 6 * 60 * MINUTE,
        secretKept: Number.POSITIVE_INFINITY,
        rerunsAnHour: Number.POSITIVE_INFINITY,
        webhookAttempts: 10,
        leaseTtl: MINUTE,
        confirmWithin: 5 * SECOND,
        answerWithin: 9 * SECOND,
        avoidFor: 30 * SECOND,
        reofferFirst: MINUTE,
        reofferMax: 15 * MINUTE,
      });
    });

    it('scales the waits of retries and webhooks, and no lease', () => {
      expect(scaleSchedule(DEFAULT_SCHEDULE, 0.1)).toEqual({
        ...DEFAULT_SCHEDULE,
        retryWaits: [1.5 * SECOND, 6 * SECOND, 30 * SECOND, 90 * SECOND, 180 * SECOND],
        webhookSpacing: 90 * SECOND,
        avoidFor: 3 * SECOND,
      });
    });
  });

  describe('the wait before a retry', () => {
    it('is that of its number, spread over a tenth each way', () => {
      expect(retryWait(DEFAULT_SCHEDULE, 1, 0.5)).toBe(15 * SECOND);
      expect(retryWait(DEFAULT_SCHEDULE, 1, 0)).toBe(13.5 * SECOND);
      expect(retryWait(DEFAULT_SCHEDULE, 1, 1)).toBe(16.5 * SECOND);
      expect(retryWait(DEFAULT_SCHEDULE, 5, 0.5)).toBe(30 * MINUTE);
      expect(retryWait({ ...DEFAULT_SCHEDULE, retryWaits: [1.4] }, 1, 0.5)).toBe(1);
    });

    it('is none when no retry is left', () => {
      expect(retryWait(DEFAULT_SCHEDULE, 6, 0.5)).toBeNull();
    });
  });
});

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

describe('the runs of a job', () => {
  const HOUR = 60 * 60_000;
  const RESUBMIT = { type: 'resubmit', acceptable: false } as const;

  it('counts runs after the first, for an hour from the first of them', () => {
    const second = step(jobs.error(), RESUBMIT, T0 + 1).job;
    const third = step(second, RESUBMIT, T0 + HOUR).job;
    expect([second.reruns, third.reruns]).toEqual([
      { since: T0 + 1, count: 1 },
      { since: T0 + 1, count: 2 },
    ]);
    const run = (event: Parameters<typeof transition>[1], time: number, job = third) =>
      transition(job, event, { ...at(time), schedule: { ...DEFAULT_SCHEDULE, rerunsAnHour: 2 } });
    const refused = { ok: false, refusal: 'too_many_reruns' };
    expect(run(RESUBMIT, T0 + HOUR)).toEqual(refused);
    expect(run(RESUBMIT, T0 + HOUR, second)).toMatchObject({ ok: true });
    expect(run({ type: 'redo', admission: admission() }, T0 + HOUR)).toEqual(refused);
    expect(run(RESUBMIT, T0 + HOUR + 1)).toMatchObject({
      ok: true,
      job: { reruns: { since: T0 + HOUR + 1, count: 1 } },
    });
  });
});

describe('a job in time', () => {
  const LATER = T0 + 1000;
  const forget = { type: 'forget-request', finishedBefore: LATER } as const;
  const webhook = { url: 'https://example.com/hook', authHeader: 'Token secret' };
  const deleted = () => step(jobs.done(), { type: 'delete-clip' }).job;

  describe('an idle job', () => {
    it('is one that failed, or whose clip is deleted', () => {
      const since = JOB_STATUSES.map((status) => [status, idleSince(jobs[status]())]);
      expect(since.filter(([, at]) => at !== null)).toEqual([['error', T0]]);
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
      expect(since.filter(([, at]) => at !== null)).toEqual([['error', T0]]);
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
});
