import type { RenderResult, StoredFile } from '#domain/clip/clip.ts';
import type { AssetOptions, AssetUse, HostOrder, RenderOrder } from '#domain/clip/render-order.ts';
import type { Renderer } from '#domain/host/need.ts';
import type { AttemptFailure, ClaimingHost } from '#domain/job/event.ts';
import type { Job, JobStatus, KeptAttempt, MultipartUpload, WorkStage } from '#domain/job/job.ts';
import type { RefusalReason, Result } from '#domain/job/result.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import type { AccountLimits } from '#domain/operate/limits.ts';
import type { ClipDetail, ClipInclude } from '#protocol/clip/clip-view.ts';
import type { ValidRequest } from '#protocol/clip/submit.ts';
import type { Demo, DemoMatch, HostInspection } from '#protocol/demo/demos.ts';
import type { DeliveryRecord } from '#protocol/job/delivery-view.ts';
import type { JobDetail, JobInclude, QueuePlace } from '#protocol/job/job-detail.ts';
import type { KeptRequest } from '#protocol/job/job-view.ts';

/** The calls that the object of a job answers. It owns the state of the job and of its clip (contract 3). */
export interface RenderJobRpc extends AccountCalls, HostCalls, ServiceCalls {}

/** The calls of the API. A job of another account is `not_found`, like one that does not exist. */
export interface AccountCalls {
  /** Queues a new job, replays an existing one, or redoes a finished one in place (contract 4.1, Idempotency). */
  submit(submission: Submission): SubmitOutcome | Promise<SubmitOutcome>;
  /**
   * Queues an inspection of a demo, or queues a failed one again; the index has it when this returns. Returns any other
   * as it is.
   */
  inspectDemo(submission: InspectionSubmission): Promise<Result<Inspected, InspectionRefusal>>;
  readDemo(accountId: string): Result<Demo, 'not_found'>;
  /** Returns what a job, or an inspection, has for its replay, and what is to be cut for it. */
  readReplay(accountId: string): Result<ReplayParts, 'not_found'>;
  /** Adds the ticks of the clip. Refused if the job has changed. Viewers see the replay when this returns. */
  addTracks(
    accountId: string,
    cut: { readonly run: number; readonly tracks: StoredFile },
  ): Promise<Result<null, 'not_found' | 'job_changed'>>;
  /** Returns the job. If it is done, its clip is already public. */
  read(accountId: string, include?: readonly JobInclude[]): Promise<Result<JobDetail, 'not_found'>>;
  /** Runs a job again. */
  resubmit(accountId: string, options?: Resubmission): Result<Added, ResubmitRefusal>;
  /** Ends the job if it has not finished. An `accountId` of null: for the operator. */
  cancel(accountId: string | null, requestId?: string): Result<null, 'not_found' | 'job_finished'>;
  /** Sends the last outcome again as a new delivery. */
  resendWebhook(accountId: string): Result<Resend, ResendRefusal>;
  /** Returns the latest webhooks of the job with their attempts, oldest first. */
  deliveries(accountId: string): Result<DeliveryRecord[], 'not_found'>;
  /** Streams the job's notices as server-sent events until it has finished; null if the client has the last one. */
  watch(
    accountId: string,
    include?: readonly JobInclude[],
    lastEventId?: string | null,
  ): Promise<Result<ReadableStream<Uint8Array> | null, 'not_found' | 'too_many_followers'>>;
  readClip(accountId: string, clipId: string, include?: readonly ClipInclude[]): Result<ClipDetail, 'not_found'>;
  /** Saves, unsaves or deletes the clip (contract 4.6, 4.7). Viewers see the change when this returns. */
  changeClip(accountId: string, change: ClipChange): Promise<Result<null, 'not_found'>>;
}

/** The calls of render hosts. All but `claim` are refused with `stale_lease` if the host does not hold the lease. */
export interface HostCalls {
  /** Grants a lease. Refused if the job does not wait for a host, or the host lacks a skill that it needs. */
  claim(claim: Claim): Promise<Result<GrantedLease, 'not_queued' | 'leased'>>;
  /** Returns what the host may reach in storage, also after it has completed the job under this lease. */
  leased(holder: LeaseHolder): Result<Leased, 'stale_lease'>;
  /** Extends the lease. */
  heartbeat(heartbeat: Heartbeat): Report;
  /** Stores an upload that the host created. It is aborted when the lease ends. */
  uploadBegun(begun: LeaseHolder & { readonly upload: MultipartUpload }): Report;
  /** Ends the job with a clip. */
  complete(
    completed: LeaseHolder & { readonly result: RenderResult },
  ): Promise<Result<null, 'stale_lease' | 'too_many_uploads' | 'too_long' | 'names_shown'>>;
  /** Ends an inspection with what the host has found in the demo. */
  inspected(
    inspected: LeaseHolder & { readonly found: HostInspection; readonly tracks?: StoredFile | undefined },
  ): Promise<Report>;
  /** Ends an attempt that failed. `log`: the end of the host's log. */
  fail(failed: LeaseHolder & Omit<AttemptFailure, 'isExpired'> & { readonly log?: string | undefined }): Report;
  /** Returns the job to the queue. `isRefused`: a push host has refused the grant; ignored if it works on the job. */
  release(released: LeaseHolder & { readonly isRefused?: boolean }): Report;
}

/** The calls of upkeep and operators. */
export interface ServiceCalls {
  /** Does overdue work. Returns when the cron should call again; null if nothing is pending. */
  runOverdue(): Promise<number | null>;
  /** Deletes the clip if it was rendered before the given time and is not saved. */
  expireClip(renderedBefore: number): void;
  /** Deletes the object of an inspection that ended before the given time. Returns false if it did not. */
  forgetDemo(finishedBefore: number): Promise<boolean>;
  /**
   * Deletes the request, webhooks and attempts of a job that ended before the given time and has no clip. Returns false
   * if the caller has to ask again.
   */
  forgetRequest(finishedBefore: number): Promise<boolean>;
  /**
   * Deletes the job to make room for other jobs of its account. Returns false if it is kept: some of its work is not
   * done yet, or it has run again since.
   */
  deleteIfSpare(accountId: string): Promise<boolean>;
  /**
   * Deletes the job and everything it has stored, except its rows in the index. Viewers still see that the clip was
   * deleted. Returns false while something is left: the caller has to ask again. It works also if its state cannot be
   * read.
   */
  erase(row: Pick<Job, 'id' | 'accountId' | 'clipId'>): Promise<boolean>;
  /** Writes the job's rows of the index and its public record, if they differ from the job. */
  reindex(): Promise<'empty' | 'current' | 'indexed'>;
  /**
   * Restores the object to a time (milliseconds since the epoch) or a bookmark at its next start. Works also if its
   * state cannot be read.
   */
  recover(target: number | string): Promise<Result<Recovery, 'not_implemented'>>;
  /** Restarts the object. The caller's connection breaks. */
  restart(): void;
  /** Writes index and public record of a restored job. `seen`: the last values before the restore. */
  recovered(seen: Omit<Recovery, 'undo' | 'run'> & Partial<Pick<Recovery, 'run'>>): Promise<JobStatus | null>;
  /** Takes the clip down for the operator. Viewers see the change when this returns. Resolves to the account's id. */
  takeDown(removed: {
    readonly clipId: string;
    readonly reason: string;
    readonly requestId?: string;
  }): Promise<Result<string, 'not_found'>>;
  /** Writes the public record again, because the account has changed how its clips are shown. */
  republish(): void;
  /** Sends the post of its rule's run, once. `postTo`: the masked address. */
  post(post: { readonly run: string; readonly postTo: string }): void;
  /** Whether the file belongs to a lease that is held, or to the clip. Any other file may be deleted. */
  ownsFile(key: string): boolean;
  /**
   * Runs a finished job again for the operator. Resolves to null, and changes nothing, if no attempt of its last run
   * was by that host and build.
   */
  retry(asked: Retry): Result<Retried | null, RefusalReason>;
  /** Returns how far the job is; null if there is no such job. */
  activity(): JobActivity | null;
  /** Returns everything that operators may see of the job; null if there is no such job. */
  story(): Promise<JobStory | null>;
}

/** Limits of an account for one job. `frames`: of its clip; `fallback`: minutes. */
type AskedLimits = Pick<AccountLimits, 'frames' | 'fallback'>;

/** Demos that the operator has blocked now, as in `AddressPolicy`. */
type Blocking = Pick<AddressPolicy, 'blocked'>;

/** A submit as the job's object receives it. */
export interface Submission extends Blocking {
  readonly jobId: string;
  readonly accountId: string;
  readonly clipId: string;
  readonly priority: boolean;
  readonly request: ValidRequest;
  readonly requestId?: string;
  /** What the account requires of hosts, and those of its limits that differ from the deployment's. */
  readonly asks: { readonly renderer: Renderer; readonly labels: readonly string[] } & AskedLimits;
  /** The limit that the account has reached. */
  readonly full?: FullOf | undefined;
  readonly rule?: RuleOfJob | undefined;
  /** Whether the caller has a test key. */
  readonly isTest?: boolean | undefined;
  /** The version of the public record that a deleted job of the same id has left; 0 without one. */
  readonly version?: number | undefined;
}

export interface Resubmission extends Blocking {
  readonly requestId?: string;
  /** Whether the account has reached its limit of unfinished jobs. */
  readonly isFull?: boolean;
  /** The account's present limit of frames; without it, the limit at the submit stays. */
  readonly most?: number | undefined;
}

/** The rule that made a job, and its run. */
export interface RuleOfJob {
  readonly id: string;
  readonly run: string;
}

export interface InspectionSubmission
  extends Pick<Submission, 'jobId' | 'accountId' | 'clipId' | 'requestId' | 'full' | 'blocked' | 'isTest'> {
  readonly demoUrl: string;
  /** Whether the host also writes the tracks of a replay. */
  readonly replay?: boolean | undefined;
  /** The version of the public record that a forgotten inspection of the demo has left; 0 without one. */
  readonly version: number;
  /** The labels that the account requires of hosts; any renderer can read a demo. */
  readonly labels: readonly string[];
}

/** What a job has for its replay. */
export interface ReplayParts extends Pick<Job, 'id' | 'clipId' | 'run'> {
  readonly tracks: StoredFile | null;
  readonly demoUrl: string;
  /** What an inspection has found. */
  readonly match: DemoMatch | null;
  /** The clip whose ticks may be cut out of the tracks of its demo; null if the job has tracks, or may have none. */
  readonly cut: (AssetOptions & Pick<RenderOrder, 'selection' | 'names'>) | null;
}

/**
 * `created` is a 201; the next three matched an existing job. `differs`: a replay with a different request. The last
 * two changed nothing.
 */
export type SubmitOutcome = 'created' | 'replayed' | 'differs' | 'redone' | 'limit_reached' | 'too_many_reruns';

/** What a call adds to the counts of an account: a job, or another run; null for neither. */
export type Added = 'job' | 'run' | null;

/**
 * What an account at a limit may not do; each includes the one before. `jobs`: make a new job. `requests`: store a
 * request, also by `force`. `runs`: run a job again.
 */
export type FullOf = 'jobs' | 'requests' | 'runs';

export interface Inspected {
  readonly demo: Demo;
  readonly added: Added;
}

export interface Retry extends Blocking {
  readonly accountId: string;
  /** The outcome that the operator has seen: a job with another one is refused. */
  readonly status: 'done' | 'error';
  readonly finishedAt?: number | undefined;
  readonly hostId?: string | undefined;
  readonly gameBuild?: string | undefined;
  /** Changes nothing, and answers as if it did. */
  readonly isDryRun: boolean;
  readonly requestId: string;
}

export interface Retried {
  /** Whether the new outcome sends a webhook. */
  readonly hasWebhook: boolean;
  /** Seconds of the clip, by its last run or its request; null if they depend on the demo. */
  readonly seconds: number | null;
}

/** Why a job is not run again. */
export type ResubmitRefusal = 'not_found' | 'job_in_flight' | 'request_forgotten' | 'limit_reached' | 'too_many_reruns';
/** Why a demo is not inspected. */
export type InspectionRefusal = Extract<ResubmitRefusal, 'limit_reached' | 'too_many_reruns'>;
/** Why an outcome is not sent again. */
export type ResendRefusal = 'not_found' | 'job_in_flight' | 'no_webhook' | 'too_many_deliveries' | 'too_many_resends';

export interface Resend {
  readonly deliveryId: string;
  /** How often the account may resend it within this hour. */
  readonly remaining: number;
}

export interface ClipChange {
  readonly clipId: string;
  readonly change: 'save' | 'unsave' | 'delete-clip';
  readonly requestId?: string;
}

export interface Claim extends Blocking, ClaimingHost {
  readonly requestId?: string;
  readonly skills?: readonly string[] | undefined;
}

export interface GrantedLease {
  readonly fence: number;
  readonly order: HostOrder;
  /** Names the demo for hosts that keep demos. */
  readonly demoKey: string;
  /** Names the account to hosts. */
  readonly accountKey: string;
  /** The most frames that the clip may have. */
  readonly mostFrames?: number;
  /** Whether an inspection also uploads the tracks of a replay. */
  readonly wantsTracks?: boolean;
}

/** Names a lease and its host. `requestId` is for the log. */
export interface LeaseHolder {
  readonly hostId: string;
  readonly fence: number;
  readonly requestId?: string;
}

export interface Heartbeat extends LeaseHolder {
  readonly phase: 'prefetch' | 'render';
  /** 0 to 1. */
  readonly progress: number;
  readonly stage?: WorkStage | undefined;
}

/** Whether what a host reported still counts. */
export type Report = Result<null, 'stale_lease' | 'too_many_uploads'>;

export interface Leased {
  readonly clipId: string;
  /** The host has completed the job, and may report that again. */
  readonly isDone: boolean;
  /** The storage key of each asset that the order names. */
  readonly assetKeys: { readonly [use in AssetUse]?: string };
  readonly demoUrl: string;
  /** The upload that the demo is. */
  readonly upload: { readonly accountId: string; readonly id: string } | null;
}

/** The state of a job before it was restored. */
export interface Recovery {
  /** A bookmark of that state. */
  readonly undo: string;
  /** The last values that other parts may have seen; 0 if the state could not be read. */
  readonly version: number;
  readonly fence: number;
  readonly run: number;
}

/** How far a job is. */
export interface JobActivity {
  readonly status: JobStatus;
  /** 0 to 1; null if the host has reported none since the object is in memory. */
  readonly progress: number | null;
  /** The step of its host; null if the host has reported none. */
  readonly stage: WorkStage | null;
  /** The earliest time of the host's last call, in milliseconds since the epoch; null if no host has the job. */
  readonly heardAt: number | null;
}

/** All of a job that its operator may see. Its `webhook` is null, because the header is a secret. */
export interface JobStory {
  readonly job: Job;
  readonly request: KeptRequest;
  readonly progress: number | null;
  /** Why the job waits; null if it does not. */
  readonly queue: QueuePlace | null;
  readonly attempts: readonly KeptAttempt[];
  readonly deliveries: readonly DeliveryRecord[];
}
