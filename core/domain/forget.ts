import { abortUploads } from './attempt.ts';
import { clipAfterDelete } from './clip-changes.ts';
import { isFinished, type Job } from './job.ts';
import { change, type Effect, PROJECT, PUBLISH, type Transition } from './job-event.ts';
import { refuse } from './result.ts';
import { clipPrefix } from './storage-keys.ts';

/**
 * Since when nobody needs what was asked of a job, in milliseconds since the epoch; null where somebody does: it has
 * not finished, or its clip can be watched.
 */
export function idleSince({ status, finishedAt, clip }: Pick<Job, 'status' | 'finishedAt' | 'clip'>): number | null {
  return isFinished(status) && clip?.state !== 'ready' ? finishedAt : null;
}

/**
 * Returns since when the job may be deleted to make room for other jobs of its account, in milliseconds since the
 * epoch. Returns null if it must not be deleted: it has not finished, it has made a clip, or it has an idempotency key.
 */
export function spareSince(
  { status, finishedAt, clip }: Pick<Job, 'status' | 'finishedAt' | 'clip'>,
  request: { readonly idempotency_key?: string | undefined; readonly inspect?: boolean | undefined },
): number | null {
  const isNamed = request.inspect === true || request.idempotency_key !== undefined;
  return isFinished(status) && clip === null && !isNamed ? finishedAt : null;
}

/** The job stays with its times, and its clip with its size; of what was said to it and of it, nothing does. */
export function forgetWords(job: Job, finishedBefore: number): Transition {
  const since = idleSince(job);
  if (since === null || since >= finishedBefore) return refuse('not_due');
  return change(job, withoutWords(job), [{ type: 'forget-history' }, PROJECT]);
}

/** Its account is no more: nobody is told of an outcome, and what the job has elsewhere goes. Its object goes then. */
export function eraseJob(job: Job, now: number): Transition {
  const ended = isFinished(job.status) ? {} : ({ status: 'error', errorCode: 'canceled', finishedAt: now } as const);
  const clip = clipAfterDelete(job.clip);
  const { lease } = job;
  // As where it is canceled: that tells nothing of its host.
  const settle: Effect = { type: 'settle', ...(lease?.shards ? { shards: lease.shards } : {}) };
  return change(job, { ...ended, lease: null, retryAt: null, ...withoutWords({ clip }) }, [
    { type: 'cancel-webhooks' },
    PUBLISH,
    ...(isFinished(job.status) ? [] : [settle]),
    ...abortUploads(job),
    { type: 'delete-files', prefix: clipPrefix(job.clipId) },
  ]);
}

function withoutWords({ clip }: Pick<Job, 'clip'>): Partial<Job> {
  return { webhook: null, errorDetail: null, lastEnd: null, clip: clip && { ...clip, title: '', facts: undefined } };
}

/**
 * The job's object was taken back to a time before. What others have heard of it since must not outdo it, and a fence
 * that was granted since must not be granted again.
 */
export function afterRecovery(job: Job, seen: { readonly version: number; readonly fence: number }): Transition {
  const version = Math.max(job.version, seen.version);
  return change({ ...job, version }, { fence: Math.max(job.fence, seen.fence) }, [PUBLISH]);
}
