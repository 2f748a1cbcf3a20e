import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFallback } from '#domain/fallback.ts';
import { fieldsOf, type Job, leaseOf } from '#domain/job.ts';
import type { Effect, JobEvent } from '#domain/job-event.ts';
import { secretEndsAt, transition } from '#domain/job-machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { attemptPrefix } from '#domain/storage-keys.ts';
import { runOf, scheduleOf } from '#domain/upgrade.ts';
import { admission, at, CLAIM, CLIP_ID, completed, failedWith, jobs, newJob, step, T0 } from './builders.ts';

const WAIT = 600_000;
const DAY = 24 * 60 * 60_000;
const webhook = { url: 'https://example.com/hook', authHeader: null };
const asked = { webhook, priority: true, ...withFallback(null, WAIT, true) };
const RADAR = { ...CLAIM, renderer: 'radar' } as const;
const GAME = { ...CLAIM, hostId: 'game', renderer: 'cs2' } as const;
const retry: JobEvent = { type: 'retry-due' };
const beats = (fence: number): JobEvent => ({ type: 'heartbeat', fence, phase: 'render' });

/** Applies events in turn, a minute after each other. */
function lived(job: Job, ...events: JobEvent[]): Job {
  return events.reduce((state, event, i) => step(state, event, T0 + WAIT + (i + 1) * 60_000).job, job);
}

const fallen = () => step(newJob(asked), { type: 'no-host-left' }, T0 + WAIT).job;
/** A clip of the radar whose upgrade waits for a host. */
const waiting = () => lived(fallen(), RADAR, completed(1), retry);
const underWay = () => lived(waiting(), GAME, beats(2));
const types = (effects: readonly Effect[]) => effects.map(({ type }) => type);

describe('an upgrade', () => {
  it('begins after a clip of the radar, if the request asked for one', () => {
    const { job, effects } = step(lived(fallen(), RADAR), completed(1), T0 + WAIT);
    expect(job).toMatchObject({ status: 'done', upgrade: { status: 'retrying', retryAt: T0 + WAIT + 15_000 } });
    expect(types(effects)).toEqual(['project', 'announce', 'meter', 'settle']);
    expect(lived(step(newJob(asked), GAME).job, completed(1)).upgrade).toBeUndefined();
    const without = step(newJob(withFallback(null, WAIT)), { type: 'no-host-left' }, T0 + WAIT).job;
    expect(lived(without, RADAR, completed(1)).upgrade).toBeUndefined();
  });

  it('waits for a host with the game beside a job that stays done', () => {
    expect(waiting()).toMatchObject({ status: 'done', renderer: 'radar', clip: { state: 'ready' } });
    expect(runOf(waiting())).toMatchObject({ status: 'pending', renderer: 'cs2', fallback: undefined });
    expect(underWay()).toMatchObject({ status: 'done', fence: 1, clip: { renderer: 'radar' } });
    expect(leaseOf(runOf(underWay()))).toMatchObject({ fence: 2, hostId: 'game', isConfirmed: true });
    expect(runOf(jobs.done())).toMatchObject({ status: 'done' });
  });

  it('replaces the files in one event, sends the outcome once more, and bills nothing', () => {
    const before = underWay();
    const { job, effects } = step(before, completed(2), T0 + DAY);
    expect(job).toMatchObject({
      ...{ status: 'done', fence: 2, renderedBy: 'game', version: before.version + 1 },
      clip: { renderer: 'cs2', video: { key: `${attemptPrefix(CLIP_ID, 2)}video.mp4` } },
    });
    expect(job.upgrade).toBeUndefined();
    // The job finished and the clip expires as before.
    expect(fieldsOf(job).finishedAt).toBe(fieldsOf(before).finishedAt);
    expect(job.clip?.renderedAt).toBe(before.clip?.renderedAt);
    expect(job.clip?.tier).toBe('reserved');
    expect(effects).toEqual([
      { type: 'cancel-webhooks' },
      { type: 'announce' },
      { type: 'project', isPublic: true },
      expect.objectContaining({ type: 'settle' }),
      { type: 'delete-files', prefix: attemptPrefix(CLIP_ID, 1), purge: 'overwrite' },
    ]);
    // Both hosts may repeat their reports.
    expect(transition(job, completed(2), at(T0))).toEqual({ ok: true, job, effects: [] });
    expect(transition(before, completed(1), at(T0))).toEqual({ ok: true, job: before, effects: [] });
  });

  it.each([
    ['render_failed', failedWith(2, 'render_failed')],
    ['demo_404', failedWith(2, 'demo_404')],
    ['workshop_not_supported', failedWith(2, 'workshop_not_supported')],
  ])('ends with %s, and nothing is sent; its host time counts towards the limit', (_name, event) => {
    const before = underWay();
    const { job, effects } = step(before, event, T0 + DAY);
    expect(job).toEqual({ ...waiting(), version: job.version, fence: 2, upgrade: undefined });
    expect(types(effects)).toEqual(['project', 'unbilled', 'settle', 'delete-files']);
    const hostMs = T0 + DAY - (leaseOf(runOf(before))?.grantedAt ?? 0);
    expect(effects).toContainEqual({ type: 'unbilled', run: 1, hostMs, endedAt: T0 + DAY });
    // The host of the clip may still repeat its report, and the other host has made none.
    expect(transition(job, completed(1), at(T0))).toEqual({ ok: true, job, effects: [] });
    expect(transition(job, completed(2), at(T0))).toEqual({ ok: false, refusal: 'stale_lease' });
  });

  it('is not granted to a host with another renderer, and neither is its job', () => {
    const refusal = { ok: false, refusal: 'not_queued' };
    expect(transition(waiting(), RADAR, at(T0 + DAY))).toEqual(refusal);
    expect(transition(fallen(), GAME, at(T0 + DAY))).toEqual(refusal);
    expect(transition(newJob(asked), RADAR, at(T0))).toEqual(refusal);
    expect(transition(newJob(), { ...GAME, renderer: undefined }, at(T0))).toMatchObject({ ok: true });
  });

  it('sends no event to clients while it runs, and the webhook’s secret is kept', () => {
    const quiet = { type: 'project', isQuiet: true };
    expect(step(waiting(), GAME, T0 + DAY).effects).toContainEqual(quiet);
    expect(step(underWay(), failedWith(2, 'demo_404'), T0 + DAY).effects).toContainEqual(quiet);
    const secret = { ...underWay(), webhook: { ...webhook, authHeader: 'Token secret' } };
    const schedule = { ...DEFAULT_SCHEDULE, secretKept: 1000 };
    expect(secretEndsAt(secret, schedule)).toBeNull();
    expect(secretEndsAt({ ...secret, upgrade: undefined }, schedule)).toBeLessThan(T0 + DAY);
  });

  it('is not begun for a map of the workshop, which no host plays in the game', () => {
    const drawn = lived(newJob(asked), GAME, failedWith(1, 'workshop_not_supported'), retry, RADAR, completed(2));
    expect(drawn).toMatchObject({ status: 'done', clip: { renderer: 'radar' } });
    expect(drawn.upgrade).toBeUndefined();
  });

  it('is offered again every four hours at last', () => {
    expect(scheduleOf(waiting(), DEFAULT_SCHEDULE)).toEqual({ ...DEFAULT_SCHEDULE, reofferMax: 4 * 60 * 60_000 });
    expect(scheduleOf(fallen(), DEFAULT_SCHEDULE)).toBe(DEFAULT_SCHEDULE);
  });

  it('goes on after a repair of the index', () => {
    const { job } = step(underWay(), { type: 'recovered', version: 50, fence: 0 });
    expect(job).toEqual({ ...underWay(), version: 51 });
  });

  it('goes on after a refusal by a build, or a lost host, without an outcome', () => {
    const refused: JobEvent = { ...failedWith(2, 'demo_incompatible'), refusedBuild: '2' } as JobEvent;
    for (const [event, builds] of [
      [refused, ['2']],
      [failedWith(2, 'cs2_unavailable'), []],
      [{ type: 'lease-expired' } as const, []],
    ] as const) {
      const { job, effects } = step(underWay(), event, T0 + 5 * 60 * 60_000);
      expect(job).toMatchObject({ status: 'done', upgrade: { status: 'retrying', refusedBuilds: builds } });
      expect(types(effects)).toEqual(['project', 'settle', 'delete-files']);
      expect(transition(job, { type: 'no-host-left' }, at(T0 + DAY))).toEqual({ ok: false, refusal: 'not_waiting' });
    }
  });

  it('is tried at most six times, and for at most seven days', () => {
    let job = waiting();
    for (const fence of [2, 3, 4, 5, 6]) {
      job = step(lived(job, GAME, failedWith(fence, 'cs2_unavailable')), retry, T0 + DAY).job;
    }
    expect(job.upgrade).toMatchObject({ attempt: 5, status: 'pending' });
    const last = step(lived(job, GAME, beats(7)), failedWith(7, 'cs2_unavailable'), T0 + DAY);
    expect(last.job.upgrade).toBeUndefined();
    expect(types(last.effects)).toContain('unbilled');
    const overdue: JobEvent = { type: 'run-overdue' };
    const since = waiting().upgrade?.queuedAt ?? 0;
    expect(transition(waiting(), overdue, at(since + 7 * DAY - 1))).toEqual({ ok: false, refusal: 'not_due' });
    const { job: over, effects } = step(waiting(), overdue, since + 7 * DAY);
    expect([over.upgrade, over.status, types(effects)]).toEqual([undefined, 'done', ['project', 'settle']]);
  });

  it.each<[string, JobEvent]>([
    ['a deletion', { type: 'delete-clip' }],
    ['a take-down', { type: 'take-down', reason: 'why' }],
    ['its expiry', { type: 'expire-clip', renderedBefore: T0 + DAY }],
    ['an erasure', { type: 'erase' }],
    ['a recovery', { type: 'recovered', version: 50, fence: 9 }],
  ])('ends with %s: its slot is free, and its uploads and files are deleted', (_name, event) => {
    const upload = { key: `${attemptPrefix(CLIP_ID, 2)}video.mp4`, uploadId: 'upload' };
    const uploading = lived(underWay(), { type: 'upload-begun', fence: 2, upload });
    const ofHost = { type: 'delete-files', prefix: attemptPrefix(CLIP_ID, 2) };
    for (const [before, ended] of [
      [waiting(), []],
      [underWay(), [ofHost]],
      [uploading, [{ type: 'abort-uploads', uploads: [upload] }, ofHost]],
    ] as const) {
      const { job, effects } = step(before, event);
      expect(job.upgrade).toBeUndefined();
      expect(effects).toEqual([
        ...step({ ...before, upgrade: undefined }, event).effects,
        { type: 'settle' },
        ...ended,
      ]);
      expect(transition(job, completed(2), at(T0))).toEqual({ ok: false, refusal: 'stale_lease' });
    }
  });

  it('ends with another run, which gets a higher fence and frees the slot', () => {
    for (const event of [
      { type: 'resubmit', acceptable: true },
      { type: 'redo', admission: admission(asked) },
    ] as const) {
      const { job, effects } = step(underWay(), event);
      expect(job).toMatchObject({ status: 'pending', run: 2, renderer: 'cs2', fence: 2 });
      expect(job.upgrade).toBeUndefined();
      const begun = [{ type: 'cancel-webhooks' }, { type: 'project' }];
      const ofHost = { type: 'delete-files', prefix: attemptPrefix(CLIP_ID, 2) };
      expect(effects).toEqual([...begun, { type: 'offer' }, ofHost]);
      expect(step(job, GAME).job.fence).toBe(3);
      expect(step(waiting(), event).effects).toEqual([...begun, { type: 'offer' }]);
    }
  });

  it('does not change by an early report', () => {
    const before = underWay();
    const { upgrade } = before;
    const seen = upgrade && 'lease' in upgrade ? upgrade.lease.deadline - 60_000 : 0;
    const same = transition(before, beats(2), at(seen));
    expect(same.ok && same.job).toBe(before);
  });

  it('is neither canceled with its job, which has finished, nor ended by a save', () => {
    expect(transition(underWay(), { type: 'cancel', by: 'account' }, at(T0))).toEqual({
      ...{ ok: false, refusal: 'job_finished' },
    });
    expect(step(underWay(), { type: 'save' }).job.upgrade).toEqual(underWay().upgrade);
  });
});

const fences = (job: Job) => [job.fence, runOf(job).fence];
const moves = fc.constantFrom(
  ...(['claim', 'beat', 'complete', 'stale', 'fail', 'refuse', 'release', 'lease-expired', 'retry-due'] as const),
  ...([
    'delete-clip',
    'take-down',
    'expire-clip',
    'save',
    'cancel',
    'resubmit',
    'redo',
    'erase',
    'run-overdue',
    'no-host-left',
  ] as const),
  ...(['claim', 'complete', 'retry-due', 'claim', 'complete', 'retry-due'] as const),
);

it('in any order of events a clip has its own files only, is billed once a run and announced as asked', () => {
  const life = fc.property(fc.array(moves, { maxLength: 40, size: 'max' }), (names) => {
    let job = waiting();
    let now = T0 + WAIT + 300_000;
    const files = new Set([attemptPrefix(CLIP_ID, 1)]);
    const granted = new Set([1]);
    let [announced, upgrades, completions] = [0, 0, 0];
    const billed: number[] = [];
    for (const name of names) {
      now += 20 * 60_000;
      const before = job;
      const fence = leaseOf(runOf(job))?.fence ?? runOf(job).fence;
      const events: Record<typeof name, JobEvent> = {
        claim: runOf(job).renderer === 'radar' ? RADAR : GAME,
        beat: beats(fence),
        complete: completed(fence),
        stale: completed(1),
        fail: failedWith(fence, 'cs2_unavailable'),
        refuse: { ...failedWith(fence, 'demo_incompatible'), refusedBuild: String(fence) } as JobEvent,
        release: { type: 'release', fence },
        'lease-expired': { type: 'lease-expired' },
        'retry-due': { type: 'retry-due' },
        'delete-clip': { type: 'delete-clip' },
        'take-down': { type: 'take-down', reason: 'why' },
        'expire-clip': { type: 'expire-clip', renderedBefore: now },
        save: { type: 'save' },
        cancel: { type: 'cancel', by: 'account' },
        resubmit: { type: 'resubmit', acceptable: true },
        redo: { type: 'redo', admission: admission(asked) },
        erase: { type: 'erase' },
        'run-overdue': { type: 'run-overdue' },
        'no-host-left': { type: 'no-host-left' },
      };
      const result = transition(job, events[name], at(now));
      if (!result.ok) continue;
      job = result.job;
      const lease = leaseOf(runOf(job));
      if (name === 'claim' && lease) {
        expect(granted.has(lease.fence)).toBe(false);
        granted.add(lease.fence);
        files.add(attemptPrefix(CLIP_ID, lease.fence));
      }
      for (const effect of result.effects) {
        if (effect.type === 'announce') announced++;
        if (effect.type === 'meter') billed.push(effect.usage.run);
        if (effect.type !== 'delete-files') continue;
        for (const prefix of files) if (prefix.startsWith(effect.prefix)) files.delete(prefix);
      }
      if (before.upgrade && job.clip?.renderer === 'cs2' && job.run === before.run) upgrades++;
      // An erasure ends a job without an outcome.
      const isOver = job.status === 'done' || job.status === 'error';
      if (name !== 'erase' && (before.status !== job.status || before.run !== job.run) && isOver) completions++;
      if (job.upgrade) {
        expect([job.status, job.clip?.state, job.run]).toEqual(['done', 'ready', before.run]);
        expect(job.upgrade.attempt).toBeLessThanOrEqual(6);
      }
      expect(Math.max(...fences(job))).toBeGreaterThanOrEqual(Math.max(...fences(before)));
      const own = job.clip?.state === 'ready' ? [job.clip.video.key.replace('video.mp4', '')] : [];
      const underWay = lease ? [attemptPrefix(CLIP_ID, lease.fence)] : [];
      expect([...files].sort()).toEqual([...new Set([...own, ...underWay])].sort());
    }
    expect(new Set(billed).size).toBe(billed.length);
    expect(announced).toBe(completions + upgrades);
  });
  fc.assert(life, { numRuns: 300 });
});
