import { type RenderResult, tierOf } from './clip.ts';
import { clipAfterDelete, clipAfterRender, clipAfterSave } from './clip-changes.ts';
import { type ErrorCode, isRetryable } from './error-codes.ts';
import { assertExhaustive } from './exhaustive.ts';
import { isFinished, isInFlight, type Job, type WebhookTarget } from './job.ts';
import type { OutsideEffect, Usage } from './outbox.ts';
import { retryWait, type Schedule } from './schedule.ts';
import { attemptPrefix } from './storage-keys.ts';

/** The parts of a request that the machine acts on. */
export interface Admission {
  readonly priority: boolean;
  readonly webhook: WebhookTarget | null;
  readonly fps: number;
  readonly resolution: number;
  /** False when the demo URL is on no accepted domain: the job fails at once, without a host. */
  readonly acceptable: boolean;
}

/** What happens to a job. `fence` names the lease under which a host reports. */
export type JobEvent =
  | { readonly type: 'redo'; readonly admission: Admission }
  | { readonly type: 'resubmit'; readonly acceptable: boolean }
  | { readonly type: 'claim'; readonly hostId: string }
  | { readonly type: 'render-started'; readonly fence: number }
  | { readonly type: 'complete'; readonly fence: number; readonly result: RenderResult }
  | { readonly type: 'fail'; readonly fence: number; readonly code: ErrorCode; readonly detail: string }
  | { readonly type: 'release'; readonly fence: number }
  | { readonly type: 'lease-expired'; readonly fence: number }
  | { readonly type: 'retry-due' }
  | { readonly type: 'save' }
  | { readonly type: 'unsave' }
  | { readonly type: 'delete-clip' }
  | { readonly type: 'expire-clip'; readonly renderedBefore: number };

/**
 * What must follow a change. The first two touch the deliveries, which commit together with the job; the others reach
 * outside and are repeated until they are done (outbox.ts).
 */
export type Effect = { readonly type: 'cancel-webhooks' } | { readonly type: 'announce' } | OutsideEffect;

export type Rejection = 'in_flight' | 'not_queued' | 'stale_fence' | 'not_waiting' | 'no_clip' | 'not_due';

export type Transition =
  | { readonly ok: true; readonly job: Job; readonly effects: readonly Effect[] }
  | { readonly ok: false; readonly reason: Rejection };

/** What the machine is told of the world: the time, the configured waits, a random number in [0, 1). */
export interface TransitionContext {
  readonly now: number;
  readonly schedule: Schedule;
  readonly jitter: number;
}

const PROJECT: Effect = { type: 'project' };

/** The first state of a submitted job (spec 3.1, first row). */
export function createJob(
  identity: Pick<Job, 'id' | 'accountId'>,
  admission: Admission,
  now: number,
): { job: Job; effects: readonly Effect[] } {
  const blank: Job = {
    ...identity,
    version: 0,
    status: 'pending',
    priority: admission.priority,
    run: 0,
    attempt: 0,
    fence: 0,
    lease: null,
    retryAt: null,
    errorCode: null,
    errorDetail: null,
    webhook: admission.webhook,
    createdAt: now,
    queuedAt: now,
    finishedAt: null,
    clip: null,
    fps: admission.fps,
    resolution: admission.resolution,
  };
  return startRun(blank, admission.acceptable, now);
}

/** Applies one event to a job. Pure: what the rows of spec 3.1 and 3.2 say, and nothing else. */
export function transition(job: Job, event: JobEvent, context: TransitionContext): Transition {
  const { now } = context;
  switch (event.type) {
    case 'redo': {
      if (!isFinished(job.status)) return reject('in_flight');
      const { priority, webhook, fps, resolution, acceptable } = event.admission;
      return rerun({ ...job, priority, webhook, fps, resolution }, acceptable, now);
    }
    case 'resubmit':
      return isInFlight(job.status) ? reject('in_flight') : rerun(job, event.acceptable, now);
    case 'claim': {
      if (job.status !== 'pending') return reject('not_queued');
      const fence = job.fence + 1;
      const lease = { fence, hostId: event.hostId, grantedAt: now };
      return change(job, { status: 'prefetch', attempt: job.attempt + 1, fence, lease }, [PROJECT]);
    }
    case 'render-started':
      if (job.lease?.fence !== event.fence) return reject('stale_fence');
      return job.status === 'render' ? unchanged(job) : change(job, { status: 'render' }, [PROJECT]);
    case 'complete':
      // A host whose first report was answered into the void says it again, and hears that all is well.
      if (job.status === 'done' && job.fence === event.fence) return unchanged(job);
      if (job.lease?.fence !== event.fence) return reject('stale_fence');
      return complete(job, event.result, now);
    case 'fail':
      if (job.lease?.fence !== event.fence) return reject('stale_fence');
      return failAttempt(job, event.code, event.detail, context);
    case 'lease-expired':
      if (job.lease?.fence !== event.fence) return reject('stale_fence');
      return failAttempt(job, 'cs2_unavailable', 'the render host stopped reporting', context);
    case 'release':
      if (job.lease?.fence !== event.fence) return reject('stale_fence');
      // The host gave the job back unharmed: the attempt does not count against the job.
      return change(job, { status: 'pending', lease: null, attempt: job.attempt - 1 }, [
        PROJECT,
        { type: 'offer' },
        deleteAttempt(job),
      ]);
    case 'retry-due':
      if (job.status !== 'retrying' || job.retryAt === null) return reject('not_waiting');
      if (job.retryAt > now) return reject('not_due');
      return change(job, { status: 'pending', retryAt: null, errorCode: null, errorDetail: null }, [
        PROJECT,
        { type: 'offer' },
      ]);
    case 'save':
    case 'unsave':
      return changeClip(job, clipAfterSave(job.clip, event.type === 'save'));
    case 'delete-clip':
      return changeClip(job, clipAfterDelete(job.clip), true);
    case 'expire-clip': {
      const { clip } = job;
      if (clip && (clip.isSaved || clip.renderedAt >= event.renderedBefore)) return reject('not_due');
      return changeClip(job, clipAfterDelete(clip), true);
    }
    default:
      return assertExhaustive(event);
  }
}

function reject(reason: Rejection): Transition {
  return { ok: false, reason };
}

function unchanged(job: Job): Transition {
  return { ok: true, job, effects: [] };
}

function change(job: Job, changes: Partial<Job>, effects: readonly Effect[]): Transition {
  return { ok: true, job: { ...job, ...changes, version: job.version + 1 }, effects };
}

function rerun(job: Job, acceptable: boolean, now: number): Transition {
  const started = startRun(job, acceptable, now);
  return { ok: true, job: started.job, effects: [{ type: 'cancel-webhooks' }, ...started.effects] };
}

/** Queues a run of the job, or ends it at once where the demo URL is not accepted. */
function startRun(job: Job, acceptable: boolean, now: number): { job: Job; effects: readonly Effect[] } {
  const queued: Job = {
    ...job,
    version: job.version + 1,
    status: 'pending',
    run: job.run + 1,
    attempt: 0,
    lease: null,
    retryAt: null,
    errorCode: null,
    errorDetail: null,
    queuedAt: now,
    finishedAt: null,
  };
  if (acceptable) return { job: queued, effects: [PROJECT, { type: 'offer' }] };
  return {
    job: {
      ...queued,
      status: 'error',
      errorCode: 'demo_url_rejected',
      errorDetail: 'the domain is not on the list of accepted domains',
      finishedAt: now,
    },
    effects: [PROJECT, { type: 'announce' }],
  };
}

function complete(job: Job, result: RenderResult, now: number): Transition {
  const usage: Usage = {
    run: job.run,
    tier: tierOf(job.priority),
    resolution: job.resolution,
    fps: job.fps,
    seconds: result.durationSeconds,
    renderedAt: now,
  };
  const replaced = job.clip?.state === 'ready' ? [deletePrefixOf(job.clip.video.key)] : [];
  return change(job, { status: 'done', lease: null, finishedAt: now, clip: clipAfterRender(job, result, now) }, [
    PROJECT,
    { type: 'announce' },
    { type: 'meter', usage },
    ...settle(job),
    ...replaced,
  ]);
}

/** A failed attempt waits for its retry while the code allows one and retries remain; else the job has failed. */
function failAttempt(job: Job, code: ErrorCode, detail: string, context: TransitionContext): Transition {
  const wait = isRetryable(code) ? retryWait(context.schedule, job.attempt, context.jitter) : null;
  const failed = { lease: null, errorCode: code, errorDetail: detail };
  if (wait !== null) {
    return change(job, { ...failed, status: 'retrying', retryAt: context.now + wait }, [
      PROJECT,
      ...settle(job),
      deleteAttempt(job),
    ]);
  }
  return change(job, { ...failed, status: 'error', finishedAt: context.now }, [
    PROJECT,
    { type: 'announce' },
    ...settle(job),
    deleteAttempt(job),
  ]);
}

function changeClip(job: Job, clip: Job['clip'], deletesFiles = false): Transition {
  if (!job.clip || !clip) return reject('no_clip');
  if (clip === job.clip) return unchanged(job);
  return change(job, { clip }, deletesFiles ? [PROJECT, deletePrefixOf(job.clip.video.key)] : [PROJECT]);
}

/** Only a reserved job can hold one of its account's slots. */
function settle(job: Job): readonly Effect[] {
  return job.priority ? [{ type: 'settle' }] : [];
}

function deleteAttempt(job: Job): Effect {
  return { type: 'delete-files', prefix: attemptPrefix(job.id, job.fence) };
}

/** All files of an attempt lie under one prefix, so the video's key names them all. */
function deletePrefixOf(videoKey: string): Effect {
  return { type: 'delete-files', prefix: videoKey.slice(0, videoKey.lastIndexOf('/') + 1) };
}
