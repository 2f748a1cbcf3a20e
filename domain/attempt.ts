import { type ErrorCode, isHostFault, isRetryable } from './error-codes.ts';
import type { Job, Lease, Upload } from './job.ts';
import {
  change,
  type Effect,
  PROJECT,
  reject,
  type Transition,
  type TransitionContext,
  unchanged,
} from './job-event.ts';
import { retryWait } from './schedule.ts';
import { attemptPrefix } from './storage-keys.ts';

/** A host begins two files, each again at most once; what is more comes of a host that is broken. */
const MAX_UPLOADS = 16;

/** Grants a lease under the next fence. */
export function beginAttempt(job: Job, hostId: string, { now, schedule }: TransitionContext): Transition {
  const fence = job.fence + 1;
  const deadline = now + schedule.confirmWithin;
  const lease: Lease = { fence, hostId, grantedAt: now, isConfirmed: false, deadline, uploads: [] };
  return change(job, { status: 'prefetch', attempt: job.attempt + 1, fence, lease }, [PROJECT]);
}

export function noteUpload(job: Job, lease: Lease, upload: Upload): Transition {
  const uploads = [...lease.uploads, upload];
  return uploads.length > MAX_UPLOADS ? reject('too_many_uploads') : change(job, { lease: { ...lease, uploads } }, []);
}

/** A failed attempt waits for its retry while the code allows one and retries remain; else the job has failed. */
export function failAttempt(job: Job, code: ErrorCode, detail: string, context: TransitionContext): Transition {
  const wait = isRetryable(code) ? retryWait(context.schedule, job.attempt, context.jitter) : null;
  const avoidHost = isHostFault(code) ? (job.lease?.hostId ?? null) : null;
  const failed = { lease: null, errorCode: code, errorDetail: detail, avoidHost };
  if (wait !== null) {
    return change(job, { ...failed, status: 'retrying', retryAt: context.now + wait }, [PROJECT, ...endAttempt(job)]);
  }
  return change(job, { ...failed, status: 'error', finishedAt: context.now }, [
    PROJECT,
    { type: 'announce' },
    ...endAttempt(job),
  ]);
}

/** The host is alive: its grant is confirmed, its lease extended when that is due, its phase noted. */
export function heardFrom(
  job: Job,
  lease: Lease,
  phase: 'prefetch' | 'render',
  context: TransitionContext,
): Transition {
  const { leaseTtl } = context.schedule;
  const status = phase === 'render' ? 'render' : job.status;
  const isDue = !lease.isConfirmed || lease.deadline - context.now < leaseTtl / 2;
  if (status === job.status && !isDue) return unchanged(job);
  const next = isDue ? { ...lease, isConfirmed: true, deadline: context.now + leaseTtl } : lease;
  const effects: Effect[] = [];
  if (status !== job.status) effects.push(PROJECT);
  if (!lease.isConfirmed) effects.push({ type: 'started' });
  return change(job, { status, lease: next, ...(isDue ? { unconfirmed: 0 } : {}) }, effects);
}

/** Grants in a row that come to nothing before one counts as an attempt: by then it is the job that kills its hosts. */
const MAX_UNCONFIRMED = 10;

/** A grant that nobody received costs the job nothing; a host that fell silent at work does. */
export function expireLease(job: Job, lease: Lease, context: TransitionContext): Transition {
  if (lease.isConfirmed) return failAttempt(job, 'cs2_unavailable', 'the render host stopped reporting', context);
  const unconfirmed = job.unconfirmed + 1;
  if (unconfirmed < MAX_UNCONFIRMED) return release({ ...job, unconfirmed });
  const detail = `${unconfirmed} grants in a row were confirmed by no render host`;
  return failAttempt({ ...job, unconfirmed: 0 }, 'cs2_unavailable', detail, context);
}

/** The host gave the job back unharmed, or never had it: the attempt does not count against the job. */
export function release(job: Job): Transition {
  return change(job, { status: 'pending', lease: null, attempt: job.attempt - 1 }, [
    PROJECT,
    { type: 'offer' },
    ...abortUploads(job),
    deleteAttempt(job),
  ]);
}

/** Nobody has the attempt's files any more, and it holds nothing. */
function endAttempt(job: Job): readonly Effect[] {
  return [...leaveQueue(job), ...abortUploads(job), deleteAttempt(job)];
}

/** Only a reserved job can hold one of its account's slots, and only an unconfirmed one still has its place. */
export function leaveQueue(job: Job): readonly Effect[] {
  return job.priority || job.lease?.isConfirmed === false ? [{ type: 'settle' }] : [];
}

export function abortUploads({ lease }: Job): readonly Effect[] {
  return lease && lease.uploads.length > 0 ? [{ type: 'abort-uploads', uploads: lease.uploads }] : [];
}

function deleteAttempt(job: Job): Effect {
  return { type: 'delete-files', prefix: attemptPrefix(job.id, job.fence) };
}
