import * as z from 'zod';
import { ClipShape } from './clip.ts';
import type { ErrorCode } from './error-codes.ts';
import { RENDERERS } from './need.ts';
import { RerunsShape } from './reruns.ts';
import type { ReadAs } from './shape.ts';

// What a job's object stores. Loose: this code keeps what a later minor change has added when it writes the job again.

/** Contract 3.1. */
export const JOB_STATUSES = ['pending', 'prefetch', 'render', 'done', 'retrying', 'error'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The outcome is known and stays until somebody re-runs the job. */
export function isFinished(status: JobStatus): status is 'done' | 'error' {
  return status === 'done' || status === 'error';
}

/** Queued or being worked on, as the contract's 409 rows mean it. A job that waits for its retry is not in flight. */
export function isInFlight(status: JobStatus): status is 'pending' | 'prefetch' | 'render' {
  return status === 'pending' || status === 'prefetch' || status === 'render';
}

/** What a host is doing, finer than the status of its job. */
export const WORK_STAGES = ['download', 'decompress', 'parse', 'capture', 'encode', 'thumbnail', 'upload'] as const;
export type WorkStage = (typeof WORK_STAGES)[number];

export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'handed_back', 'canceled'] as const;

/** Milliseconds since the epoch. */
const time = z.number();

/** Any text: a later version may know more codes. */
export const CodeShape = z.custom<ErrorCode>((code) => typeof code === 'string');

const Fact = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** An attempt of the present run that has ended. A grant that no host has confirmed is none. */
export const EndedAttemptShape = z.looseObject({
  fence: z.int(),
  hostId: z.string(),
  hostName: z.string().nullable(),
  grantedAt: time,
  endedAt: time,
  /** How far it came. */
  phase: z.enum(['prefetch', 'render']),
  // A later version may know more.
  stage: z.enum(WORK_STAGES).nullable().catch(null),
  outcome: z.enum(ATTEMPT_OUTCOMES).catch('failed'),
  code: CodeShape.nullable(),
  facts: z.record(z.string(), z.union([Fact, z.array(Fact)])).nullable(),
  /** When the job is queued again after it; null where it is not. */
  retryAt: time.nullable(),
});
export type EndedAttempt = ReadAs<typeof EndedAttemptShape>;

/** An attempt of any run that made no clip, as it is kept: clients see some of it, operators the rest. */
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

/** A multipart upload: the key it will have in storage, and storage's own name for it. */
export const MultipartUploadShape = z.looseObject({ key: z.string(), uploadId: z.string() });
export type MultipartUpload = ReadAs<typeof MultipartUploadShape>;

/**
 * A render host's right to work on a job. A report that carries another fence changes nothing. It has everything that
 * the alarm decides on: an object that was evicted in between decides alike.
 */
const LeaseShape = z.looseObject({
  /** Grows with every lease of the job and is never used twice. */
  fence: z.int(),
  hostId: z.string(),
  /** What the operator calls it; missing of one that is called. */
  hostName: z.string().optional(),
  grantedAt: time,
  /** Whether the host has reported since: until then nobody knows that the grant has reached it. */
  isConfirmed: z.boolean(),
  /** When the lease is lost unless a heartbeat has moved this on. */
  deadline: time,
  /**
   * The dispatchers that know of it: the home of its host, and the one that its job waited in where that is another.
   * Absent for the first dispatcher alone.
   */
  shards: z.array(z.int()).optional(),
  /** Uploads that the host began under this lease. Storage keeps their parts until they are completed or aborted. */
  uploads: z.array(MultipartUploadShape),
});
export type Lease = ReadAs<typeof LeaseShape>;

/** Where and whether the outcome is reported. Comes with the request, so a forced redo replaces it. */
const WebhookTargetShape = z.looseObject({
  url: z.string(),
  /** Sent verbatim as `Authorization`; null sends none. */
  authHeader: z.string().nullable(),
});
export type WebhookTarget = ReadAs<typeof WebhookTargetShape>;

/** What a job is to make: a clip, or a list of what is in a demo. */
const WorkShape = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('clip'),
    fps: z.number(),
    /** Height of the picture in pixels. */
    resolution: z.number(),
    /** How many frames its request names (`framesOf`), and the account's limit. */
    frames: z.looseObject({ asked: z.number(), most: z.number() }),
  }),
  z.looseObject({ kind: z.literal('inspection') }),
]);
export type Work = ReadAs<typeof WorkShape>;
export type ClipWork = Extract<Work, { readonly kind: 'clip' }>;

/** What the state machine knows of a job in any status. The machine never looks into the request. */
const JobBaseShape = z.looseObject({
  id: z.string(),
  accountId: z.string(),
  /** Of the one clip that it can make. It cannot be told from the job's id without the deployment's secret. */
  clipId: z.string(),
  /** The binding of the database that indexes it: its account's. */
  database: z.string(),
  /** Grows with every change; an index row is replaced only by a higher version. */
  version: z.int(),
  priority: z.boolean(),
  /** 1 for the first run; each re-run in place adds one. */
  run: z.int(),
  /** Absent before the second run. */
  reruns: RerunsShape.optional(),
  /** Attempts begun in this run. */
  attempt: z.int(),
  /** Milliseconds that hosts spent on this run under leases that have ended. */
  hostMs: z.number(),
  /** Grants in a row that no host has confirmed. */
  unconfirmed: z.int(),
  /** The last fence granted, 0 before the first lease. */
  fence: z.int(),
  /** How the latest attempt of this run has ended. Those before it are kept apart. */
  lastEnd: EndedAttemptShape.nullable(),
  webhook: WebhookTargetShape.nullable(),
  createdAt: time,
  /** When the current run was queued. */
  queuedAt: time,
  /** The host whose render the clip is, which may report it again; null before the first. */
  renderedBy: z.string().nullable(),
  /** The host whose fault ended this run's last attempt: the next one had better go to another. */
  avoidHost: z.string().nullable(),
  /** Builds of the game that could not play its demo in this run. */
  refusedBuilds: z.array(z.string()),
  /** Null until the first success; afterwards kept through re-runs until it is overwritten. */
  clip: ClipShape.nullable(),
  work: WorkShape,
  /** What its account asked of hosts as it was submitted: null for any renderer; labels that they have to have. */
  renderer: z.enum(RENDERERS).nullable(),
  labels: z.array(z.string()),
});
export type JobBase = ReadAs<typeof JobBaseShape>;

/** Why the latest attempt failed, or the run. The detail is for operators; it may name hosts and files. */
const failure = { errorCode: CodeShape, errorDetail: z.string().nullable() };

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

/** A status with the fields that it alone has. */
export type StatusFields = Job extends infer One ? (One extends Job ? Omit<One, keyof JobBase> : never) : never;

/** Every field that a job may have, null for those that its status does not have. */
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

/** Returns what a job has in any status. */
export function baseOf(job: Job): JobBase {
  const { status: _status, ...all } = fieldsOf(job);
  const { lease: _l, retryAt: _r, errorCode: _c, errorDetail: _d, finishedAt: _f, ...base } = all;
  return base;
}

export function leaseOf(job: Job): Lease | null {
  return 'lease' in job ? job.lease : null;
}
