import { describe, expect, it } from 'vitest';
import { type Capability, canDo, classOf, kindOf, type Need, strengthOf } from '#domain/host/need.ts';
import type { JobEvent } from '#domain/job/event.ts';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { admission, at, CLAIM, newJob, step, steps, T0 } from './builders.ts';

const HOST: Capability = {
  maxResolution: 1440,
  maxFps: 60,
  renderer: 'cs2',
  gameBuild: '14090',
  labels: ['eu', 'big'],
  skills: ['uploads', 'of a later version'],
};
const NEED: Need = { resolution: 1080, fps: 30, renderer: null, refusedBuilds: [] };

describe('what a host can do', () => {
  it.each<[string, Partial<Need>, boolean]>([
    ['less than it can', {}, true],
    ['just what it can', { resolution: 1440, fps: 60, renderer: 'cs2' }, true],
    ['a higher picture', { resolution: 2160 }, false],
    ['more frames', { fps: 61 }, false],
    ['another renderer', { renderer: 'radar' }, false],
    ['another build of the game', { refusedBuilds: ['14090'] }, false],
    ['its build of the game', { refusedBuilds: ['14089'] }, true],
    ['a label that it has', { labels: ['eu'] }, true],
    ['all labels that it has', { labels: ['big', 'eu'] }, true],
    ['a label that it has not', { labels: ['eu', 'us'] }, false],
    ['a skill that it has', { skills: ['uploads'] }, true],
    ['a skill that it has not', { skills: ['uploads', 'inspect'] }, false],
  ])('%s', (_, need, can) => {
    expect(canDo(HOST, { ...NEED, ...need })).toBe(can);
  });

  it('distinguishes kinds of hosts, whatever their names', () => {
    expect(kindOf(HOST)).toBe(kindOf({ ...HOST }));
    expect(kindOf({ maxResolution: 1080, maxFps: 30 })).toBe(
      kindOf({ maxResolution: 1080, maxFps: 30, gameBuild: null, labels: [], skills: [] }),
    );
    expect(kindOf(HOST)).toBe(kindOf({ ...HOST, labels: ['big', 'eu'] }));
    const others = [
      { maxResolution: 1080 },
      { renderer: 'radar' as const },
      { gameBuild: '1' },
      { labels: ['eu'] },
      { skills: [] },
    ];
    for (const other of [{ maxFps: 30 }, ...others]) expect(kindOf({ ...HOST, ...other })).not.toBe(kindOf(HOST));
  });

  it('orders them: height before frames', () => {
    expect(strengthOf({ maxResolution: 1440, maxFps: 30 })).toBeGreaterThan(
      strengthOf({ maxResolution: 1080, maxFps: 120 }),
    );
    expect(strengthOf(HOST)).toBeGreaterThan(strengthOf({ ...HOST, maxFps: 30 }));
    expect(strengthOf(HOST)).toBeGreaterThan(strengthOf({ ...HOST, labels: ['eu'] }));
    expect(strengthOf({ maxResolution: 1, maxFps: 1 })).toBe(strengthOf({ maxResolution: 1, maxFps: 1, labels: [] }));
    expect(strengthOf(HOST)).toBeLessThan(strengthOf({ ...HOST, maxFps: 61, labels: [] }));
  });
});

describe('the class of a need', () => {
  it.each([
    [1, 24],
    [24, 24],
    [25, 25],
    [29, 30],
    [31, 48],
    [61, 72],
    [120, 120],
    [240, 240],
  ])('rounds %i frames a second up to %i', (fps, rounded) => {
    expect(classOf({ ...NEED, fps })).toEqual({ ...NEED, fps: rounded });
  });

  it('is one for the same refused builds in any order', () => {
    expect(classOf({ ...NEED, refusedBuilds: ['2', '1', '2'] }).refusedBuilds).toEqual(['1', '2']);
    expect(classOf({ ...NEED, labels: ['eu', 'big', 'eu'] }).labels).toEqual(['big', 'eu']);
    expect(classOf({ ...NEED, skills: ['uploads', 'inspect'] }).skills).toEqual(['inspect', 'uploads']);
  });

  it('has no labels and no skills where none are asked for', () => {
    expect(JSON.stringify(classOf({ ...NEED, labels: [], skills: [] }))).toBe(JSON.stringify(classOf(NEED)));
    expect(Object.keys(classOf({ ...NEED, labels: undefined }))).not.toContain('labels');
  });
});

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

const CRASHED = { demo: 'a', has_recorded: true };

describe('a demo that crashes the game while it loads', () => {
  const fail = (job: Job, hostId: string, gameBuild?: string, how: object = { crashedLoading: CRASHED }): Job => {
    const waiting = job.status === 'retrying' ? due(job) : job;
    const claimed = steps(waiting, { type: 'claim', hostId, gameBuild });
    const { fence } = claimed;
    const failed = { type: 'fail', fence, code: 'cs2_unavailable', detail: 'it crashed', ...how } as const;
    return steps(claimed, { type: 'heartbeat', fence, phase: 'render' }, failed);
  };

  const HOW: Partial<Record<string, object>> = {
    other: {},
    filmed: { stage: 'upload' },
    new: { crashedLoading: { ...CRASHED, has_recorded: false } },
  };

  it.each([
    ['once', ['a'], 'cs2_unavailable', []],
    ['twice on one host', ['a', 'a'], 'cs2_unavailable', []],
    ['on two hosts', ['a', 'b'], 'demo_incompatible', ['1']],
    ['twice on one host, then on another', ['a', 'a', 'b'], 'demo_incompatible', ['1']],
    ['on two hosts, of which one has recorded nothing', ['a', 'new'], 'cs2_unavailable', []],
    ['on two hosts, between which another one failed', ['a', 'other', 'b'], 'demo_incompatible', ['1']],
    ['on two hosts, between which another one filmed it', ['a', 'filmed', 'b'], 'cs2_unavailable', []],
  ] as const)('%s', (_, hosts, code, refused) => {
    const job = hosts.reduce((before, host) => fail(before, host, '1', HOW[host]), newJob({ renderer: 'cs2' }));
    expect(fieldsOf(job)).toMatchObject({ status: 'retrying', errorCode: code, refusedBuilds: refused });
  });
});

it('a player who is signed in on the host: other hosts are preferred for an hour, also after another failure', () => {
  const claim = steps(newJob({ renderer: 'cs2' }), { type: 'claim', hostId: 'a', renderer: 'cs2' });
  const failed = step(claim, { type: 'fail', fence: 1, code: 'cs2_unavailable', detail: '', ownMatch: true });
  const avoided = { avoidHost: 'a', avoidMs: 3_600_000 };
  expect(failed.job).toMatchObject(avoided);
  const again = steps(due(failed.job), { type: 'claim', hostId: 'b', renderer: 'cs2' });
  expect(steps(again, { type: 'fail', fence: 2, code: 'cs2_unavailable', detail: '' })).toMatchObject(avoided);
  expect(failed.effects).toContainEqual(
    expect.objectContaining({ type: 'settle', end: expect.objectContaining({ hostId: 'a', about: 'own match' }) }),
  );
});

describe('a demo that the game refuses', () => {
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
