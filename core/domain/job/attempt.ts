import type { StoredFile } from '../clip/clip.ts';
import { type ErrorCode, isHostFault, isRetryable, type ServiceCode } from '../failure/codes.ts';
import {
  type AttemptFailure,
  type Effect,
  move,
  PROJECT,
  PUBLISH,
  SETTLE,
  type StateChange,
  type Transition,
  type TransitionContext,
  unchanged,
} from './event.ts';
import { fallBack, fallbackAt, isUnplayable } from './fallback.ts';
import {
  type EndedAttempt,
  fieldsOf,
  type Job,
  type JobBase,
  type Lease,
  type LeasedJob,
  leaseOf,
  type MultipartUpload,
  WORK_STAGES,
} from './job.ts';
import { deleteTracks, withoutTracks } from './old-tracks.ts';
import { refuse } from './result.ts';
import { retryWait, type Schedule } from './schedule.ts';
import { attemptPrefix } from './storage-keys.ts';
import { traitsOf } from './work.ts';

/** A host creates two uploads and may create each once more. More uploads mean a broken host. */
const MAX_UPLOADS = 16;

/** Grants a lease under the next fence. A push host (`isSent`) gets more time to confirm it. */
export function grantLease(
  job: Job,
  {
    hostId,
    hostName,
    renderer,
    gameBuild,
    isSent = false,
  }: Pick<Lease, 'hostId' | 'hostName' | 'renderer' | 'gameBuild'> & {
    readonly isSent?: boolean | undefined;
  },
  { now, schedule, fenceFloor = 0 }: TransitionContext,
): Transition {
  const fence = Math.max(job.fence, fenceFloor) + 1;
  const deadline = now + (isSent ? schedule.answerWithin : schedule.confirmWithin);
  const host = { hostId, hostName, renderer, gameBuild };
  const lease: Lease = { fence, ...host, grantedAt: now, isConfirmed: false, deadline, uploads: [] };
  return move(job, { status: 'prefetch', lease }, { attempt: job.attempt + 1, fence }, [PROJECT]);
}

export function noteUpload(job: LeasedJob, upload: MultipartUpload): Transition {
  const { status, lease } = job;
  const uploads = [...lease.uploads, upload];
  if (uploads.length > MAX_UPLOADS) return refuse('too_many_uploads');
  return move(job, { status, lease: { ...lease, uploads } }, {}, []);
}

/** How long others are preferred to a host that cannot film the player. The host's account does not change soon. */
const OWN_MATCH_MS = 60 * 60_000;
/** How many builds of the game have to refuse a demo before the demo is at fault. */
const MAX_REFUSED_BUILDS = 4;

/**
 * Queues a retry if the code allows one and retries remain; fails the job otherwise. A refusal by one build of the game
 * is retried on another build. A job with a fallback is retried on the radar when the game cannot play its demo.
 */
export function failAttempt(job: LeasedJob, reported: AttemptFailure, context: TransitionContext): Transition {
  const { now, schedule } = context;
  const { code, refusedBuilds, loadCrash } = blame(job, reported);
  const failure = { ...reported, code };
  const { detail } = failure;
  const isRefused = refusedBuilds.length > job.refusedBuilds.length && refusedBuilds.length < MAX_REFUSED_BUILDS;
  const tried = job.attempt - (job.fallback?.attempts ?? 0);
  // The server of the demo demands a login, or forbids the download: its link may have expired.
  const status = failure.facts?.http_status;
  const isAccessRefused = code === 'download_error' && (status === 401 || status === 403);
  const isFinal = traitsOf(job.work).endsAtRefusal && isAccessRefused;
  const retry = (isRetryable(code) && !isFinal) || isRefused ? retryWait(schedule, tried, context.jitter) : null;
  const isHopeless = isUnplayable(code) || failure.crashedLoading || failure.ownMatch;
  const fallen = retry === null && isHopeless ? fallBack(job) : null;
  const wait = fallen ? retryWait(schedule, 1, context.jitter) : retry;
  const hostMs = spentBy(job, now);
  const avoid = avoidanceOf(job, failure);
  // A crash counts towards its host's faults, even if it counts as a refusal of the demo.
  const ended = [leaveQueue(job, reported.code, now, failure), ...abortUploads(job), deleteAttempt(job)];
  const end = { ...failure, outcome: 'failed' } as const;
  if (wait === null || hostMs >= schedule.hostBudget || now + wait >= runEndsAt(job, schedule)) {
    const lastEnd = endOf(job, now, end);
    return failRun(job, { code, detail, now }, { ...avoid, refusedBuilds, loadCrash, lastEnd }, ended);
  }
  const retryAt = now + wait;
  const lastEnd = endOf(job, now, { ...end, retryAt });
  const fields = { status: 'retrying', retryAt, errorCode: code, errorDetail: detail } as const;
  return move(job, fields, { hostMs, ...avoid, refusedBuilds, loadCrash, lastEnd, ...fallen }, [PROJECT, ...ended]);
}

/** Returns which host the next attempt avoids. One that cannot film the player stays the one to avoid. */
function avoidanceOf(
  { lease: { hostId }, avoidHost, avoidMs }: LeasedJob,
  { code, ownMatch }: AttemptFailure,
): Pick<Job, 'avoidHost' | 'avoidMs'> {
  if (ownMatch) return { avoidHost: hostId, avoidMs: OWN_MATCH_MS };
  if (avoidMs !== undefined) return { avoidHost, avoidMs };
  return { avoidHost: isHostFault(code) ? hostId : null };
}

/**
 * Returns the code of a failure, the builds that have refused the demo, and the first host whose game crashed while it
 * loaded the demo. A crash on a second host counts as a refusal by the builds of both.
 */
function blame(
  { lease: { hostId, gameBuild }, loadCrash: first, refusedBuilds }: LeasedJob,
  { code, crashedLoading, refusedBuild, stage }: AttemptFailure,
): Pick<AttemptFailure, 'code'> & Pick<Job, 'refusedBuilds' | 'loadCrash'> {
  const refusedBy = (...builds: readonly (string | undefined)[]) => [
    ...new Set([...refusedBuilds, ...builds.filter((build) => build !== undefined)]),
  ];
  const isDemos = crashedLoading?.has_recorded === true;
  // A host that filmed the demo has loaded it.
  const hasLoaded = stage !== undefined && WORK_STAGES.indexOf(stage) > WORK_STAGES.indexOf('capture');
  const loadCrash = hasLoaded ? undefined : (first ?? (isDemos ? { hostId, gameBuild } : undefined));
  if (isDemos && first && first.hostId !== hostId) {
    return { code: 'demo_incompatible', refusedBuilds: refusedBy(first.gameBuild, gameBuild), loadCrash };
  }
  return { code, refusedBuilds: code === 'demo_incompatible' ? refusedBy(refusedBuild) : refusedBuilds, loadCrash };
}

/** Ends the run without a clip. */
function failRun(
  job: Job,
  { code, detail, now }: { readonly code: ErrorCode; readonly detail: string; readonly now: number },
  changes: Partial<JobBase>,
  effects: readonly Effect[],
): StateChange {
  const fields = { status: 'error', errorCode: code, errorDetail: detail, finishedAt: now } as const;
  const all: Effect[] = [PROJECT, { type: 'announce' }, ...unbilled(job, now), ...effects];
  const failed = move(job, fields, { hostMs: spentBy(job, now), ...changes }, all);
  return job.clip || traitsOf(job.work).isNamed ? failed : withoutTracks(failed, 'deletion');
}

/**
 * Moves a waiting job to the radar if it can fall back. Otherwise fails it if builds have refused its demo. Returns
 * `not_waiting` if it goes on waiting, or does not wait.
 */
export function noHostLeft(job: Job, now: number): Transition {
  if (job.status !== 'retrying' && job.status !== 'pending') return refuse('not_waiting');
  const isRefused = job.refusedBuilds.length > 0;
  const fallen = isRefused || isFallbackDue(job, now) ? fallBack(job) : null;
  if (fallen) return move(job, { status: 'pending' }, fallen, [PROJECT, { type: 'offer' }]);
  if (!isRefused) return refuse('not_waiting');
  const { errorDetail } = fieldsOf(job);
  const detail = errorDetail ?? `no host is left whose build has not refused it: ${job.refusedBuilds.join(', ')}`;
  return failRun(job, { code: 'demo_incompatible', detail, now }, {}, [SETTLE]);
}

/** Whether a run has waited long enough to fall back. `now` is in milliseconds since the epoch. */
export function isFallbackDue(job: Job, now: number): boolean {
  const at = job.status === 'pending' ? fallbackAt(job) : null;
  return at !== null && at <= now;
}

/** Records a report of the host: confirms the grant, extends the lease when due, stores the phase. */
export function confirmLease(job: LeasedJob, phase: 'prefetch' | 'render', context: TransitionContext): Transition {
  const { now, schedule } = context;
  const { leaseTtl } = schedule;
  const { lease } = job;
  const status = phase === 'render' ? 'render' : job.status;
  const deadline = Math.min(now + leaseTtl, leaseEndsAt(job, schedule));
  const isDue = !lease.isConfirmed || (lease.deadline - now < leaseTtl / 2 && deadline !== lease.deadline);
  if (status === job.status && !isDue) return unchanged(job);
  const next = isDue ? { ...lease, isConfirmed: true, deadline } : lease;
  // An extension alone changes no index row, so the version stays.
  if (status === job.status && lease.isConfirmed) return { ok: true, job: { ...job, lease: next }, effects: [] };
  const effects: Effect[] = [];
  if (status !== job.status) effects.push(PROJECT);
  if (!lease.isConfirmed) effects.push({ type: 'started' });
  return move(job, { status, lease: next }, { unconfirmed: 0 }, effects);
}

/** Restores the deadline from the alarm: an extension of a confirmed lease is not written to storage. */
export function resumeLease(job: Job, alarmAt: number | null): Transition {
  if (!('lease' in job) || !job.lease.isConfirmed || alarmAt === null || alarmAt <= job.lease.deadline) {
    return unchanged(job);
  }
  return { ok: true, job: { ...job, lease: { ...job.lease, deadline: alarmAt } }, effects: [] };
}

/** How many unconfirmed grants in a row count as an attempt: the job itself then probably kills its hosts. */
const MAX_UNCONFIRMED = 10;

/** Ends a lease whose deadline has passed. It counts as an attempt only if the host had confirmed the lease. */
export function expireLease(job: LeasedJob, context: TransitionContext): Transition {
  const { now, schedule } = context;
  const { isConfirmed } = job.lease;
  if (isConfirmed && now >= leaseEndsAt(job, schedule)) {
    const minutes = Math.round(spentBy(job, now) / 60_000);
    const detail = `hosts spent ${minutes} minutes on it, and no more are allowed`;
    return failAttempt(job, { code: 'render_failed', detail, isExpired: true }, context);
  }
  const code = 'cs2_unavailable';
  const detail = 'the render host stopped reporting';
  if (isConfirmed) return failAttempt(job, { code, detail, isExpired: true }, context);
  const unconfirmed = job.unconfirmed + 1;
  if (unconfirmed < MAX_UNCONFIRMED) return release({ ...job, unconfirmed }, now);
  const unheard = `${unconfirmed} grants in a row were confirmed by no render host`;
  return failAttempt({ ...job, unconfirmed: 0 }, { code, detail: unheard }, context);
}

/** Queues the job again without counting the attempt: the host returned the job, or never received it. */
export function release(job: LeasedJob, now: number): Transition {
  const lastEnd = endOf(job, now, { outcome: 'handed_back' });
  const changes = { attempt: job.attempt - 1, hostMs: spentBy(job, now), lastEnd };
  return move(job, { status: 'pending' }, changes, [
    PROJECT,
    { type: 'offer' },
    ...abortUploads(job),
    deleteAttempt(job),
  ]);
}

/** When a waiting run is abandoned, in milliseconds since the epoch. */
export function runEndsAt(job: Pick<Job, 'queuedAt'>, { runDeadline }: Schedule): number {
  return job.queuedAt + runDeadline;
}

/** Fails a run that no host finished in time. The reason is that of its last failure. */
export function abandonRun(job: Job, now: number): Transition {
  const code = job.status === 'retrying' ? job.errorCode : 'cs2_unavailable';
  const hours = Math.round((now - job.queuedAt) / 3_600_000);
  return failRun(job, { code, detail: `no render host has finished it in ${hours} hours`, now }, {}, [SETTLE]);
}

export const NOT_ACCEPTED =
  'the domain is not on the list of accepted domains, or the operator has blocked the address';

/** Fails a waiting run whose demo URL is no longer accepted. */
export function refuseDemo(job: Job, now: number): Transition {
  return failRun(job, { code: 'demo_url_rejected', detail: NOT_ACCEPTED, now }, {}, [SETTLE]);
}

/** Cancels a run. It does not count as a fault of its host. */
export function cancelRun(job: Job, code: ServiceCode, detail: string, now: number): StateChange {
  const lastEnd = endOf(job, now, { outcome: 'canceled', code });
  return failRun(job, { code, detail, now }, { lastEnd }, [
    SETTLE,
    ...abortUploads(job),
    ...('lease' in job ? [deleteAttempt(job)] : []),
  ]);
}

/** Returns the latest deadline of a lease: the end of the run's time or of its budget of host time. */
function leaseEndsAt({ lease, hostMs, queuedAt }: LeasedJob, schedule: Schedule): number {
  return Math.min(lease.grantedAt + schedule.hostBudget - hostMs, runEndsAt({ queuedAt }, schedule));
}

/** Returns how the present attempt ends. Returns the end of the attempt before if no host confirmed this one. */
export function endOf(
  job: Job,
  now: number,
  {
    outcome,
    code,
    facts,
    stage,
    retryAt,
  }: Partial<AttemptFailure> & Pick<EndedAttempt, 'outcome'> & { readonly retryAt?: number },
): EndedAttempt | null {
  const lease = leaseOf(job);
  if (!lease?.isConfirmed) return job.lastEnd;
  return {
    fence: lease.fence,
    hostId: lease.hostId,
    hostName: lease.hostName ?? null,
    gameBuild: lease.gameBuild,
    grantedAt: lease.grantedAt,
    endedAt: now,
    phase: job.status === 'render' ? 'render' : 'prefetch',
    stage: stage ?? null,
    outcome,
    code: code ?? null,
    facts: facts ?? null,
    retryAt: retryAt ?? null,
  };
}

/** Milliseconds of host time used, including the present lease. An unconfirmed grant uses none. */
function spentBy(job: Job, now: number): number {
  const lease = leaseOf(job);
  return job.hostMs + (lease?.isConfirmed ? Math.max(0, now - lease.grantedAt) : 0);
}

/** Returns the effect that counts the hosts' time of a run without a clip; none if no host worked. */
export function unbilled(job: Job, now: number): readonly Effect[] {
  const hostMs = spentBy(job, now);
  return hostMs > 0 ? [{ type: 'unbilled', run: job.run, hostMs, endedAt: now }] : [];
}

/**
 * Frees the job's slots of host and account and its place in the queue. `end` counts towards the faults of the host.
 * `code`: null for an attempt that made a clip.
 */
export function leaveQueue(
  job: LeasedJob,
  code: ErrorCode | null,
  now: number,
  { isExpired, crashedLoading, ownMatch }: Partial<AttemptFailure> = {},
): Effect {
  const { hostId, fence, grantedAt } = job.lease;
  const about = crashedLoading?.demo ?? (ownMatch ? 'own match' : undefined);
  return { type: 'settle', end: { hostId, fence, grantedAt, code, isExpired, about, at: now } };
}

/** Ends an inspection. Nothing is announced, no clip pays for it, and it does not count towards the faults of its host. */
export function endInspection(job: LeasedJob, found: StoredFile | undefined, now: number): Transition {
  const tracks = found && { ...found, createdAt: now };
  const changes = { renderedBy: job.lease.hostId, tracks };
  const replaced = job.tracks ? [deleteTracks(job.tracks, 'overwrite')] : [];
  const shown = (tracks ?? job.tracks) ? PUBLISH : PROJECT;
  return move(job, { status: 'done', finishedAt: now }, changes, [shown, SETTLE, ...unbilled(job, now), ...replaced]);
}

export function abortUploads(job: Job): readonly Effect[] {
  const uploads = leaseOf(job)?.uploads ?? [];
  return uploads.length > 0 ? [{ type: 'abort-uploads', uploads }] : [];
}

function deleteAttempt(job: Job): Effect {
  return { type: 'delete-files', prefix: attemptPrefix(job.clipId, job.fence) };
}

const LEVELS: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/**
 * Formats the JSON lines of pino, which render hosts log with: seconds since `start` (milliseconds since the epoch),
 * level, message, and the other fields as JSON. Leaves other lines as they are.
 */
export function readableLog(log: string, start: number): string {
  return log.replaceAll(/^\{.*\}$/gm, (line) => readable(line, start));
}

function readable(line: string, start: number): string {
  let entry: { [field: string]: unknown };
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
  const { time, level, msg = '', name: _n, pid: _p, hostname: _h, job: _j, ...more } = entry;
  if (typeof time !== 'number') return line;
  const seconds = `${((time - start) / 1000).toFixed(1)} s`;
  const fields = Object.keys(more).length === 0 ? [] : [JSON.stringify(more)];
  return [seconds, LEVELS[Number(level)] ?? level, msg, ...fields].join(' ');
}
