import type { Aspect } from '#domain/clip/render-order.ts';
import type { ErrorCode } from '#domain/failure/codes.ts';
import { SKILLS } from '#domain/host/need.ts';
import { hasFallenBack, isUnplayable } from '#domain/job/fallback.ts';
import type { Job } from '#domain/job/job.ts';
import type { EffectOutcome, OutsideEffect } from '#domain/job/outbox.ts';
import type { Schedule } from '#domain/job/schedule.ts';
import { type ClipFile, clipFileKey } from '#domain/job/storage-keys.ts';
import { TEST_MARK, type TestEnd, testEndOf } from '#domain/job/test-end.ts';
import { traitsOf } from '#domain/job/work.ts';
import CLIP from '#domain/lib/test-clip.json' with { type: 'json' };
import { namesAsked } from '#protocol/clip/submit.ts';
import { HostInspection } from '#protocol/demo/demos.ts';
import type { HostCalls } from '#rpc/render-job.ts';
import { fileMetadata } from '#storage/clip/clip-files.ts';
import type { OpenJob } from './open-job.ts';
import type { StoredJob } from './stored-job.ts';
import { byKind } from './stored-request.ts';

// The host of test jobs. It works in the job's own object, takes the job when it is offered, and reports by the calls of
// any host each time that its short lease is about to end.

const HOST_ID = 'test';

/**
 * The wait before a retry. A job with five retries takes at least 325 ms: 200 for its first attempt, 20 for each other,
 * 5 before each retry.
 */
const RETRY_MS = 5;
/** The time between two reports of a slow attempt. */
const SLOW_REPORT_MS = 1000;

/** Codes of failures that a host reports after it has begun to render. */
const LATE: ReadonlySet<ErrorCode> = new Set(['cs2_unavailable', 'render_failed', 'upload_error', 'finalize_failed']);

function attemptMs(end: TestEnd, attempt: number): number {
  if (end === 'slow') return 20_000;
  return attempt === 1 ? 200 : 20;
}

/** Returns the waits of a test job: its host reports at the end of each lease. */
export function testSchedule({ job, request }: StoredJob, schedule: Schedule): Schedule {
  const attempt = 'lease' in job ? job.attempt : job.attempt + 1;
  const step = Math.min(attemptMs(testEndOf(request.demo_url), attempt) / 2, SLOW_REPORT_MS);
  return { ...schedule, confirmWithin: step, leaseTtl: step, retryWaits: schedule.retryWaits.map(() => RETRY_MS) };
}

/** Returns the code that the present attempt fails with; null if it ends well. */
function failureOf(job: Job, end: TestEnd): ErrorCode | null {
  if (end === 'ok' || end === 'slow') return null;
  if (end === 'retry-then-ok') return job.attempt > 1 ? null : 'cs2_unavailable';
  return hasFallenBack(job) && isUnplayable(end) ? null : end;
}

/** Whether an effect is about hosts and their work, which is not billed for a test job. */
export function isOfHosts({ type }: OutsideEffect): boolean {
  return type === 'offer' || type === 'started' || type === 'settle' || type === 'meter' || type === 'unbilled';
}

export interface TestHost {
  /** Carries out an effect about hosts. */
  take(effect: OutsideEffect): Promise<EffectOutcome>;
  /** Makes the report that is due, also if the alarm is late. */
  report(): Promise<void>;
}

/** `calls`: those of the job's object. */
export function createTestHost(job: Pick<OpenJob, 'engine' | 'context'>, calls: HostCalls): TestHost {
  /** Stores a file of the sample. Returns it as a host reports it. */
  async function upload(file: ClipFile, clipId: string, fence: number, aspect: Aspect = '16:9') {
    const { files, staticFile } = job.context;
    const key = clipFileKey(clipId, fence, file);
    const folder = aspect === '16:9' ? 'test' : `test/${aspect.replace(':', 'x')}`;
    const content = await staticFile(`${folder}/${key.slice(key.lastIndexOf('/') + 1)}`);
    await files.put(key, await content.arrayBuffer(), fileMetadata(file));
    return { ...CLIP[file], ...(aspect !== '16:9' && file !== 'tracks' && CLIP.shapes[aspect][file]), key };
  }

  return {
    async take({ type }) {
      const { renderer } = job.engine.stored?.job ?? {};
      const host = { hostId: HOST_ID, hostName: HOST_ID, renderer: renderer ?? 'radar' } as const;
      if (type === 'offer') await calls.claim({ ...host, skills: SKILLS });
      return 'done';
    },

    async report() {
      const { stored } = job.engine;
      if (!stored?.job.isTest || !('lease' in stored.job)) return;
      const { attempt, clipId, work, lease } = stored.job;
      const { fence, grantedAt } = lease;
      const lead = { hostId: HOST_ID, fence };
      const end = testEndOf(stored.request.demo_url);
      const code = failureOf(stored.job, end);
      const progress = Math.min(1, (Date.now() - grantedAt) / attemptMs(end, attempt));
      const phase = code === null || LATE.has(code) ? 'render' : 'prefetch';
      calls.heartbeat({ ...lead, phase, progress: Math.round(100 * progress) / 100 });
      if (progress < 1) return;
      if (code === 'canceled') {
        job.engine.apply({ type: 'cancel', by: 'operator' });
      } else if (code !== null) {
        calls.fail({ ...lead, code, detail: 'the test asks for it' });
      } else if (traitsOf(work).end === 'inspected') {
        const found = HostInspection.parse(await (await job.context.staticFile('test/demo.json')).json());
        await calls.inspected({ ...lead, found, tracks: await upload('tracks', clipId, fence) });
      } else {
        const { title, facts, durationSeconds, storyboard } = CLIP;
        const { aspect } = traitsOf(work).picture;
        const { clip } = byKind(stored.request);
        const isHidden = clip && namesAsked(clip);
        await calls.complete({
          ...lead,
          result: {
            title: TEST_MARK + title,
            facts: { ...facts, floor: 'movement', ...(isHidden && { names: 'hidden' }) },
            durationSeconds,
            video: await upload('video', clipId, fence, aspect),
            thumbnail: await upload('thumbnail', clipId, fence, aspect),
            storyboard: { ...storyboard, ...(await upload('storyboard', clipId, fence, aspect)) },
          },
        });
      }
    },
  };
}
