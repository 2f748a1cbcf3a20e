import type { AttemptFailure } from '#domain/job-event.ts';
import type { Renderer } from '#domain/need.ts';
import type { HostOrder } from '#domain/render-order.ts';
import type { Result } from '#domain/result.ts';
import type { Demo } from '#protocol/demos.ts';
import type { ValidRequest } from '#protocol/submit.ts';

/** A submit as the job's object takes it. */
export interface Submission {
  readonly jobId: string;
  readonly accountId: string;
  readonly clipId: string;
  readonly database: string;
  readonly priority: boolean;
  readonly request: ValidRequest;
  readonly requestId?: string;
  /** What the account asks of hosts, and how many frames its clip may have where that is not the deployment's limit. */
  readonly asks?: { readonly renderer: Renderer | null; readonly labels: readonly string[]; readonly frames?: number };
  /** What the account may not add: new jobs (`jobs`), or also further runs of its jobs (`runs`). */
  readonly full?: 'jobs' | 'runs' | undefined;
}

/** A demo to look into, as the object of its inspection takes it. */
export interface InspectionAsked
  extends Pick<Submission, 'jobId' | 'accountId' | 'clipId' | 'requestId' | 'database' | 'full'> {
  readonly demoUrl: string;
  /** What the account asks of hosts; any renderer can read. */
  readonly labels: readonly string[];
}

/**
 * `created` is a 201; the next three matched an existing job. `differs`: a replay whose request is another one. The
 * last two changed nothing.
 */
export type SubmitOutcome = 'created' | 'replayed' | 'differs' | 'redone' | 'no_room' | 'too_many_reruns';

/** What a call adds to the counts of an account: a job, or another run of one; null for neither. */
export type Added = 'job' | 'run' | null;

export interface Inspected {
  readonly demo: Demo;
  readonly added: Added;
}

/** Why a job is not run again. */
export type ResubmitRefusal = 'not_found' | 'job_in_flight' | 'request_forgotten' | 'no_room' | 'too_many_reruns';
/** Why a demo is not looked into. */
export type InspectionRefusal = Extract<ResubmitRefusal, 'no_room' | 'too_many_reruns'>;

export interface GrantedLease {
  readonly fence: number;
  readonly order: HostOrder;
  /** Names the demo for hosts that keep demos. */
  readonly demoKey: string;
  /** Names the account to hosts. */
  readonly accountKey: string;
  /** The most that the clip may have. */
  readonly mostFrames?: number;
}

/** Of an object that is to begin anew as it was. */
export interface Recovery {
  /** A bookmark of the state before. */
  readonly undo: string;
  /** The last ones that others may have heard of. */
  readonly version: number;
  readonly fence: number;
}

export type Claimed = Result<GrantedLease, 'not_queued' | 'leased'>;

/** What a host's upload needs to know. `isDone`: the host has completed the job, and may say so again. */
export interface Leased {
  readonly clipId: string;
  readonly isDone: boolean;
}

export type Completed = Result<null, 'stale_lease' | 'too_many_uploads' | 'too_long'>;

export type ClipChange = 'save' | 'unsave' | 'delete-clip';

export type Changed = Result<null, 'not_found'>;
export type Phase = 'prefetch' | 'render';
/** More of a failure. `log`: the end of what the host wrote of it. */
type HostWords = Pick<AttemptFailure, 'facts' | 'stage'> & { readonly log?: string | undefined };
export type Told = [requestId?: string, build?: string, told?: HostWords];
export type Followed = Result<ReadableStream<Uint8Array> | null, 'not_found' | 'too_many_followers'>;
