import type { RenderResult } from './clip.ts';
import type { ErrorCode } from './error-codes.ts';
import { hasFallenBack, isUnplayable } from './fallback.ts';
import type { Job, Lease, LeasedJob } from './job.ts';
import type { JobEvent } from './job-event.ts';
import type { Schedule } from './schedule.ts';
import { type ClipFile, clipFileKey } from './storage-keys.ts';
import CLIP from './test-clip.json' with { type: 'json' };
import { TEST_MARK, type TestEnd } from './test-end.ts';
import { traitsOf } from './work.ts';

// Jobs of test keys. No host gets them: the job reports its own progress, each time that its short lease ends.

/** The files of a test job, by its end. */
export const TEST_FILES = {
  complete: ['video', 'thumbnail', 'storyboard'],
  inspected: ['tracks'],
} as const satisfies Record<ReturnType<typeof traitsOf>['end'], readonly ClipFile[]>;

/** Returns the host of a test job. It has what the job requires. */
export function testHostOf({ renderer }: Pick<Job, 'renderer'>): Pick<Lease, 'hostId' | 'hostName' | 'renderer'> {
  return { hostId: 'test', hostName: 'test', renderer: renderer ?? 'radar' };
}

/** The wait before a retry. */
const RETRY_MS = 5;
/** The time between two reports of a slow attempt. */
const SLOW_REPORT_MS = 1000;

/** Returns the time of an attempt. With five retries a job waits 325 ms, and the work between takes longer. */
function attemptMs(end: TestEnd, attempt: number): number {
  if (end === 'slow') return 20_000;
  return attempt === 1 ? 200 : 20;
}

/** Returns the waits of a test job: its host reports at the end of each lease. */
export function testSchedule(job: Job, end: TestEnd, schedule: Schedule): Schedule {
  const attempt = 'lease' in job ? job.attempt : job.attempt + 1;
  const step = Math.min(attemptMs(end, attempt) / 2, SLOW_REPORT_MS);
  return { ...schedule, confirmWithin: step, leaseTtl: step, retryWaits: schedule.retryWaits.map(() => RETRY_MS) };
}

/** Codes of failures that a host reports after it has begun to render. */
const LATE: ReadonlySet<ErrorCode> = new Set(['cs2_unavailable', 'render_failed', 'upload_error', 'finalize_failed']);

/** Returns the code that an attempt fails with; null if it ends well. */
export function testFailure(job: Job, end: TestEnd, attempt: number): ErrorCode | null {
  if (end === 'ok' || end === 'slow') return null;
  if (end === 'retry-then-ok') return attempt > 1 ? null : 'cs2_unavailable';
  return hasFallenBack(job) && isUnplayable(end) ? null : end;
}

/** Returns the next report of a test job's host. */
export function testReport(job: LeasedJob, end: TestEnd, now: number): JobEvent {
  const { attempt, clipId, work } = job;
  const { fence, grantedAt, isConfirmed } = job.lease;
  const code = testFailure(job, end, attempt);
  // Also if the alarm is late.
  if (!isConfirmed || now - grantedAt < attemptMs(end, attempt)) {
    return { type: 'heartbeat', fence, phase: code === null || LATE.has(code) ? 'render' : 'prefetch' };
  }
  if (code === null) {
    const type = traitsOf(work).end;
    if (type === 'complete') return { type, fence, result: resultOf(clipId, fence) };
    const tracks = { ...CLIP.tracks, key: clipFileKey(clipId, fence, 'tracks') };
    return { type, fence, tracks };
  }
  if (code === 'canceled') return { type: 'cancel', by: 'operator' };
  return { type: 'fail', fence, code, detail: 'the test asks for it' };
}

/** Returns how far a test job is, from 0 to 1. */
export function testProgress({ attempt, lease }: LeasedJob, end: TestEnd, now: number): number {
  return Math.min(100, Math.round((100 * (now - lease.grantedAt)) / attemptMs(end, attempt))) / 100;
}

/** Returns the clip of every test job, as its host reports it. */
function resultOf(clipId: string, fence: number): RenderResult {
  const { video, thumbnail, storyboard, tracks: _, ...about } = CLIP;
  const key = (file: ClipFile) => clipFileKey(clipId, fence, file);
  return {
    ...{ ...about, title: TEST_MARK + about.title, facts: { ...about.facts, floor: 'movement' } },
    video: { ...video, key: key('video') },
    thumbnail: { ...thumbnail, key: key('thumbnail') },
    storyboard: { ...storyboard, key: key('storyboard') },
  };
}
