import type { Clip } from './clip.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Facts } from './failure.ts';
import type { Renderer } from './need.ts';
import type { Reruns } from './reruns.ts';

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

/** An attempt of the present run that has ended. A grant that no host has confirmed is none. */
export interface EndedAttempt {
  readonly fence: number;
  readonly hostId: string;
  readonly hostName: string | null;
  readonly grantedAt: number;
  readonly endedAt: number;
  /** How far it came. */
  readonly phase: 'prefetch' | 'render';
  readonly stage: WorkStage | null;
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number];
  readonly code: ErrorCode | null;
  readonly facts: Facts | null;
  /** When the job is queued again after it; null where it is not. */
  readonly retryAt: number | null;
}

/**
 * A render host's right to work on a job. A report that carries another fence changes nothing. Everything that the
 * alarm decides on stands here: an object that was evicted in between decides alike.
 */
export interface Lease {
  /** Grows with every lease of the job and is never used twice. */
  readonly fence: number;
  readonly hostId: string;
  /** What the operator calls it; missing of one that is called. */
  readonly hostName?: string | undefined;
  readonly grantedAt: number;
  /** Whether the host was heard of since: until then nobody knows that the grant has reached it. */
  readonly isConfirmed: boolean;
  /** When the lease is lost unless a heartbeat has moved this on. */
  readonly deadline: number;
  /**
   * The dispatchers that know of it: the home of its host, and the one that its job waited in where that is another.
   * Absent for the first dispatcher alone.
   */
  readonly shards?: readonly number[] | undefined;
  /** Uploads that the host began under this lease. Storage keeps their parts until they are completed or aborted. */
  readonly uploads: readonly Upload[];
}

/** A multipart upload: the key it will have in storage, and storage's own name for it. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** Where and whether the outcome is reported. Comes with the request, so a forced redo replaces it. */
export interface WebhookTarget {
  readonly url: string;
  /** Sent verbatim as `Authorization`; null sends none. */
  readonly authHeader: string | null;
}

/**
 * Everything the state machine knows of a job. Times are milliseconds since the epoch.
 * The stored request lies beside it: the machine never looks into it.
 */
export interface Job {
  readonly id: string;
  readonly accountId: string;
  /** Of the one clip that it can make. It cannot be told from the job's id without the deployment's secret. */
  readonly clipId: string;
  /** The binding of the database that indexes it: its account's. */
  readonly database: string;
  /** Grows with every change; an index row is replaced only by a higher version. */
  readonly version: number;
  readonly status: JobStatus;
  readonly priority: boolean;
  /** 1 for the first run; each re-run in place adds one. */
  readonly run: number;
  /** Absent before the second run. */
  readonly reruns?: Reruns | undefined;
  /** Attempts begun in this run. */
  readonly attempt: number;
  /** Milliseconds that hosts spent on this run under leases that have ended. */
  readonly hostMs: number;
  /** Grants in a row that no host has confirmed. */
  readonly unconfirmed: number;
  /** The last fence granted, 0 before the first lease. */
  readonly fence: number;
  readonly lease: Lease | null;
  /** When a retrying job is queued again; null in every other state. */
  readonly retryAt: number | null;
  readonly errorCode: ErrorCode | null;
  /** For operators; may name hosts and files. */
  readonly errorDetail: string | null;
  /** How the latest attempt of this run has ended: why the job is where it is. Those before are kept beside it. */
  readonly lastEnd: EndedAttempt | null;
  readonly webhook: WebhookTarget | null;
  readonly createdAt: number;
  /** When the current run was queued. */
  readonly queuedAt: number;
  readonly finishedAt: number | null;
  /** The host whose render the clip is, which may say so again; null before the first. */
  readonly renderedBy: string | null;
  /** The host whose fault ended this run's last attempt: the next one had better go to another. */
  readonly avoidHost: string | null;
  /** Builds of the game that could not play its demo in this run. */
  readonly refusedBuilds: readonly string[];
  /** Null until the first success; afterwards kept through re-runs until it is overwritten. */
  readonly clip: Clip | null;
  readonly fps: number;
  readonly resolution: number;
  /** What its account asked of hosts as it was submitted: null for any renderer; labels that they have to have. */
  readonly renderer: Renderer | null;
  readonly labels: readonly string[];
  /** Null for an inspection. */
  readonly frames: FootageLimit | null;
}

/** Frames of a clip: how many its request names (`framesOf`), and the account's limit. */
export interface FootageLimit {
  readonly asked: number;
  readonly most: number;
}
