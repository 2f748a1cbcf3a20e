import { tierOf } from '#domain/account/account.ts';
import { assertExhaustive } from '#domain/lib/types.ts';
import { clipAfterDelete, clipAfterRender, clipAfterSave, type RenderResult } from '../clip/clip.ts';
import type { ErrorCode } from '../failure/codes.ts';
import {
  abandonRun,
  abortUploads,
  cancelRun,
  confirmLease,
  endInspection,
  endOf,
  expireLease,
  failAttempt,
  grantLease,
  leaveQueue,
  NOT_ACCEPTED,
  noHostLeft,
  noteUpload,
  refuseDemo,
  release,
  resumeLease,
  runEndsAt,
} from './attempt.ts';
import {
  type Admission,
  change,
  type Effect,
  type HostReport,
  type JobEvent,
  type JobIdentity,
  move,
  PROJECT,
  PUBLISH,
  type StateChange,
  type Transition,
  type TransitionContext,
  unchanged,
} from './event.ts';
import { needsOfNewRun, withFallback } from './fallback.ts';
import { afterRecovery, eraseJob, forgetRequest } from './forget.ts';
import { baseOf, countRerun, fieldsOf, isFinished, isInFlight, type Job, type JobBase, type LeasedJob } from './job.ts';
import { keptUsage } from './metering.ts';
import { mayHaveTracks, withoutTracks } from './old-tracks.ts';
import type { PurgeReason } from './outbox.ts';
import { refuse } from './result.ts';
import type { Schedule } from './schedule.ts';
import { attemptPrefix, clipPrefix, folderOf } from './storage-keys.ts';
import { traitsOf, withMost } from './work.ts';

/** Creates a submitted job (contract 3.1, first row). */
function createJob(identity: JobIdentity, { acceptable, ...admitted }: Admission, now: number): StateChange {
  const counts = { version: identity.version ?? 0, run: 0, fence: 0 };
  const blank = {
    ...identity,
    ...admitted,
    ...counts,
    createdAt: now,
    renderedBy: null,
    clip: null,
  };
  return startRun(blank, acceptable, now);
}

/**
 * Applies one event to a job, as in the rows of contract 3.1 and 3.2. The job is null before its submit. Nothing else
 * changes jobs.
 */
export function transition(job: Job | null, event: JobEvent, context: TransitionContext): Transition {
  const { now } = context;
  if (job === null) {
    return event.type === 'submit' ? createJob(event.identity, event.admission, now) : refuse('not_found');
  }
  switch (event.type) {
    case 'submit':
      return unchanged(job);
    case 'redo': {
      if (!isFinished(job.status)) return refuse('job_in_flight');
      const { acceptable, ...admitted } = event.admission;
      const started = rerun({ ...baseOf(job), ...admitted }, acceptable, context);
      return started.ok && !event.keepsTracks ? withoutTracks(started, 'deletion') : started;
    }
    case 'resubmit':
      if (isInFlight(job.status)) return refuse('job_in_flight');
      // The retry counter stays: a client that resubmits during every wait would otherwise never see the failure.
      if (job.status === 'retrying') return queueAgain(job);
      return rerun({ ...baseOf(job), work: withMost(job.work, event.most) }, event.acceptable, context);
    case 'claim':
      // A host may be suggested just before the job requires another renderer.
      if (job.renderer !== null && event.renderer !== job.renderer) return refuse('not_queued');
      if (job.status !== 'pending') return refuse('not_queued');
      return event.acceptable === false ? refuseDemo(job, now) : grantLease(job, event, context);
    case 'heartbeat':
      return underLease(job, event, (leased) => confirmLease(leased, event.phase, context));
    case 'upload-begun':
      return underLease(job, event, (leased) => noteUpload(leased, event.upload));
    case 'complete':
      return atEnd(job, event, (leased) => complete(leased, event.result, now));
    case 'inspected':
      return atEnd(job, event, (leased) => endInspection(leased, event.tracks, now));
    case 'fail':
      return underLease(job, event, (leased) => failAttempt(leased, event, context));
    case 'release':
      return underLease(job, event, (leased) => release(leased, now));
    case 'not-taken':
      // A host that has confirmed the lease took the grant, even if its answer was lost.
      return underLease(job, event, (leased) =>
        leased.lease.isConfirmed ? refuse('stale_lease') : release(leased, now),
      );
    case 'lease-expired':
      if (!('lease' in job)) return refuse('stale_lease');
      return job.lease.deadline > now ? refuse('not_due') : expireLease(job, context);
    case 'retry-due':
      if (job.status !== 'retrying') return refuse('not_waiting');
      return job.retryAt > now ? refuse('not_due') : queueAgain(job);
    case 'run-overdue':
      if (job.status !== 'pending' && job.status !== 'retrying') return refuse('not_waiting');
      return runEndsAt(job, context.schedule) > now ? refuse('not_due') : abandonRun(job, now);
    case 'cancel':
      // A client whose answer was lost repeats its call.
      if (fieldsOf(job).errorCode === 'canceled') return unchanged(job);
      return isFinished(job.status)
        ? refuse('job_finished')
        : cancelRun(job, 'canceled', `canceled by the ${event.by}`, now);
    case 'no-host-left':
      return noHostLeft(job, now);
    case 'game-only':
      if (job.status !== 'pending') return refuse('not_waiting');
      return move(job, { status: 'pending' }, withFallback('cs2', null), [PROJECT, { type: 'offer' }]);
    case 'secret-overdue': {
      const endsAt = secretEndsAt(job, context.schedule);
      if (endsAt === null) return refuse('not_waiting');
      return endsAt > now ? refuse('not_due') : change(job, { webhook: null }, [PROJECT]);
    }
    case 'save':
    case 'unsave':
      return changeClip(job, clipAfterSave(job.clip, event.type === 'save'));
    case 'delete-clip':
      return deleteClip(job, 'deletion', now);
    case 'take-down':
      return takeDown(job, event.reason, now);
    case 'tracks-cut':
      if (job.tracks || job.run !== event.run || !mayHaveTracks(job)) return refuse('job_changed');
      return change(job, { tracks: { ...event.tracks, createdAt: now } }, [PUBLISH]);
    case 'forget-tracks':
      return job.tracks ? withoutTracks(change(job, {}, [])) : unchanged(job);
    case 'republish':
      return job.clip?.state === 'ready' || job.tracks ? change(job, {}, [PUBLISH]) : refuse('no_clip');
    case 'expire-clip': {
      const { clip } = job;
      if (clip && (clip.isSaved || clip.renderedAt >= event.renderedBefore)) return refuse('not_due');
      // Without a purge: caches keep files for minutes.
      return deleteClip(job);
    }
    case 'forget-request':
      return forgetRequest(job, event.finishedBefore);
    case 'erase':
      return withoutTracks(eraseJob(job, now), 'deletion');
    case 'resend':
      if (!isFinished(job.status)) return refuse('job_in_flight');
      return job.webhook || event.hasPost ? change(job, {}, [PROJECT]) : refuse('no_webhook');
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

/** Applies a report of the host that holds the lease. */
function underLease(job: Job, { fence }: HostReport, apply: (job: LeasedJob) => Transition): Transition {
  return 'lease' in job && job.lease.fence === fence ? apply(job) : refuse('stale_lease');
}

/** Applies the report that ends the work. A host whose answer was lost repeats it. */
function atEnd(job: Job, report: HostReport, apply: (job: LeasedJob) => Transition): Transition {
  if (job.status === 'done' && isFenceOfResult(job, report.fence)) return unchanged(job);
  return report.type === traitsOf(job.work).end ? underLease(job, report, apply) : refuse('stale_lease');
}

/** Whether a job that is done ended under a fence. The fence of the job is higher after a recovery. */
function isFenceOfResult({ clip, clipId, fence }: Job, reported: number): boolean {
  return clip ? clip.video.key.startsWith(attemptPrefix(clipId, reported)) : fence === reported;
}

/**
 * When a finished job deletes its webhook, because the webhook has an auth header; null if it does not. The whole
 * webhook is deleted: without the header receivers would refuse it or take it for forged.
 */
export function secretEndsAt(job: Job, { secretKept }: Schedule): number | null {
  if (!('finishedAt' in job) || job.webhook === null || job.webhook.authHeader === null) return null;
  return secretKept === Number.POSITIVE_INFINITY ? null : job.finishedAt + secretKept;
}

function rerun(job: JobBase, acceptable: boolean, { now, schedule }: TransitionContext): Transition {
  const reruns = countRerun(job.reruns, now);
  if (reruns.count > schedule.rerunsAnHour) return refuse('too_many_reruns');
  const started = startRun({ ...job, reruns }, acceptable, now);
  return { ...started, effects: [{ type: 'cancel-webhooks' }, ...started.effects] };
}

/** Returns why a run fails before it is queued; null if a host has to find out. */
function refusalOf(
  { work, clip, removal = clip?.removal }: Pick<JobBase, 'work' | 'clip' | 'removal'>,
  acceptable: boolean,
): { errorCode: ErrorCode; errorDetail: string } | null {
  if (removal) return { errorCode: 'clip_removed', errorDetail: removal.reason };
  if (!acceptable) return { errorCode: 'demo_url_rejected', errorDetail: NOT_ACCEPTED };
  const { frames } = traitsOf(work);
  if (frames === null || frames.asked <= frames.most) return null;
  const { asked, most } = frames;
  const errorDetail = `the clip would have ${asked} frames, and the account may have ${most} at most`;
  return { errorCode: 'clip_too_long', errorDetail };
}

const NEW_RUN = {
  attempt: 0,
  hostMs: 0,
  unconfirmed: 0,
  lastEnd: null,
  avoidHost: null,
  avoidMs: undefined,
  refusedBuilds: [],
  loadCrash: undefined,
};

/**
 * Queues a run of the job, or ends it at once if the demo URL is not accepted, the clip would be too long, or the
 * operator took it down.
 */
function startRun(
  job: Omit<JobBase, keyof typeof NEW_RUN | 'queuedAt'>,
  acceptable: boolean,
  now: number,
): StateChange {
  const started = {
    ...job,
    ...NEW_RUN,
    ...needsOfNewRun(job),
    version: job.version + 1,
    run: Math.max(job.run, job.runsSeen ?? 0) + 1,
    queuedAt: now,
  };
  const refusal = refusalOf(job, acceptable);
  if (refusal === null) {
    return { ok: true, job: { ...started, status: 'pending' }, effects: [PROJECT, { type: 'offer' }] };
  }
  const failed: Job = { ...started, ...refusal, status: 'error', finishedAt: now };
  return { ok: true, job: failed, effects: [PROJECT, { type: 'announce' }] };
}

function complete(job: LeasedJob, result: RenderResult, now: number): Transition {
  const { resolution, fps, aspect } = traitsOf(job.work).picture;
  const tier = tierOf(job.priority);
  const replaced = job.clip?.state === 'ready' ? [deletePrefixOf(job.clip.video.key, 'overwrite')] : [];
  const { hostId, renderer } = job.lease;
  const usage = { run: job.run, tier, resolution, fps, renderer, seconds: result.durationSeconds, renderedAt: now };
  const clip = clipAfterRender(job.clip, { ...result, resolution, aspect, fps, tier, renderer }, now);
  const lastEnd = endOf(job, now, { outcome: 'completed' });
  const billed = keptUsage([...(job.billed ?? []), usage], now);
  return move(job, { status: 'done', finishedAt: now }, { renderedBy: hostId, clip, lastEnd, billed }, [
    PUBLISH,
    { type: 'announce' },
    { type: 'meter', usage },
    leaveQueue(job, null, now),
    ...abortUploads(job),
    ...replaced,
  ]);
}

function deleteClip(job: Job, purge?: PurgeReason, since?: number): Transition {
  const { clip } = job;
  const effects = clip ? [PUBLISH, deletePrefixOf(clip.video.key, purge, since)] : [];
  const deleted = changeClip(job, clipAfterDelete(clip), effects);
  return deleted.ok ? withoutTracks(deleted, purge) : deleted;
}

/** Removes the clip and the replay for good. An unfinished run ends, so that no host makes the clip again. */
function takeDown(job: Job, reason: string, now: number): Transition {
  const { clip, tracks } = job;
  if (job.removal) return unchanged(job);
  if (!(clip ?? tracks) || clip?.removal) return changeClip(job, clip);
  const ended = isFinished(job.status) ? change(job, {}, []) : cancelRun(job, 'clip_removed', reason, now);
  const removal = { at: now, reason };
  const removed = clip ? { clip: { ...clip, state: 'deleted', removal } as const } : { removal };
  const files = { type: 'delete-files', prefix: clipPrefix(job.clipId), purge: 'take-down', since: now } as const;
  const effects = ended.effects.filter(({ type }) => type !== 'project');
  const all = [PUBLISH, ...effects, files];
  return withoutTracks({ ok: true, job: { ...ended.job, ...removed }, effects: all }, 'deletion');
}

function changeClip(job: Job, clip: Job['clip'], effects: readonly Effect[] = [PROJECT]): Transition {
  if (!job.clip || !clip) return refuse('no_clip');
  return clip === job.clip ? unchanged(job) : change(job, { clip }, effects);
}

/** Returns the prefix of all files of an attempt, which the video's key contains. */
function deletePrefixOf(videoKey: string, purge?: PurgeReason, since?: number): Effect {
  return { type: 'delete-files', prefix: folderOf(videoKey), purge, since };
}

function queueAgain(job: Job): Transition {
  return move(job, { status: 'pending' }, {}, [PROJECT, { type: 'offer' }]);
}
