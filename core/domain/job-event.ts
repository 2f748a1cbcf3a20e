import type { RenderResult } from './clip.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Facts } from './failure.ts';
import {
  baseOf,
  type Job,
  type JobBase,
  type MultipartUpload,
  type StatusFields,
  type WebhookTarget,
  type Work,
  type WorkStage,
} from './job.ts';
import type { Renderer } from './need.ts';
import type { OutsideEffect } from './outbox.ts';
import type { Refused } from './result.ts';
import type { Schedule } from './schedule.ts';

/** The parts of a request that the machine acts on. */
export interface Admission {
  readonly priority: boolean;
  readonly webhook: WebhookTarget | null;
  readonly work: Work;
  readonly renderer: Renderer | null;
  readonly labels: readonly string[];
  /** False when the demo URL is on no accepted domain: the job fails at once, without a host. */
  readonly acceptable: boolean;
}

/** Why an attempt failed. */
export interface AttemptFailure {
  readonly code: ErrorCode;
  /** For operators. */
  readonly detail: string;
  /** What its client can act on. */
  readonly facts?: Facts | undefined;
  /** What the host was doing. */
  readonly stage?: WorkStage | undefined;
  /** The build of the game that refused the demo: another may play it. */
  readonly refusedBuild?: string | undefined;
  /** No host has reported it: its lease has ended. */
  readonly isExpired?: boolean | undefined;
}

/** What a job is called, and where it is indexed unless that is the first database. */
export type JobIdentity = Pick<Job, 'id' | 'accountId' | 'clipId'> & Partial<Pick<Job, 'database'>>;

/** What a host reports. `fence` names the lease under which it does. */
export type HostReport = { readonly fence: number } & (
  | { readonly type: 'heartbeat'; readonly phase: 'prefetch' | 'render' }
  | { readonly type: 'upload-begun'; readonly upload: MultipartUpload }
  | { readonly type: 'complete'; readonly result: RenderResult }
  /** Of an inspection: what the host has read goes beside it. */
  | { readonly type: 'inspected' }
  | ({ readonly type: 'fail' } & AttemptFailure)
  | { readonly type: 'release' }
  /** The host that was sent the grant has not said that it takes it. */
  | { readonly type: 'not-taken' }
);

/** What happens to a job. */
export type JobEvent =
  | { readonly type: 'submit'; readonly identity: JobIdentity; readonly admission: Admission }
  | { readonly type: 'redo'; readonly admission: Admission }
  /** `most`: the account's present limit of frames, if known. */
  | { readonly type: 'resubmit'; readonly acceptable: boolean; readonly most?: number | undefined }
  /** `isSent`: the host has not asked for it, and is called. `shards`: the dispatchers that know of it (`Lease`). */
  | {
      readonly type: 'claim';
      readonly hostId: string;
      readonly hostName?: string | undefined;
      readonly isSent?: boolean;
      readonly shards?: readonly number[] | undefined;
    }
  | HostReport
  | { readonly type: 'lease-expired' }
  | { readonly type: 'retry-due' }
  | { readonly type: 'run-overdue' }
  | { readonly type: 'cancel'; readonly by: 'account' | 'operator' }
  /** No host is known that has a build which has not refused the job's demo. */
  | { readonly type: 'no-build-left' }
  | { readonly type: 'secret-overdue' }
  | { readonly type: 'save' }
  | { readonly type: 'unsave' }
  | { readonly type: 'delete-clip' }
  /** The account has its clips shown otherwise from now on. */
  | { readonly type: 'republish' }
  | { readonly type: 'expire-clip'; readonly renderedBefore: number }
  /** The operator keeps what was asked no longer than that. */
  | { readonly type: 'forget-request'; readonly finishedBefore: number }
  | { readonly type: 'erase' }
  /** The client asks for the last outcome to be sent again. */
  | { readonly type: 'resend' }
  /** The last webhook fails, or no longer fails: the index has to change. */
  | { readonly type: 'trouble-changed' }
  /** The object was evicted. `alarmAt`: the alarm that is set, in milliseconds since the epoch. */
  | { readonly type: 'resumed'; readonly alarmAt: number | null }
  /** The object was taken back to a time before. `version`, `fence`: the last that others have heard of. */
  | { readonly type: 'recovered'; readonly version: number; readonly fence: number };

/**
 * What must follow a change. The first kinds touch what commits together with the job; the others reach outside and are
 * repeated until they are done (outbox.ts).
 */
export type Effect =
  | { readonly type: 'cancel-webhooks' }
  | { readonly type: 'announce' }
  /** No webhook that was ever made is kept, and no attempt. */
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

/** What the machine is told of the world: the time, the configured waits, a random number in [0, 1). */
export interface TransitionContext {
  readonly now: number;
  readonly schedule: Schedule;
  readonly jitter: number;
  /** Every lease gets a higher fence than this. */
  readonly fenceFloor?: number | undefined;
}

export const PROJECT: Effect = { type: 'project' };

/** The same, of a change that viewers see. */
export const PUBLISH: Effect = { type: 'project', isPublic: true };

export function unchanged(job: Job): StateChange {
  return { ok: true, job, effects: [] };
}

/** Changes fields of a job that does not change its status. */
export function change(job: Job, changes: Partial<JobBase>, effects: readonly Effect[]): StateChange {
  return { ok: true, job: { ...job, ...changes, version: job.version + 1 }, effects };
}

/** Gives a job a status with its fields. Those of the status before are gone. */
export function move(
  job: Job,
  fields: StatusFields,
  changes: Partial<JobBase>,
  effects: readonly Effect[],
): StateChange {
  return { ok: true, job: { ...baseOf(job), ...changes, ...fields, version: job.version + 1 }, effects };
}
