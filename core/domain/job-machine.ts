import {
  abandonRun,
  abortUploads,
  beginAttempt,
  cancelRun,
  endInspection,
  endOf,
  expireLease,
  failAttempt,
  heardFrom,
  leaveQueue,
  noBuildLeft,
  noteUpload,
  release,
  resumeLease,
  runEndsAt,
} from './attempt.ts';
import { type RenderResult, tierOf } from './clip.ts';
import { clipAfterDelete, clipAfterRender, clipAfterSave } from './clip-changes.ts';
import { assertExhaustive } from './exhaustive.ts';
import { afterRecovery, eraseJob, forgetWords } from './forget.ts';
import { HOME } from './home-database.ts';
import { isFinished, isInFlight, type Job } from './job.ts';
import {
  type Admission,
  type Changed,
  change,
  type Effect,
  type JobEvent,
  type JobIdentity,
  PROJECT,
  PUBLISH,
  type Transition,
  type TransitionContext,
  unchanged,
} from './job-event.ts';
import type { Usage } from './outbox.ts';
import { countRerun } from './reruns.ts';
import { refuse } from './result.ts';
import type { Schedule } from './schedule.ts';

/** Makes the first state of a submitted job (contract 3.1, first row). */
function createJob(identity: JobIdentity, admission: Admission, now: number): Changed {
  const blank: Job = {
    database: HOME,
    ...identity,
    version: 0,
    status: 'pending',
    priority: admission.priority,
    run: 0,
    attempt: 0,
    hostMs: 0,
    unconfirmed: 0,
    fence: 0,
    lease: null,
    retryAt: null,
    errorCode: null,
    errorDetail: null,
    lastEnd: null,
    webhook: admission.webhook,
    createdAt: now,
    queuedAt: now,
    finishedAt: null,
    renderedBy: null,
    avoidHost: null,
    refusedBuilds: [],
    clip: null,
    fps: admission.fps,
    resolution: admission.resolution,
    renderer: admission.renderer,
    labels: admission.labels,
    frames: admission.frames ?? null,
  };
  return startRun(blank, admission.acceptable, now);
}

/**
 * Applies one event to a job, as the rows of contract 3.1 and 3.2 say. The job is null before its submit. Every change
 * of a job comes from here.
 */
export function transition(job: Job | null, event: JobEvent, context: TransitionContext): Transition {
  const { now } = context;
  if (job === null)
    return event.type === 'submit' ? createJob(event.identity, event.admission, now) : refuse('not_found');
  switch (event.type) {
    case 'submit':
      return unchanged(job);
    case 'redo': {
      if (!isFinished(job.status)) return refuse('job_in_flight');
      const { acceptable, frames = null, ...admitted } = event.admission;
      return rerun({ ...job, ...admitted, frames }, acceptable, context);
    }
    case 'resubmit':
      if (isInFlight(job.status)) return refuse('job_in_flight');
      // It only skips the wait: a client that resubmits whenever a job waits would else never hear that it failed.
      if (job.status === 'retrying') return queueAgain(job);
      return rerun(withMost(job, event.most), event.acceptable, context);
    case 'claim':
      if (job.status !== 'pending') return refuse('not_queued');
      return beginAttempt(job, event, context);
    case 'heartbeat':
      if (job.lease?.fence !== event.fence) return refuse('stale_lease');
      return heardFrom(job, job.lease, event.phase, context);
    case 'upload-begun':
      if (job.lease?.fence !== event.fence) return refuse('stale_lease');
      return noteUpload(job, job.lease, event.upload);
    case 'complete':
      // A host whose first report was answered into the void says it again, and hears that all is well.
      if (job.status === 'done' && job.fence === event.fence) return unchanged(job);
      if (job.lease?.fence !== event.fence) return refuse('stale_lease');
      return complete(job, event.result, now);
    case 'inspected':
      if (job.status === 'done' && job.fence === event.fence) return unchanged(job);
      if (job.lease?.fence !== event.fence) return refuse('stale_lease');
      return endInspection(job, job.lease, now);
    case 'fail':
      if (job.lease?.fence !== event.fence) return refuse('stale_lease');
      return failAttempt(job, event, context);
    case 'lease-expired':
      if (!job.lease) return refuse('stale_lease');
      if (job.lease.deadline > now) return refuse('not_due');
      return expireLease(job, job.lease, context);
    case 'release':
      if (job.lease?.fence !== event.fence) return refuse('stale_lease');
      return release(job, now);
    case 'not-taken':
      // One that has begun has taken it, whatever became of its answer.
      if (job.lease?.fence !== event.fence || job.lease.isConfirmed) return refuse('stale_lease');
      return release(job, now);
    case 'retry-due':
      if (job.status !== 'retrying' || job.retryAt === null) return refuse('not_waiting');
      return job.retryAt > now ? refuse('not_due') : queueAgain(job);
    case 'run-overdue':
      if (job.status !== 'pending' && job.status !== 'retrying') return refuse('not_waiting');
      return runEndsAt(job, context.schedule) > now ? refuse('not_due') : abandonRun(job, now);
    case 'cancel':
      // Whoever has not heard the answer asks again.
      if (job.status === 'error' && job.errorCode === 'canceled') return unchanged(job);
      return isFinished(job.status) ? refuse('job_finished') : cancelRun(job, event.by, now);
    case 'no-build-left':
      return noBuildLeft(job, now);
    case 'secret-overdue': {
      const endsAt = secretEndsAt(job, context.schedule);
      if (endsAt === null) return refuse('not_waiting');
      return endsAt > now ? refuse('not_due') : change(job, { webhook: null }, [PROJECT]);
    }
    case 'save':
    case 'unsave':
      return changeClip(job, clipAfterSave(job.clip, event.type === 'save'));
    case 'delete-clip':
      return changeClip(job, clipAfterDelete(job.clip), true);
    case 'show-anew':
      return job.clip?.state === 'ready' ? change(job, {}, [PUBLISH]) : refuse('no_clip');
    case 'expire-clip': {
      const { clip } = job;
      if (clip && (clip.isSaved || clip.renderedAt >= event.renderedBefore)) return refuse('not_due');
      return changeClip(job, clipAfterDelete(clip), true);
    }
    case 'forget-words':
      return forgetWords(job, event.finishedBefore);
    case 'erase':
      return eraseJob(job, now);
    case 'resend':
      if (!isFinished(job.status)) return refuse('job_in_flight');
      return job.webhook ? change(job, {}, [PROJECT]) : refuse('no_webhook');
    case 'trouble-changed':
      return change(job, {}, [PROJECT]);
    case 'resumed':
      return resumeLease(job, event.alarmAt);
    case 'recovered':
      return afterRecovery(job, event);
    default:
      return assertExhaustive(event);
  }
}

/**
 * When a finished job forgets where its outcome goes, because a secret is part of it; null where it does not. Without
 * its header a webhook would be refused, or taken for a forged one: so all of it goes.
 */
export function secretEndsAt(
  { finishedAt, webhook }: Pick<Job, 'finishedAt' | 'webhook'>,
  { secretKept }: Schedule,
): number | null {
  if (finishedAt === null || webhook === null || webhook.authHeader === null) return null;
  return secretKept === Number.POSITIVE_INFINITY ? null : finishedAt + secretKept;
}

function rerun(job: Job, acceptable: boolean, { now, schedule }: TransitionContext): Transition {
  const reruns = countRerun(job.reruns, now);
  if (reruns.count > schedule.rerunsAnHour) return refuse('too_many_reruns');
  const started = startRun({ ...job, reruns }, acceptable, now);
  return { ...started, effects: [{ type: 'cancel-webhooks' }, ...started.effects] };
}

function withMost(job: Job, most = job.frames?.most): Job {
  return job.frames && most !== undefined ? { ...job, frames: { ...job.frames, most } } : job;
}

/** Returns why a run fails before a host gets it; null if a host has to find out. */
function refusalOf({ frames }: Job, acceptable: boolean): Pick<Job, 'errorCode' | 'errorDetail'> | null {
  if (!acceptable) {
    return { errorCode: 'demo_url_rejected', errorDetail: 'the domain is not on the list of accepted domains' };
  }
  if (frames === null || frames.asked <= frames.most) return null;
  const errorDetail = `the clip would have ${frames.asked} frames, and the account may have ${frames.most} at most`;
  return { errorCode: 'clip_too_long', errorDetail };
}

/** Queues a run of the job, or ends it at once if the demo URL is not accepted or the clip would be too long. */
function startRun(job: Job, acceptable: boolean, now: number): Changed {
  const queued: Job = {
    ...job,
    version: job.version + 1,
    status: 'pending',
    run: job.run + 1,
    attempt: 0,
    hostMs: 0,
    unconfirmed: 0,
    lease: null,
    retryAt: null,
    errorCode: null,
    errorDetail: null,
    lastEnd: null,
    queuedAt: now,
    finishedAt: null,
    avoidHost: null,
    refusedBuilds: [],
  };
  const refusal = refusalOf(queued, acceptable);
  if (refusal === null) return { ok: true, job: queued, effects: [PROJECT, { type: 'offer' }] };
  return {
    ok: true,
    job: { ...queued, ...refusal, status: 'error', finishedAt: now },
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
  const clip = clipAfterRender(job, result, now);
  const renderedBy = job.lease?.hostId ?? null;
  const lastEnd = endOf(job, now, { outcome: 'completed' });
  return change(job, { status: 'done', lease: null, finishedAt: now, renderedBy, clip, lastEnd }, [
    PUBLISH,
    { type: 'announce' },
    { type: 'meter', usage },
    leaveQueue(job, null, now),
    ...abortUploads(job),
    ...replaced,
  ]);
}

function changeClip(job: Job, clip: Job['clip'], deletesFiles = false): Transition {
  if (!job.clip || !clip) return refuse('no_clip');
  if (clip === job.clip) return unchanged(job);
  return change(job, { clip }, deletesFiles ? [PUBLISH, deletePrefixOf(job.clip.video.key)] : [PROJECT]);
}

/** All files of an attempt lie under one prefix, so the video's key names them all. */
function deletePrefixOf(videoKey: string): Effect {
  return { type: 'delete-files', prefix: videoKey.slice(0, videoKey.lastIndexOf('/') + 1) };
}

function queueAgain(job: Job): Transition {
  return change(job, { status: 'pending', retryAt: null, errorCode: null, errorDetail: null }, [
    PROJECT,
    { type: 'offer' },
  ]);
}
