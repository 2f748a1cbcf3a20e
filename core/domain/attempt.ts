import { type ErrorCode, isHostFault, isRetryable } from './error-codes.ts';
import type { EndedAttempt, Job, Lease, Upload } from './job.ts';
import {
  type AttemptFailure,
  change,
  type Effect,
  PROJECT,
  PUBLISH,
  type Transition,
  type TransitionContext,
  unchanged,
} from './job-event.ts';
import { ONE_SHARD } from './outbox.ts';
import { refuse } from './result.ts';
import { retryWait, type Schedule } from './schedule.ts';
import { attemptPrefix } from './storage-keys.ts';

/** A host begins two files, each again at most once; what is more comes of a host that is broken. */
const MAX_UPLOADS = 16;

/** Grants a lease under the next fence, of two lengths: a host that is called with it (`isSent`) takes longer. */
export function beginAttempt(
  job: Job,
  {
    hostId,
    hostName,
    shards,
    isSent = false,
  }: Pick<Lease, 'hostId' | 'hostName' | 'shards'> & {
    readonly isSent?: boolean | undefined;
  },
  { now, schedule, fenceFloor = 0 }: TransitionContext,
): Transition {
  const fence = Math.max(job.fence, fenceFloor) + 1;
  const deadline = now + (isSent ? schedule.answerWithin : schedule.confirmWithin);
  const known = { ...(hostName === undefined ? {} : { hostName }), ...(shards ? { shards } : {}) };
  const lease: Lease = { fence, hostId, grantedAt: now, isConfirmed: false, deadline, ...known, uploads: [] };
  return change(job, { status: 'prefetch', attempt: job.attempt + 1, fence, lease }, [
    job.attempt === 0 ? toldWithoutClip(job) : PROJECT,
  ]);
}

/** Viewers hear that a clip is made, and that none comes of it; while there is one, they go on seeing that. */
function toldWithoutClip({ clip }: Job): Effect {
  return clip === null ? PUBLISH : PROJECT;
}

export function noteUpload(job: Job, lease: Lease, upload: Upload): Transition {
  const uploads = [...lease.uploads, upload];
  return uploads.length > MAX_UPLOADS ? refuse('too_many_uploads') : change(job, { lease: { ...lease, uploads } }, []);
}

/** So many builds of the game have been asked by then that it is the demo's fault. */
const MAX_REFUSED_BUILDS = 4;

/**
 * A failed attempt waits for its retry while the code allows one and retries remain; else the job has failed. What one
 * build of the game refused, another may play.
 */
export function failAttempt(job: Job, failure: AttemptFailure, context: TransitionContext): Transition {
  const { now, schedule } = context;
  const { code, detail } = failure;
  const refusedBuilds = refusedBy(job, failure);
  const isRefused = refusedBuilds.length > job.refusedBuilds.length && refusedBuilds.length < MAX_REFUSED_BUILDS;
  const wait = isRetryable(code) || isRefused ? retryWait(schedule, job.attempt, context.jitter) : null;
  const hostMs = spentBy(job, now);
  const avoidHost = isHostFault(code) ? (job.lease?.hostId ?? null) : null;
  const failed = { lease: null, errorCode: code, errorDetail: detail, hostMs, avoidHost, refusedBuilds };
  const end = { ...failure, outcome: 'failed' } as const;
  if (wait !== null && hostMs < schedule.hostBudget && now + wait < runEndsAt(job, schedule)) {
    const ended = endAttempt(job, failure, now);
    const retryAt = now + wait;
    const lastEnd = endOf(job, now, { ...end, retryAt });
    return change(job, { ...failed, status: 'retrying', retryAt, lastEnd }, [PROJECT, ...ended]);
  }
  return change(job, { ...failed, status: 'error', finishedAt: now, lastEnd: endOf(job, now, end) }, [
    toldWithoutClip(job),
    { type: 'announce' },
    ...unbilled(job, now),
    ...endAttempt(job, failure, now),
  ]);
}

/** The builds that refused the job's demo, with the one that did now. */
function refusedBy({ refusedBuilds }: Job, { code, refusedBuild }: AttemptFailure): readonly string[] {
  if (code !== 'demo_incompatible' || refusedBuild === undefined) return refusedBuilds;
  return [...new Set([...refusedBuilds, refusedBuild])];
}

/** The job waits for a build that nobody has. */
export function noBuildLeft(job: Job, now: number): Transition {
  const isWaiting = job.status === 'retrying' || job.status === 'pending';
  if (!isWaiting || job.refusedBuilds.length === 0) return refuse('not_waiting');
  const errorDetail =
    job.errorDetail ?? `no host is left whose build has not refused it: ${job.refusedBuilds.join(', ')}`;
  return change(job, { status: 'error', retryAt: null, errorCode: 'demo_incompatible', errorDetail, finishedAt: now }, [
    toldWithoutClip(job),
    { type: 'announce' },
    ...unbilled(job, now),
    { type: 'settle' },
  ]);
}

/** The host is alive: its grant is confirmed, its lease extended when that is due, its phase noted. */
export function heardFrom(
  job: Job,
  lease: Lease,
  phase: 'prefetch' | 'render',
  context: TransitionContext,
): Transition {
  const { now, schedule } = context;
  const { leaseTtl } = schedule;
  const status = phase === 'render' ? 'render' : job.status;
  const deadline = Math.min(now + leaseTtl, leaseEndsAt(job, lease, schedule));
  const isDue = !lease.isConfirmed || (lease.deadline - now < leaseTtl / 2 && deadline !== lease.deadline);
  if (status === job.status && !isDue) return unchanged(job);
  const next = isDue ? { ...lease, isConfirmed: true, deadline } : lease;
  // An extension alone is nothing that anybody else has to learn: no new version of the job.
  if (status === job.status && lease.isConfirmed) return { ok: true, job: { ...job, lease: next }, effects: [] };
  const effects: Effect[] = [];
  if (status !== job.status) effects.push(PROJECT);
  if (!lease.isConfirmed) effects.push({ type: 'started', ...(lease.shards ? { shards: lease.shards } : {}) });
  return change(job, { status, lease: next, ...(isDue ? { unconfirmed: 0 } : {}) }, effects);
}

/** Takes over the deadline that only the alarm has kept: an extension of a confirmed lease writes no row. */
export function resumeLease(job: Job, alarmAt: number | null): Transition {
  const { lease } = job;
  if (!lease?.isConfirmed || alarmAt === null || alarmAt <= lease.deadline) return unchanged(job);
  return { ok: true, job: { ...job, lease: { ...lease, deadline: alarmAt } }, effects: [] };
}

/** Grants in a row that come to nothing before one counts as an attempt: by then it is the job that kills its hosts. */
const MAX_UNCONFIRMED = 10;

/** A grant that nobody received costs the job nothing; a host that fell silent at work does. */
export function expireLease(job: Job, lease: Lease, context: TransitionContext): Transition {
  const { now, schedule } = context;
  if (lease.isConfirmed && now >= leaseEndsAt(job, lease, schedule)) {
    const minutes = Math.round(spentBy(job, now) / 60_000);
    const detail = `hosts spent ${minutes} minutes on it, and no more are allowed`;
    return failAttempt(job, { code: 'render_failed', detail, isExpired: true }, context);
  }
  const detail = 'the render host stopped reporting';
  if (lease.isConfirmed) return failAttempt(job, { code: 'cs2_unavailable', detail, isExpired: true }, context);
  const unconfirmed = job.unconfirmed + 1;
  if (unconfirmed < MAX_UNCONFIRMED) return release({ ...job, unconfirmed }, now);
  const unheard = `${unconfirmed} grants in a row were confirmed by no render host`;
  return failAttempt({ ...job, unconfirmed: 0 }, { code: 'cs2_unavailable', detail: unheard }, context);
}

/** The host gave the job back unharmed, or never had it: the attempt does not count against the job. */
export function release(job: Job, now: number): Transition {
  const lastEnd = endOf(job, now, { outcome: 'handed_back' });
  return change(job, { status: 'pending', lease: null, attempt: job.attempt - 1, hostMs: spentBy(job, now), lastEnd }, [
    PROJECT,
    { type: 'offer', shards: job.lease?.shards ?? ONE_SHARD },
    ...abortUploads(job),
    deleteAttempt(job),
  ]);
}

/** When a run that waits is given up, in milliseconds since the epoch. */
export function runEndsAt(job: Pick<Job, 'queuedAt'>, { runDeadline }: Schedule): number {
  return job.queuedAt + runDeadline;
}

/** No host has finished the run in time: it fails with what went wrong last. */
export function abandonRun(job: Job, now: number): Transition {
  const errorCode = job.errorCode ?? 'cs2_unavailable';
  const hours = Math.round((now - job.queuedAt) / 3_600_000);
  const errorDetail = `no render host has finished it in ${hours} hours`;
  return change(job, { status: 'error', retryAt: null, errorCode, errorDetail, finishedAt: now }, [
    toldWithoutClip(job),
    { type: 'announce' },
    ...unbilled(job, now),
    { type: 'settle' },
  ]);
}

/** Nobody wants the run any more. That tells nothing of the host that works on it, whose lease is gone. */
export function cancelRun(job: Job, by: 'account' | 'operator', now: number): Transition {
  const { lease } = job;
  const ended = {
    status: 'error',
    lease: null,
    retryAt: null,
    errorCode: 'canceled',
    errorDetail: `canceled by the ${by}`,
    hostMs: spentBy(job, now),
    finishedAt: now,
    lastEnd: endOf(job, now, { outcome: 'canceled', code: 'canceled' }),
  } as const;
  return change(job, ended, [
    toldWithoutClip(job),
    { type: 'announce' },
    ...unbilled(job, now),
    { type: 'settle', ...(lease?.shards ? { shards: lease.shards } : {}) },
    ...abortUploads(job),
    ...(lease ? [deleteAttempt(job)] : []),
  ]);
}

/** The lease cannot be extended beyond this: the run's time or its share of the fleet is used up. */
function leaseEndsAt(job: Job, lease: Lease, schedule: Schedule): number {
  return Math.min(lease.grantedAt + schedule.hostBudget - job.hostMs, runEndsAt(job, schedule));
}

/** How the attempt that ends now ends; as the one before did where no host has confirmed that it has this one. */
export function endOf(
  { lease, status, lastEnd }: Job,
  now: number,
  {
    outcome,
    code,
    facts,
    stage,
    retryAt,
  }: Partial<AttemptFailure> & Pick<EndedAttempt, 'outcome'> & { readonly retryAt?: number },
): EndedAttempt | null {
  if (!lease?.isConfirmed) return lastEnd;
  return {
    fence: lease.fence,
    hostId: lease.hostId,
    hostName: lease.hostName ?? null,
    grantedAt: lease.grantedAt,
    endedAt: now,
    phase: status === 'render' ? 'render' : 'prefetch',
    stage: stage ?? null,
    outcome,
    code: code ?? null,
    facts: facts ?? null,
    retryAt: retryAt ?? null,
  };
}

/** Milliseconds of hosts' time. A grant that nobody confirmed took none. */
function spentBy({ hostMs, lease }: Job, now: number): number {
  return hostMs + (lease?.isConfirmed ? Math.max(0, now - lease.grantedAt) : 0);
}

/** Returns the effect that records hosts' time on a run that ends now without a clip. */
function unbilled(job: Job, now: number): readonly Effect[] {
  const hostMs = spentBy(job, now);
  return hostMs > 0 ? [{ type: 'unbilled', run: job.run, hostMs, endedAt: now }] : [];
}

/** Nobody has the attempt's files any more, and it holds nothing. */
function endAttempt(job: Job, { code, isExpired }: AttemptFailure, now: number): readonly Effect[] {
  return [leaveQueue(job, code, now, isExpired), ...abortUploads(job), deleteAttempt(job)];
}

/**
 * The job holds one of its host's slots, one of its account's if it is reserved, and until it has begun its place. How
 * its attempt ended goes along, for it tells of the host. `code`: null for one that made a clip.
 */
export function leaveQueue({ lease }: Job, code: ErrorCode | null, now: number, isExpired?: boolean): Effect {
  if (!lease) return { type: 'settle' };
  const known = lease.shards ? { shards: lease.shards } : {};
  const how = isExpired ? { isExpired } : {};
  return { type: 'settle', ...known, end: { hostId: lease.hostId, fence: lease.fence, code, ...how, at: now } };
}

/**
 * The demo is read. No clip comes of it: there is nothing to announce, nothing on the bill, and nothing that would tell
 * of its host how well it renders.
 */
export function endInspection(job: Job, { hostId, shards }: Lease, now: number): Transition {
  const settle: Effect = shards ? { type: 'settle', shards } : { type: 'settle' };
  return change(job, { status: 'done', lease: null, finishedAt: now, renderedBy: hostId }, [PROJECT, settle]);
}

export function abortUploads({ lease }: Job): readonly Effect[] {
  return lease && lease.uploads.length > 0 ? [{ type: 'abort-uploads', uploads: lease.uploads }] : [];
}

function deleteAttempt(job: Job): Effect {
  return { type: 'delete-files', prefix: attemptPrefix(job.clipId, job.fence) };
}
