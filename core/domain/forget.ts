import { abortUploads, settle } from './attempt.ts';
import type { Clip } from './clip.ts';
import { clipAfterDelete } from './clip-changes.ts';
import { baseOf, type Job, type Work } from './job.ts';
import { change, type Effect, PROJECT, PUBLISH, type Transition } from './job-event.ts';
import { refuse } from './result.ts';
import { clipPrefix } from './storage-keys.ts';

/**
 * Since when nobody needs what was asked of a job, in milliseconds since the epoch; null where somebody does: it has
 * not finished, or its clip can be watched.
 */
export function idleSince(job: Job): number | null {
  return 'finishedAt' in job && job.clip?.state !== 'ready' ? job.finishedAt : null;
}

/**
 * Returns since when the job may be deleted to make room for other jobs of its account, in milliseconds since the
 * epoch. Returns null if it must not be deleted: it has not finished, it has made a clip, or it has an idempotency key.
 */
export function spareSince(
  job: Job,
  request: { readonly kind: Work['kind']; readonly idempotency_key?: string | undefined },
): number | null {
  const isNamed = request.kind === 'inspection' || request.idempotency_key !== undefined;
  return 'finishedAt' in job && job.clip === null && !isNamed ? job.finishedAt : null;
}

/** The job stays with its times, and its clip with its size. Nothing stays of what was said to it or about it. */
export function forgetRequest(job: Job, finishedBefore: number): Transition {
  const since = idleSince(job);
  if (since === null || since >= finishedBefore) return refuse('not_due');
  return withoutRequest(job, job.clip, [{ type: 'forget-history' }, PROJECT]);
}

/** Its account is deleted: no outcome is announced, and what the job has elsewhere goes. Its object goes then. */
export function eraseJob(job: Job, now: number): Transition {
  const canceled = { status: 'error', errorCode: 'canceled', errorDetail: null, finishedAt: now } as const;
  return withoutRequest('finishedAt' in job ? job : { ...baseOf(job), ...canceled }, clipAfterDelete(job.clip), [
    { type: 'cancel-webhooks' },
    PUBLISH,
    ...('finishedAt' in job ? [] : [settle(job)]),
    ...abortUploads(job),
    { type: 'delete-files', prefix: clipPrefix(job.clipId) },
  ]);
}

function withoutRequest(job: Job, clip: Clip | null, effects: readonly Effect[]): Transition {
  const changes = { webhook: null, lastEnd: null, clip: clip && { ...clip, title: '', facts: undefined } };
  return change(job.status === 'error' ? { ...job, errorDetail: null } : job, changes, effects);
}

/**
 * The job's object was taken back to a time before. What others have heard of it since must not outdo it, and a fence
 * that was granted since must not be granted again.
 */
export function afterRecovery(job: Job, seen: { readonly version: number; readonly fence: number }): Transition {
  const version = Math.max(job.version, seen.version);
  return change({ ...job, version }, { fence: Math.max(job.fence, seen.fence) }, [PUBLISH]);
}
