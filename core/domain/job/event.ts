import type { RenderResult, StoredFile } from '../clip/clip.ts';
import type { ErrorCode, Facts } from '../failure/codes.ts';
import type { Renderer } from '../host/need.ts';
import type { FallbackState } from './fallback.ts';
import {
  baseOf,
  type Job,
  type JobBase,
  type MultipartUpload,
  type StatusFields,
  type WebhookTarget,
  type WorkStage,
} from './job.ts';
import type { OutsideEffect } from './outbox.ts';
import type { Refused } from './result.ts';
import type { Schedule } from './schedule.ts';
import type { Work } from './work.ts';

/** The parts of a request that the machine uses. */
export interface Admission extends Required<FallbackState> {
  readonly priority: boolean;
  readonly webhook: WebhookTarget | null;
  readonly work: Work;
  readonly labels: readonly string[];
  /** False if the demo URL is on no accepted domain: the job then fails at once. */
  readonly acceptable: boolean;
  /** Whether it is of a test key. */
  readonly isTest?: boolean | undefined;
}

export interface AttemptFailure {
  readonly code: ErrorCode;
  /** For operators. */
  readonly detail: string;
  /** Details for the client. */
  readonly facts?: Facts | undefined;
  /** The step in which the host failed. */
  readonly stage?: WorkStage | undefined;
  /** The build of the game that refused the demo. Another build may play it. */
  readonly refusedBuild?: string | undefined;
  /** The demo that crashed the game while it loaded, and whether the host has recorded another one. */
  readonly crashedLoading?: { readonly demo: string; readonly has_recorded: boolean } | undefined;
  /** Whether the host cannot film the player, who is signed in to Steam there. */
  readonly ownMatch?: boolean | undefined;
  /** True if the lease ended without a report. */
  readonly isExpired?: boolean | undefined;
}

/** The ids of a job. `version`: that of a deleted job with the same ids. */
export type JobIdentity = Pick<Job, 'id' | 'accountId' | 'clipId'> & { readonly version?: number };

/** A report of a host. `fence` names its lease. */
export type HostReport = { readonly fence: number } & (
  | { readonly type: 'heartbeat'; readonly phase: 'prefetch' | 'render' }
  | { readonly type: 'upload-begun'; readonly upload: MultipartUpload }
  | { readonly type: 'complete'; readonly result: RenderResult }
  /** Ends an inspection. Its result is stored beside the job. `tracks`: what a replay of the demo plays. */
  | { readonly type: 'inspected'; readonly tracks?: StoredFile | undefined }
  | ({ readonly type: 'fail' } & AttemptFailure)
  | { readonly type: 'release' }
  /** The push host did not take the grant. */
  | { readonly type: 'not-taken' }
);

/** A host that claims a job. */
export interface ClaimingHost {
  readonly hostId: string;
  readonly hostName?: string | undefined;
  readonly renderer?: Renderer | undefined;
  /** The host's build of the game. */
  readonly gameBuild?: string | undefined;
  /** Whether the grant is sent to a push host. */
  readonly isSent?: boolean;
}

/** Everything that can change a job. */
export type JobEvent =
  | { readonly type: 'submit'; readonly identity: JobIdentity; readonly admission: Admission }
  /** `keepsTracks`: until an inspection has other ones. */
  | { readonly type: 'redo'; readonly admission: Admission; readonly keepsTracks?: boolean }
  /** `most`: the account's present limit of frames, if there is one. */
  | { readonly type: 'resubmit'; readonly acceptable: boolean; readonly most?: number | undefined }
  /** `acceptable`: false if the demo URL is no longer accepted; the job then fails. */
  | (ClaimingHost & { readonly type: 'claim'; readonly acceptable?: boolean | undefined })
  | HostReport
  | { readonly type: 'lease-expired' }
  | { readonly type: 'retry-due' }
  | { readonly type: 'run-overdue' }
  | { readonly type: 'cancel'; readonly by: 'account' | 'operator' }
  /** No host can play the demo: all builds of the game have refused it, or no host with the game can take the job. */
  | { readonly type: 'no-host-left' }
  /** The account has forbidden the radar since the submit. */
  | { readonly type: 'game-only' }
  | { readonly type: 'secret-overdue' }
  | { readonly type: 'save' }
  | { readonly type: 'unsave' }
  | { readonly type: 'delete-clip' }
  /** The ticks of the clip were cut out of the tracks of its demo. `run`: the one whose request was read. */
  | { readonly type: 'tracks-cut'; readonly run: number; readonly tracks: StoredFile }
  /** The inspection expires, and its replay with it. */
  | { readonly type: 'forget-tracks' }
  /** The operator removes the clip or the replay for good, and ends an unfinished run. */
  | { readonly type: 'take-down'; readonly reason: string }
  /** The account has changed how its clips are shown. */
  | { readonly type: 'republish' }
  | { readonly type: 'expire-clip'; readonly renderedBefore: number }
  /** Deletes the request if the job finished before this time, as the operator's retention requires. */
  | { readonly type: 'forget-request'; readonly finishedBefore: number }
  | { readonly type: 'erase' }
  /** Sends the last outcome again. `hasPost`: and a post that was given up. */
  | { readonly type: 'resend'; readonly hasPost?: boolean }
  /** The last webhook starts or stops failing: the index row changes. */
  | { readonly type: 'trouble-changed' }
  /** The object was evicted and starts again. `alarmAt`: its alarm, in milliseconds since the epoch. */
  | { readonly type: 'resumed'; readonly alarmAt: number | null }
  /**
   * The object was restored to an earlier time, or the index was. `version`, `fence`, `run`: the last values that other
   * parts have seen.
   */
  | { readonly type: 'recovered'; readonly version: number; readonly fence: number; readonly run?: number };

/**
 * The effects of a change. The first kinds are part of its transaction. The others are calls to other parts, repeated
 * until they succeed (outbox.ts).
 */
export type Effect =
  /** A re-run does not cancel the post of a rule's run. */
  | { readonly type: 'cancel-webhooks'; readonly posts?: boolean }
  | { readonly type: 'announce' }
  /** Deletes all webhooks and attempts of the job. */
  | { readonly type: 'forget-history' }
  | OutsideEffect;

export function outside(effects: readonly Effect[]): OutsideEffect[] {
  return effects.filter(
    (effect) => effect.type !== 'cancel-webhooks' && effect.type !== 'announce' && effect.type !== 'forget-history',
  );
}

export interface StateChange {
  readonly ok: true;
  readonly job: Job;
  readonly effects: readonly Effect[];
}

export type Transition = StateChange | Refused;

/** The inputs of the machine: the time, the configured waits, a random number in [0, 1). */
export interface TransitionContext {
  readonly now: number;
  readonly schedule: Schedule;
  readonly jitter: number;
  /** Every new lease gets a higher fence than this. */
  readonly fenceFloor?: number | undefined;
}

export const PROJECT: Effect = { type: 'project' };

/** Like `PROJECT`, for a change that viewers see. */
export const PUBLISH: Effect = { type: 'project', isPublic: true };

/** Removes the job from the queue without an end for its host. */
export const SETTLE: Effect = { type: 'settle' };

export function unchanged(job: Job): StateChange {
  return { ok: true, job, effects: [] };
}

/** Changes fields of a job that does not change its status. */
export function change(job: Job, changes: Partial<JobBase>, effects: readonly Effect[]): StateChange {
  return { ok: true, job: { ...job, ...changes, version: job.version + 1 }, effects };
}

/** Gives a job a status with its fields. Drops the fields of the status before. */
export function move(
  job: Job,
  fields: StatusFields,
  changes: Partial<JobBase>,
  effects: readonly Effect[],
): StateChange {
  return { ok: true, job: { ...baseOf(job), ...changes, ...fields, version: job.version + 1 }, effects };
}
