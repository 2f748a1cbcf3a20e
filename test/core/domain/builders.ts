import type { RenderResult } from '#domain/clip/clip.ts';
import type { Admission, Effect, JobEvent, Transition } from '#domain/job/event.ts';
import type { Job } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { clipFileKey } from '#domain/job/storage-keys.ts';
import type { ClipWork } from '#domain/job/work.ts';
import { uuidFromBytes } from '#domain/lib/ids.ts';

/** 2026-01-01T00:00:00Z. */
export const T0 = 1_767_225_600_000;
export const JOB_ID = uuidFromBytes(
  Uint8Array.from({ length: 16 }, (_, i) => i * 17),
  4,
);
export const CLIP_ID = '5b1d3c7e-9a42-4f08-8c6d-2e7f90a1b3c4';

/** Returns a clip with so many frames, under its account's limit. */
export function clipWork(overrides: Partial<ClipWork> = {}): ClipWork {
  return { kind: 'clip', fps: 30, resolution: 1080, frames: { asked: 0, most: 0 }, ...overrides };
}

export function admission(overrides: Partial<Admission> = {}): Admission {
  const asked = { work: clipWork(), renderer: null, fallback: undefined, labels: [] };
  return { priority: false, webhook: null, ...asked, acceptable: true, ...overrides };
}

/** Returns a submitted job after some events. */
export function submitted(overrides: Partial<Admission> = {}) {
  const identity = { id: JOB_ID, accountId: 'account', clipId: CLIP_ID };
  return step(null, { type: 'submit', identity, admission: admission(overrides) });
}

export function newJob(overrides: Partial<Admission> = {}): Job {
  return submitted(overrides).job;
}

export function at(now: number, jitter = 0.5) {
  return { now, schedule: DEFAULT_SCHEDULE, jitter };
}

/** Applies an event that must be accepted. A claim that names no renderer has the one that the run requires. */
export function step(job: Job | null, event: JobEvent, now = T0): { job: Job; effects: readonly Effect[] } {
  const needed = event.type === 'claim' && job ? { renderer: job.renderer ?? undefined } : {};
  const result: Transition = transition(job, { ...needed, ...event }, at(now));
  if (!result.ok) throw new Error(`${event.type} was rejected: ${result.refusal}`);
  return result;
}

export function steps(job: Job, ...events: JobEvent[]): Job {
  return events.reduce((state, event) => step(state, event).job, job);
}

function resultFor(fence: number, overrides: Partial<RenderResult> = {}): RenderResult {
  return {
    title: '2 kills by Ferris on cs_italy',
    durationSeconds: 7.5,
    video: { key: clipFileKey(CLIP_ID, fence, 'video'), bytes: 1000, sha256: 'a'.repeat(64) },
    thumbnail: { key: clipFileKey(CLIP_ID, fence, 'thumbnail'), bytes: 100, sha256: 'b'.repeat(64) },
    ...overrides,
  };
}

export const CLAIM = { type: 'claim', hostId: 'host' } as const;
const started = (fence: number): JobEvent => ({ type: 'heartbeat', fence, phase: 'render' });
export const completed = (fence: number): JobEvent => ({ type: 'complete', fence, result: resultFor(fence) });
export const failedWith = (fence: number, code: Extract<JobEvent, { type: 'fail' }>['code']): JobEvent => ({
  type: 'fail',
  fence,
  code,
  detail: 'because',
});

/** A job in each of the six states. */
export const jobs = {
  pending: () => newJob(),
  prefetch: () => steps(newJob(), CLAIM),
  render: () => steps(newJob(), CLAIM, started(1)),
  done: () => steps(newJob(), CLAIM, started(1), completed(1)),
  retrying: () => steps(newJob(), CLAIM, failedWith(1, 'download_timeout')),
  error: () => steps(newJob(), CLAIM, failedWith(1, 'demo_404')),
} as const;
