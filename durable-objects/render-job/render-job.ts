import type { RenderResult } from '#domain/clip.ts';
import type { ErrorCode } from '#domain/error-codes.ts';
import { fieldsOf, isFinished, leaseOf, type Upload, type WorkStage } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { hasSkills } from '#domain/need.ts';
import { ONE_SHARD } from '#domain/outbox.ts';
import { DONE, type Result, refuse, refusedWith, value } from '#domain/result.ts';
import { type ClipDetail, type ClipInclude, clipDetail } from '#protocol/clip-view.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';
import { type Demo, demoOf, type HostInspection } from '#protocol/demos.ts';
import type { JobDetail, JobInclude } from '#protocol/job-detail.ts';
import type { Resend, ResendRefusal } from './deliveries.ts';
import type { EventDetails, Report } from './engine-world.ts';
import type { JobGlance } from './glance.ts';
import { inspect, withFound } from './inspection.ts';
import { JobObject } from './job-object.ts';
import type { JobStory } from './job-story.ts';
import { grantedLease, holdsLease, leasedBy, underLease, uploadedKey, watermarkKey } from './leased.ts';
import { isOfKind, type StoredJob } from './stored-job.ts';
import {
  type ClipRequest,
  type InspectionRequest,
  isAcceptable,
  isTooLong,
  type StoredRequest,
  skillsFor,
} from './stored-request.ts';
import { submitTo } from './submission.ts';
import type {
  Added,
  Changed,
  Claimed,
  ClipChange,
  Completed,
  Followed,
  Inspected,
  InspectionAsked,
  InspectionRefusal,
  Leased,
  Phase,
  ResubmitRefusal,
  Submission,
  SubmitOutcome,
  Told,
} from './words.ts';

/**
 * One job, the owner of its state and of its clip's (contract 3). Every method that names an account refuses with
 * `not_found` when the job is not that account's, exactly as when there is no job.
 */
export class RenderJob extends JobObject {
  /** Queues a new job, replays an existing one, or redoes a finished one in place (contract 4.1, Idempotency). */
  submit(submission: Submission): SubmitOutcome | Promise<SubmitOutcome> {
    return submitTo(this.engine, submission, this.settings);
  }

  /** Has a demo looked into. */
  inspectDemo(asked: InspectionAsked): Result<Inspected, InspectionRefusal> {
    return inspect(this.engine, asked, this.settings);
  }

  readDemo(accountId: string): Result<Demo, 'not_found'> {
    const stored = this.#owned(accountId, 'inspection');
    return stored ? value(demoOf(stored.job, stored.request, this.settings.demoTtl)) : refuse('not_found');
  }

  /** Who hears that a job is done can watch its clip. */
  async read(accountId: string, include: readonly JobInclude[] = []): Promise<Result<JobDetail, 'not_found'>> {
    if (this.engine.stored?.job.status === 'done') await this.engine.shown();
    const stored = this.#owned(accountId);
    return stored ? value(await this.followers.read(stored, include)) : refuse('not_found');
  }

  /**
   * Runs a job again. `isFull`: the account has reached its limit of unfinished jobs. `most`: the account's present
   * limit of frames; without it, the limit at the submit stays.
   */
  resubmit(
    accountId: string,
    { requestId, isFull, most }: { requestId?: string; isFull?: boolean; most?: number } = {},
  ): Result<Added, ResubmitRefusal> {
    const stored = this.#owned(accountId);
    if (!stored) return refuse('not_found');
    if (stored.request.forgotten) return refuse('request_forgotten');
    const added = isFinished(stored.job.status) ? 'run' : null;
    if (isFull && added) return refuse('no_room');
    const acceptable = isAcceptable(stored.request, this.settings);
    const result = this.engine.apply({ type: 'resubmit', acceptable, most }, { requestId });
    return result.ok ? value(added) : refusedWith(result, 'job_in_flight', 'too_many_reruns');
  }

  /** Ends the job where it has not finished. Without an account it is the operator who asks. */
  cancel(accountId: string | null, requestId?: string): Result<null, 'not_found' | 'job_finished'> {
    if (!(accountId === null ? this.engine.stored : this.#owned(accountId))) return refuse('not_found');
    const by = accountId === null ? 'operator' : 'account';
    const result = this.engine.apply({ type: 'cancel', by }, { requestId });
    return result.ok ? DONE : refusedWith(result, 'job_finished');
  }

  resendWebhook(accountId: string): Result<Resend, ResendRefusal> {
    return this.#owned(accountId) ? this.engine.resend() : refuse('not_found');
  }

  /** The latest webhooks of the job with their attempts, oldest first. */
  deliveries(accountId: string): Result<DeliveryRecord[], 'not_found'> {
    return this.#owned(accountId) ? value(this.engine.listDeliveries()) : refuse('not_found');
  }

  /** The job's notices as server-sent events, until it has finished; null for a client that knows the last one. */
  async watch(accountId: string, include: readonly JobInclude[] = [], lastEventId?: string | null): Promise<Followed> {
    return this.#owned(accountId) ? this.followers.watch(include, lastEventId ?? null) : refuse('not_found');
  }

  readClip(accountId: string, clipId: string, include: readonly ClipInclude[] = []): Result<ClipDetail, 'not_found'> {
    const job = this.#owned(accountId)?.job;
    if (!job?.clip || job.clipId !== clipId) return refuse('not_found');
    return value(clipDetail(clipId, job.id, job.clip, include, this.settings));
  }

  /** Keeps, stops keeping or deletes the clip (contract 4.6, 4.7). Who then looks, sees it deleted. */
  async changeClip(accountId: string, clipId: string, change: ClipChange, requestId?: string): Promise<Changed> {
    if (this.#owned(accountId)?.job.clipId !== clipId) return refuse('not_found');
    if (!this.engine.apply({ type: change }, { requestId }).ok) return refuse('not_found');
    await this.engine.shown();
    return DONE;
  }

  /**
   * Grants a lease, unless the job waits for none: not for a dispatcher that the lease of another does not name, nor to
   * a host without the `skills` that the job takes.
   */
  async claim(
    hostId: string,
    requestId?: string,
    isSent = false,
    shards?: readonly number[],
    skills: readonly string[] = [],
    hostName?: string,
  ): Promise<Claimed> {
    const needed = this.engine.stored && skillsFor(this.engine.stored.request, this.settings);
    if (needed && !hasSkills(skills, needed)) return refuse('not_queued');
    const result = this.engine.apply({ type: 'claim', hostId, hostName, isSent, shards }, { requestId });
    const stored = this.engine.stored;
    const lease = stored && leaseOf(stored.job);
    if (!lease) return refuse('not_queued');
    const isKnown = (lease.shards ?? ONE_SHARD).includes(shards?.at(-1) ?? 0);
    if (!result.ok) return refuse(isKnown ? 'leased' : 'not_queued');
    return value(await grantedLease(stored, lease.fence, this.settings));
  }

  /** Where the host's files go, as long as it holds the lease, or once it has completed the job under it. */
  leased(hostId: string, fence: number): Result<Leased, 'stale_lease'> {
    return leasedBy(this.engine.stored, hostId, fence);
  }

  /** Where the image lies that the order wants as a watermark, null where it wants none. */
  watermark(hostId: string, fence: number): Result<string | null, 'stale_lease'> {
    return underLease(this.engine.stored, hostId, fence, watermarkKey);
  }

  /** Where the demo lies that the order names, if its account uploaded it; null for one that lies elsewhere. */
  demo(hostId: string, fence: number): Result<string | null, 'stale_lease'> {
    return underLease(this.engine.stored, hostId, fence, (stored) => uploadedKey(stored, this.settings));
  }

  heartbeat(hostId: string, fence: number, phase: Phase, progress: number, stage?: WorkStage): Report {
    if (!holdsLease(this.engine.stored, hostId, fence)) return refuse('stale_lease');
    this.followers.heard = { fence, progress, stage: stage ?? null, at: Date.now() };
    const before = this.engine.stored?.job;
    this.engine.apply({ type: 'heartbeat', fence, phase });
    // A change tells the watchers by itself.
    if (before && this.engine.stored?.job === before) this.followers.tell(before);
    return DONE;
  }

  /** What the operator sees of it; null where there is no such job. */
  glance(): JobGlance | null {
    return this.engine.stored && this.followers.glance(this.engine.stored.job);
  }

  /** All that the operator may want to know of it; null where there is no such job. */
  story(): JobStory | null {
    const { stored } = this.engine;
    return stored && this.followers.story(stored, this.engine.listDeliveries());
  }

  /** Remembers an upload that the host began, so that it ends with the lease. */
  uploadBegun(hostId: string, fence: number, upload: Upload): Report {
    return this.#report(hostId, { type: 'upload-begun', fence, upload });
  }

  async complete(hostId: string, fence: number, result: RenderResult, requestId?: string): Promise<Completed> {
    if (isTooLong(this.engine.stored?.request, result.durationSeconds)) return refuse('too_long');
    const report = this.#report(hostId, { type: 'complete', fence, result }, { requestId });
    await this.engine.shown();
    return report;
  }

  /** What a host has read of the demo that it was to look into. */
  inspected(hostId: string, fence: number, found: HostInspection, requestId?: string): Report {
    const request = withFound(this.engine.stored?.request, found);
    return request ? this.#report(hostId, { type: 'inspected', fence }, { requestId, request }) : refuse('stale_lease');
  }

  fail(hostId: string, fence: number, code: ErrorCode, detail: string, ...[requestId, build, told]: Told): Report {
    const { log, ...failure } = told ?? {};
    return this.#report(
      hostId,
      { type: 'fail', fence, code, detail, refusedBuild: build, ...failure },
      { requestId, log },
    );
  }

  /** `not-taken`: a grant that its host was sent; refused where the host is at work all the same. */
  release(hostId: string, fence: number, requestId?: string, type: 'release' | 'not-taken' = 'release'): Report {
    return this.#report(hostId, { type, fence }, { requestId });
  }

  #report(hostId: string, event: JobEvent, details: EventDetails = {}): Report {
    const job = this.engine.stored?.job;
    // Without a lease there is one thing left to say: that the job is done, by the host that did it.
    const { lease, renderedBy } = job ? fieldsOf(job) : {};
    if (!job || (lease?.hostId ?? renderedBy) !== hostId) return refuse('stale_lease');
    const result = this.engine.apply(event, details);
    return result.ok ? DONE : refusedWith(result, 'stale_lease', 'too_many_uploads');
  }

  /** An inspection is no job to its account. */
  #owned(accountId: string): StoredJob<ClipRequest> | null;
  #owned(accountId: string, kind: 'inspection'): StoredJob<InspectionRequest> | null;
  #owned(accountId: string, kind: StoredRequest['kind'] = 'clip'): StoredJob | null {
    const stored = this.engine.stored;
    return stored && isOfKind(stored, kind) && stored.job.accountId === accountId ? stored : null;
  }
}
