import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import { ClipShape, RemovalShape, TracksShape } from '../clip/clip.ts';
import { CodeShape, type ErrorCode } from '../failure/codes.ts';
import { RENDERERS } from '../host/need.ts';
import type { ReadAs } from '../lib/types.ts';
import { FallbackShape } from './fallback.ts';
import { WorkShape } from './work.ts';

/** Runs of a job after its first, counted for an hour from the first of them. `since`: milliseconds since the epoch. */
const RerunsShape = z.looseObject({ since: z.number(), count: z.int() });
type Reruns = ReadAs<typeof RerunsShape>;

const HOUR_MS = 60 * 60 * 1000;

export function countRerun(reruns: Reruns | undefined, now: number): Reruns {
  const { since, count } = reruns && now - reruns.since < HOUR_MS ? reruns : { since: now, count: 0 };
  return { since, count: count + 1 };
}

// What a job's object stores. Loose: fields of a later minor version are kept when this code writes the job.

/** Contract 3.1. */
export const JOB_STATUSES = ['pending', 'prefetch', 'render', 'done', 'retrying', 'error'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Whether the outcome is known. It stays until a re-run. */
export function isFinished(status: JobStatus): status is 'done' | 'error' {
  return status === 'done' || status === 'error';
}

/**
 * Whether the job is queued or being worked on, as the contract's 409 rows define it. A job that waits for a retry is
 * not in flight.
 */
export function isInFlight(status: JobStatus): status is 'pending' | 'prefetch' | 'render' {
  return status === 'pending' || status === 'prefetch' || status === 'render';
}

/** The host's step, finer than the status of its job. */
export const WORK_STAGES = ['download', 'decompress', 'parse', 'capture', 'encode', 'thumbnail', 'upload'] as const;

export type WorkStage = (typeof WORK_STAGES)[number];

export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'handed_back', 'canceled'] as const;

/** Milliseconds since the epoch. */
const time = z.number();

const Fact = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A finished attempt of the present run. An unconfirmed grant is none. */
export const EndedAttemptShape = z.looseObject({
  fence: z.int(),
  hostId: z.string(),
  hostName: z.string().nullable(),
  /** The host's build of the game; absent without the game. */
  gameBuild: z.string().optional(),
  grantedAt: time,
  endedAt: time,
  /** The last phase that it reached. */
  phase: z.enum(['prefetch', 'render']),
  // A later version may add stages.
  stage: z.enum(WORK_STAGES).nullable().catch(null),
  outcome: z.enum(ATTEMPT_OUTCOMES).catch('failed'),
  code: CodeShape.nullable(),
  facts: z.record(z.string(), z.union([Fact, z.array(Fact)])).nullable(),
  /** When the job is queued again; null if it is not. */
  retryAt: time.nullable(),
});

export type EndedAttempt = ReadAs<typeof EndedAttemptShape>;

/** A finished attempt of any run that made no clip. Clients see a part of it, operators all. */
export const KeptAttemptShape = EndedAttemptShape.extend({
  run: z.int(),
  attempt: z.int(),
  /** False if the host never confirmed the lease. */
  isConfirmed: z.boolean(),
  /** For operators; may name hosts and files. */
  detail: z.string().nullable(),
  /** The end of the host's log, if it sent one. */
  log: z.string().nullable(),
});

export type KeptAttempt = ReadAs<typeof KeptAttemptShape>;

/** A multipart upload: its key in storage and storage's id of it. */
export const MultipartUploadShape = z.looseObject({ key: z.string(), uploadId: z.string() });

export type MultipartUpload = ReadAs<typeof MultipartUploadShape>;

/**
 * A host's right to work on a job. Reports under another fence are refused. It contains all that the alarm needs, so an
 * evicted object decides the same.
 */
const LeaseShape = z.looseObject({
  /** Grows with every lease of the job and is never used twice. */
  fence: z.int(),
  hostId: z.string(),
  /** The operator's name for it; absent for a push host. */
  hostName: z.string().optional(),
  /** Absent if the host has reported none. */
  renderer: z.enum(RENDERERS).optional(),
  gameBuild: z.string().optional(),
  grantedAt: time,
  /** Whether the host has reported. Until then it may not have received the grant. */
  isConfirmed: z.boolean(),
  /** When the lease ends unless a heartbeat extends it. */
  deadline: time,
  /** Uploads created under this lease. Storage keeps their parts until they are completed or aborted. */
  uploads: z.array(MultipartUploadShape),
});

export type Lease = ReadAs<typeof LeaseShape>;

/** Why the latest attempt or the run failed. The detail is for operators; it may name hosts and files. */
const failure = { errorCode: CodeShape, errorDetail: z.string().nullable() };

/** Where the outcome is sent. It is part of the request, so a forced redo replaces it. */
const WebhookTargetShape = z.looseObject({
  url: z.string(),
  /** Sent verbatim as `Authorization`; null sends none. */
  authHeader: z.string().nullable(),
});

export type WebhookTarget = ReadAs<typeof WebhookTargetShape>;

/** What one run rendered: `seconds` of clip at `renderedAt`, in milliseconds since the epoch. */
export const UsageShape = z.looseObject({
  run: z.int(),
  tier: z.enum(TIERS),
  resolution: z.number(),
  fps: z.number(),
  /** Absent if the host reported none. */
  renderer: z.enum(RENDERERS).optional(),
  seconds: z.number(),
  renderedAt: z.number(),
});

export type Usage = ReadAs<typeof UsageShape>;

/** The fields of a job in any status. The machine never reads the request. */
const JobBaseShape = z.looseObject({
  id: z.string(),
  accountId: z.string(),
  /** The id of its clip. It cannot be derived from the job's id without the deployment's secret. */
  clipId: z.string(),
  /** Grows with every change. An index row is replaced only by a higher version. */
  version: z.int(),
  priority: z.boolean(),
  /** 1 for the first run; each re-run adds one. */
  run: z.int(),
  /** The highest run that the job had before it was restored to an earlier time. The next one is higher. */
  runsSeen: z.int().optional(),
  /** The last billed runs, with which a repair can restore the bill. */
  billed: z.array(UsageShape).optional(),
  /** Absent before the second run. */
  reruns: RerunsShape.optional(),
  /** Attempts started in this run. */
  attempt: z.int(),
  /** Milliseconds of host time in this run, under ended leases. */
  hostMs: z.number(),
  /** Unconfirmed grants in a row. */
  unconfirmed: z.int(),
  /** The last fence granted, 0 before the first lease. */
  fence: z.int(),
  /** How the latest attempt of this run ended. Earlier ones are stored apart. */
  lastEnd: EndedAttemptShape.nullable(),
  webhook: WebhookTargetShape.nullable(),
  createdAt: time,
  /** When the current run was queued. */
  queuedAt: time,
  /** The host that rendered the clip and may repeat its report; null before the first clip. */
  renderedBy: z.string().nullable(),
  /** The host that caused this run's last failure. The next attempt prefers another one. */
  avoidHost: z.string().nullable(),
  /** How long `avoidHost` is avoided, in milliseconds, if it cannot film the player; the schedule's time if absent. */
  avoidMs: z.number().optional(),
  /** Builds of the game that could not play the demo in this run. */
  refusedBuilds: z.array(z.string()),
  /** The first host of this run whose game crashed while it loaded the demo. */
  loadCrash: LeaseShape.pick({ hostId: true, gameBuild: true }).optional(),
  /** Null until the first success. Re-runs keep it until they replace it. */
  clip: ClipShape.nullable(),
  /** What its replay plays: of the demo of an inspection, or of the ticks of a clip. Absent without a replay. */
  tracks: TracksShape.optional(),
  /** Present if the operator took the replay down before there was a clip. */
  removal: RemovalShape.optional(),
  work: WorkShape,
  /** What the job requires of hosts: null for any renderer; labels that a host must have. */
  renderer: z.enum(RENDERERS).nullable(),
  labels: z.array(z.string()),
  /** Absent if the request asks for none, or the account requires the radar. */
  fallback: FallbackShape.optional(),
  /** Whether it is of a test key. */
  isTest: z.boolean().optional(),
});

export type JobBase = ReadAs<typeof JobBaseShape>;

export const JobShape = z.discriminatedUnion('status', [
  JobBaseShape.extend({ status: z.literal('pending') }),
  JobBaseShape.extend({ status: z.enum(['prefetch', 'render']), lease: LeaseShape }),
  /** `retryAt`: when it is queued again. */
  JobBaseShape.extend({ status: z.literal('retrying'), retryAt: time, ...failure }),
  JobBaseShape.extend({ status: z.literal('done'), finishedAt: time }),
  JobBaseShape.extend({ status: z.literal('error'), finishedAt: time, ...failure }),
]);

export type Job = ReadAs<typeof JobShape>;

export type LeasedJob = Extract<Job, { readonly lease: Lease }>;

/** A status with the fields that only it has. */
export type StatusFields = Job extends infer One ? (One extends Job ? Omit<One, keyof JobBase> : never) : never;

/** All fields that a job may have, null for those that its status lacks. */
export interface JobFields extends JobBase {
  readonly status: JobStatus;
  readonly lease: Lease | null;
  readonly retryAt: number | null;
  readonly errorCode: ErrorCode | null;
  readonly errorDetail: string | null;
  readonly finishedAt: number | null;
}

export function fieldsOf(job: Job): JobFields {
  const failure = { errorCode: null, errorDetail: null };
  return { lease: null, retryAt: null, ...failure, finishedAt: null, ...job };
}

/** Returns the fields that a job has in any status. */
export function baseOf(job: Job): JobBase {
  const { status: _status, ...all } = fieldsOf(job);
  const { lease: _l, retryAt: _r, errorCode: _c, errorDetail: _d, finishedAt: _f, ...base } = all;
  return base;
}

export function leaseOf(job: Job): Lease | null {
  return 'lease' in job ? job.lease : null;
}
