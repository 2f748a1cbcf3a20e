import { type Clip, clipAfterDelete } from '../clip/clip.ts';
import { abortUploads, unbilled } from './attempt.ts';
import {
  change,
  type Effect,
  type JobEvent,
  PROJECT,
  PUBLISH,
  SETTLE,
  type StateChange,
  type Transition,
} from './event.ts';
import { baseOf, type Job } from './job.ts';
import { refuse } from './result.ts';
import { clipPrefix } from './storage-keys.ts';
import { traitsOf } from './work.ts';

/**
 * Returns since when the request of a job is no longer needed, in milliseconds since the epoch. Returns null while it
 * is: the job has not finished, or its clip is ready.
 */
export function idleSince(job: Job): number | null {
  return 'finishedAt' in job && job.clip?.state !== 'ready' ? job.finishedAt : null;
}

/**
 * Returns since when the job may be deleted to make room for other jobs of its account, in milliseconds since the
 * epoch. Returns null if it must not be deleted: it has not finished, it has made a clip, or the same request leads to
 * it again.
 */
export function spareSince(job: Job, idempotencyKey: string | undefined): number | null {
  const isNamed = traitsOf(job.work).isNamed || idempotencyKey !== undefined;
  return 'finishedAt' in job && job.clip === null && !isNamed ? job.finishedAt : null;
}

/** Deletes the request, its webhooks and its error details. The job keeps its times, and its clip its size. */
export function forgetRequest(job: Job, finishedBefore: number): Transition {
  const since = idleSince(job);
  if (since === null || since >= finishedBefore) return refuse('not_due');
  return withoutRequest(job, job.clip, [{ type: 'forget-history' }, PROJECT]);
}

/**
 * Erases a job of a deleted account, or a deleted inspection: no webhook is sent, its files and rows are deleted, then
 * its object. A job that viewers never saw does not change the public record: it may say that an earlier inspection
 * was taken down.
 */
export function eraseJob(job: Job, now: number): StateChange {
  const canceled = { status: 'error', errorCode: 'canceled', errorDetail: null, finishedAt: now } as const;
  return withoutRequest('finishedAt' in job ? job : { ...baseOf(job), ...canceled }, clipAfterDelete(job.clip), [
    { type: 'cancel-webhooks', posts: true },
    (job.clip ?? job.tracks ?? job.removal) ? PUBLISH : PROJECT,
    ...('finishedAt' in job ? [] : [SETTLE, ...unbilled(job, now)]),
    ...abortUploads(job),
    {
      type: 'delete-files',
      prefix: clipPrefix(job.clipId),
      purge: job.clip?.state === 'ready' ? 'erasure' : undefined,
      since: now,
    },
  ]);
}

function withoutRequest(job: Job, clip: Clip | null, effects: readonly Effect[]): StateChange {
  const changes = { webhook: null, lastEnd: null, clip: clip && { ...clip, title: '', facts: undefined } };
  return change(job.status === 'error' ? { ...job, errorDetail: null } : job, changes, effects);
}

/**
 * Repairs a job whose object was restored to an earlier time: raises version, fence and run above all used since then.
 * A finished run keeps its number, under which its webhook is stored.
 */
export function afterRecovery(
  job: Job,
  { version, fence, run = 0 }: Pick<Extract<JobEvent, { type: 'recovered' }>, 'version' | 'fence' | 'run'>,
): Transition {
  const { runsSeen = 0 } = job;
  const runs =
    'finishedAt' in job ? { runsSeen: Math.max(runsSeen, run) || undefined } : { run: Math.max(job.run, run + 1) };
  const next = { ...job, version: Math.max(job.version, version) };
  return change(next, { fence: Math.max(job.fence, fence), ...runs }, [PUBLISH]);
}
