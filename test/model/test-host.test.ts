import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ERROR_CODE_LIST, isRetryable } from '#domain/failure/codes.ts';
import type { JobEvent } from '#domain/job/event.ts';
import { fieldsOf, type Job, leaseOf } from '#domain/job/job.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { TEST_ENDS, type TestEnd } from '#domain/job/test-end.ts';
import type { Work } from '#domain/job/work.ts';
import { JobEngine } from '#durable-objects/render-job/job-engine.ts';
import { createTestHost, isOfHosts, testSchedule } from '#durable-objects/render-job/test-host.ts';
import type { Claim, Heartbeat } from '#rpc/render-job.ts';
import { admission, CLIP_ID, JOB_ID, T0 } from '../core/domain/builders.ts';
import { sqliteStorage } from './engine-system.ts';

type Reported<Type> = Omit<Extract<JobEvent, { readonly type: Type }>, 'type'>;

interface Played {
  readonly job: Job;
  readonly statuses: readonly string[];
  readonly ms: number;
  readonly files: readonly string[];
}

/** Plays a test job to its end on a real engine. `late`: of each alarm. */
async function play(
  end: TestEnd,
  { work, acceptable = true }: { work?: Work; acceptable?: boolean } = {},
  late = () => 0,
) {
  vi.useFakeTimers({ toFake: ['Date'], now: T0 });
  let alarm: number | null = null;
  const statuses: string[] = [];
  const files = new Set<string>();
  const pending = new Set<Promise<void>>();
  const context = {
    staticFile: async (name: string) => new Response(readFileSync(`src/static/${name}`)),
    files: { put: async (key: string) => files.add(key) },
  };
  const engine: JobEngine = new JobEngine({
    storage: sqliteStorage(new DatabaseSync(':memory:'), {
      alive: () => {},
      beforeCommit: () => {},
      afterCommit: () => {},
      readAlarm: () => alarm,
      writeAlarm: (at) => {
        alarm = at;
      },
    }),
    get schedule() {
      return engine.stored ? testSchedule(engine.stored, DEFAULT_SCHEDULE) : DEFAULT_SCHEDULE;
    },
    resendsAnHour: 0,
    now: () => Date.now(),
    random: () => 0.5,
    newId: () => 'id',
    keepAlive: (work) => {
      const over = work.finally(() => pending.delete(over));
      pending.add(over);
    },
    runEffect: async (effect) => (isOfHosts(effect) ? host.take(effect) : 'done'),
    report: () => host.report(),
    prepare: async () => null,
    webhookOutcome: () => ({ event: '', body: '' }),
    onChange: ({ status }) => {
      if (status !== statuses.at(-1)) statuses.push(status);
    },
    log: () => {},
  });
  const apply = async (event: JobEvent) => engine.apply(event);
  const calls = {
    claim: ({ skills: _, ...claim }: Claim) => apply({ type: 'claim', ...claim }),
    heartbeat: ({ fence, phase }: Heartbeat) => apply({ type: 'heartbeat', fence, phase }),
    complete: (done: Reported<'complete'>) => apply({ type: 'complete', ...done }),
    inspected: (done: Reported<'inspected'>) => apply({ type: 'inspected', ...done }),
    fail: (failed: Reported<'fail'>) => apply({ type: 'fail', ...failed }),
  };
  const host = createTestHost({ engine, context } as never, calls as never);
  const identity = { id: JOB_ID, accountId: 'account', clipId: CLIP_ID };
  const request = {
    ...({ kind: 'clip', steam64_id: '1', resolution: 1080, extras: null } as const),
    demo_url: `https://demo.test/${end}.dem`,
  };
  const kept = work?.kind === 'inspection' ? ({ kind: 'inspection', demo_url: request.demo_url } as const) : request;
  const admitted = admission({ isTest: true, acceptable, ...(work && { work }) });
  engine.apply({ type: 'submit', identity, admission: admitted }, { request: kept });
  for (let steps = 0; ; steps++) {
    while (pending.size > 0) await Promise.all(pending);
    const job = engine.stored?.job;
    if (!job || steps > 200) throw new Error('it does not end');
    if (fieldsOf(job).finishedAt !== null) {
      return { job, statuses, ms: Date.now() - T0, files: [...files] } satisfies Played;
    }
    vi.setSystemTime(Math.max(Date.now(), alarm ?? Number.NaN) + late());
    alarm = null;
    await engine.wake();
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the host of a test job', () => {
  it('takes it through the states of a live one, within a second', async () => {
    const { job, statuses, ms, files } = await play('ok');
    expect(statuses).toEqual(['pending', 'prefetch', 'render', 'done']);
    expect(ms).toBeLessThan(1000);
    expect(job).toMatchObject({ clip: { state: 'ready', title: expect.stringMatching(/^Test: \d kill/) } });
    expect(files.sort()).toEqual(
      ['storyboard.jpg', 'thumbnail.jpg', 'video.mp4'].map((name) => `clips/${CLIP_ID}/1/${name}`),
    );
  });

  it.each(ERROR_CODE_LIST.filter((code) => code !== 'demo_url_rejected'))('ends it with %s', async (code) => {
    const { job, statuses, ms, files } = await play(code);
    expect(fieldsOf(job)).toMatchObject({ status: 'error', errorCode: code, attempt: isRetryable(code) ? 6 : 1 });
    expect(statuses.filter((status) => status === 'retrying')).toHaveLength(isRetryable(code) ? 5 : 0);
    expect(statuses.includes('render')).toBe(/^(cs2|render|upload|finalize)_/.test(code));
    // The rest of the second is for the work between.
    expect(ms).toBeLessThan(400);
    expect(files).toEqual([]);
  });

  it('is not reached by a job that fails at once: by its address, or its length', async () => {
    const refused = await play('demo_url_rejected', { acceptable: false });
    expect(fieldsOf(refused.job)).toMatchObject({ status: 'error', errorCode: 'demo_url_rejected', attempt: 0 });
    const work = { kind: 'clip', fps: 60, resolution: 1080, frames: { asked: 100, most: 10 } } as const;
    expect(fieldsOf((await play('ok', { work })).job)).toMatchObject({ status: 'error', errorCode: 'clip_too_long' });
  });

  it('makes the clip after one retry, or slowly', async () => {
    const { job, statuses } = await play('retry-then-ok');
    expect(job).toMatchObject({ status: 'done', attempt: 2 });
    expect(statuses).toContain('retrying');
    const slow = await play('slow');
    expect(slow.statuses).toEqual(['pending', 'prefetch', 'render', 'done']);
    expect(Math.round(slow.ms / 1000)).toBe(20);
  });

  it('inspects a demo without a clip', async () => {
    const { job } = await play('ok', { work: { kind: 'inspection' } });
    expect(job).toMatchObject({ status: 'done', clip: null, tracks: {} });
  });

  it('ends it also if its alarms are late, and uses the fences of a live one', { tags: ['long'] }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TEST_ENDS.filter((end) => end !== 'demo_url_rejected')),
        fc.infiniteStream(fc.integer({ min: 0, max: 120_000 })),
        async (end, late) => {
          const { job, statuses } = await play(end, {}, () => late.next().value);
          expect(statuses).toEqual((await play(end)).statuses);
          expect(leaseOf(job)).toBeNull();
          expect(job.fence).toBe(job.attempt);
        },
      ),
      { numRuns: 60 },
    ),
  );
});
