import { DurableObject } from 'cloudflare:workers';
import type { Clip, RenderResult } from '../../domain/clip.ts';
import type { ErrorCode } from '../../domain/error-codes.ts';
import { HOME } from '../../domain/home-database.ts';
import { isFinished, type Job, type Upload } from '../../domain/job.ts';
import type { JobEvent } from '../../domain/job-event.ts';
import { ONE_SHARD } from '../../domain/outbox.ts';
import type { PublicRecord } from '../../domain/public-record.ts';
import { longestClip } from '../../domain/render-order.ts';
import { DONE, type Result, refuse, value } from '../../domain/result.ts';
import { assetKey, ownsFile } from '../../domain/storage-keys.ts';
import { createLog } from '../../platform/log.ts';
import { type Settings, settingsOf } from '../../platform/settings.ts';
import { type ClipView, clipView } from '../../protocol/clip-view.ts';
import type { DeliveryRecord } from '../../protocol/delivery-view.ts';
import { isAcceptableDemoUrl } from '../../protocol/demo-url.ts';
import type { JobNotice } from '../../protocol/job-notice.ts';
import { type JobView, jobView } from '../../protocol/job-view.ts';
import { webhookOutcome } from '../../protocol/webhook.ts';
import { publishRecord } from '../../storage/record-cache.ts';
import type { Resend } from './deliveries.ts';
import { accountKeyOf, demoKeyOf } from './demo-key.ts';
import { glanceAt, type Heard, type JobGlance } from './glance.ts';
import { JobEngine } from './job-engine.ts';
import { type EffectWorld, effectWorldOf, type JobBindings, runEffect, shownOf } from './run-effect.ts';
import { sendWebhook } from './send-webhook.ts';
import { NewerStateError, type StoredJob } from './stored-job.ts';
import { admissionOf, renderOrder, storedRequest } from './stored-request.ts';
import { Watchers } from './watchers.ts';
import type { Claimed, ClipChange, Leased, Submission, SubmitOutcome } from './words.ts';

/** How long an object waits for the version of the service that can read its state. */
const NEWER_STATE_WAIT_MS = 60_000;

/** Whether what a host reported still counts. */
type Report = Result<null, 'stale_lease'>;
type ResendRefusal = 'not_found' | 'job_in_flight' | 'no_webhook' | 'too_many_deliveries' | 'too_many_resends';

/**
 * One job, the owner of its state and of its clip's (contract 3). Every method that names an account refuses with
 * `not_found` when the job is not that account's, exactly as when there is no job.
 */
export class RenderJob extends DurableObject<JobBindings> {
  readonly #settings: Settings;
  readonly #opened: JobEngine | NewerStateError;
  readonly #watchers = new Watchers();
  #heard: Heard | null = null;

  constructor(ctx: DurableObjectState, env: JobBindings) {
    super(ctx, env);
    this.#settings = settingsOf(env);
    this.#opened = this.#open();
  }

  override async alarm(): Promise<void> {
    // Thrown, it would use up the platform's few retries, after which it drops the alarm.
    if (this.#opened instanceof NewerStateError) void this.ctx.storage.setAlarm(Date.now() + NEWER_STATE_WAIT_MS);
    else await this.#opened.wake();
  }

  /** Queues a new job, replays an existing one, or redoes a finished one in place (contract 4.1, Idempotency). */
  submit({ database = HOME, asks, request, requestId, ...submitted }: Submission): SubmitOutcome {
    const { jobId, accountId, clipId, priority } = submitted;
    const kept = storedRequest(request);
    const given = { priority, renderer: null, labels: [], ...asks };
    const admission = admissionOf(request, kept, given, this.#settings);
    if (!this.#engine.stored) {
      this.#engine.create({ id: jobId, accountId, clipId, database }, admission, kept, requestId);
      return 'created';
    }
    const redone =
      request.force === true && this.#engine.apply({ type: 'redo', admission }, { request: kept, requestId })?.ok;
    return redone ? 'redone' : 'replayed';
  }

  /** Who hears that a job is done can watch its clip. */
  async read(accountId: string): Promise<Result<JobView, 'not_found'>> {
    if (this.#engine.stored?.job.status === 'done') await this.#engine.shown();
    const stored = this.#owned(accountId);
    return stored ? value(jobView(stored.job, stored.request)) : refuse('not_found');
  }

  resubmit(accountId: string, requestId?: string): Result<null, 'not_found' | 'job_in_flight'> {
    const stored = this.#owned(accountId);
    if (!stored) return refuse('not_found');
    const acceptable = isAcceptableDemoUrl(stored.request.demo_url, this.#settings);
    return this.#engine.apply({ type: 'resubmit', acceptable }, { requestId })?.ok ? DONE : refuse('job_in_flight');
  }

  resendWebhook(accountId: string): Result<Resend, ResendRefusal> {
    const stored = this.#owned(accountId);
    if (!stored) return refuse('not_found');
    return isFinished(stored.job.status) ? this.#engine.resend() : refuse('job_in_flight');
  }

  /** The latest webhooks of the job with their attempts, oldest first. */
  deliveries(accountId: string): Result<DeliveryRecord[], 'not_found'> {
    return this.#owned(accountId) ? value(this.#engine.listDeliveries()) : refuse('not_found');
  }

  /** The job's notices as server-sent events, until it has finished. */
  watch(accountId: string): Result<ReadableStream<Uint8Array>, 'not_found' | 'too_many_followers'> {
    const stored = this.#owned(accountId);
    if (!stored) return refuse('not_found');
    if (this.#watchers.size >= this.#settings.limits.jobFollowers) return refuse('too_many_followers');
    return value(this.#watchers.add(this.#notice(stored.job), isFinished(stored.job.status)));
  }

  readClip(accountId: string, clipId: string): Result<ClipView, 'not_found'> {
    const job = this.#owned(accountId)?.job;
    return job?.clip && job.clipId === clipId ? value(clipView(clipId, job.id, job.clip)) : refuse('not_found');
  }

  /** Has viewers see the clip as it stands: for clips of before there were records. Null where the clip is not its. */
  async publish(clipId: string): Promise<PublicRecord | null> {
    const job = this.#engine.stored?.job;
    if (job?.clipId !== clipId) return null;
    const record = await shownOf(this.#world, job);
    await publishRecord(this.#world, clipId, record);
    return record;
  }

  /** The account has its clips shown otherwise: what viewers read is written again. */
  showAnew(): void {
    this.#engine.apply({ type: 'show-anew' });
  }

  /** For the Worker of before, which reads no records. */
  readPublicClip(clipId: string): Clip | 'rendering' | null {
    const job = this.#engine.stored?.job;
    return job?.clipId === clipId ? (job.clip ?? (isFinished(job.status) ? null : 'rendering')) : null;
  }

  /** Keeps, stops keeping or deletes the clip (contract 4.6, 4.7). Who then looks, sees it deleted. */
  async changeClip(
    accountId: string,
    clipId: string,
    change: ClipChange,
    requestId?: string,
  ): Promise<Result<null, 'not_found'>> {
    if (this.#owned(accountId)?.job.clipId !== clipId) return refuse('not_found');
    if (!this.#engine.apply({ type: change }, { requestId })?.ok) return refuse('not_found');
    await this.#engine.shown();
    return DONE;
  }

  /** Deletes the clip if it was rendered before the given time and is still not saved. */
  expireClip(renderedBefore: number): void {
    this.#engine.apply({ type: 'expire-clip', renderedBefore });
  }

  /** For the cron: does what is overdue and says when to look again, null when nothing waits. */
  async nudge(): Promise<number | null> {
    await this.#engine.wake();
    return this.#engine.upkeepAt();
  }

  /** Grants a lease, unless the job waits for none: not for a dispatcher that the lease of another does not name. */
  async claim(hostId: string, requestId?: string, isSent = false, shards?: readonly number[]): Promise<Claimed> {
    const result = this.#engine.apply({ type: 'claim', hostId, isSent, shards }, { requestId });
    const stored = this.#engine.stored;
    if (!stored?.job.lease) return refuse('not_queued');
    const { accountId, lease } = stored.job;
    const isKnown = (lease.shards ?? ONE_SHARD).includes(shards?.at(-1) ?? 0);
    if (!result?.ok) return refuse(isKnown ? 'leased' : 'not_queued');
    const { clipIdSecret } = this.#settings;
    const [demoKey, accountKey] = await Promise.all([
      demoKeyOf(clipIdSecret, accountId, stored.request.demo_url),
      accountKeyOf(clipIdSecret, accountId),
    ]);
    return value({ fence: lease.fence, order: renderOrder(stored.request), demoKey, accountKey });
  }

  /** Where the host's files go, as long as it holds the lease, or once it has completed the job under it. */
  leased(hostId: string, fence: number): Result<Leased, 'stale_lease'> {
    const job = this.#engine.stored?.job;
    const isDone = job?.status === 'done' && job.fence === fence && job.renderedBy === hostId;
    if (!job || !(isDone || this.#holdsLease(hostId, fence))) return refuse('stale_lease');
    return value({ clipId: job.clipId, isDone });
  }

  /** Where the image lies that the order wants as a watermark, null where it wants none. */
  watermark(hostId: string, fence: number): Result<string | null, 'stale_lease'> {
    const stored = this.#engine.stored;
    if (!stored || !this.#holdsLease(hostId, fence)) return refuse('stale_lease');
    const id = stored.request.watermark_image_id;
    return value(id === undefined ? null : assetKey(stored.job.accountId, id));
  }

  heartbeat(hostId: string, fence: number, phase: 'prefetch' | 'render', progress: number): Report {
    if (!this.#holdsLease(hostId, fence)) return refuse('stale_lease');
    this.#heard = { fence, progress, at: Date.now() };
    const before = this.#engine.stored?.job;
    this.#engine.apply({ type: 'heartbeat', fence, phase });
    // A change tells the watchers by itself.
    if (before && this.#engine.stored?.job === before) this.#tell(before);
    return DONE;
  }

  /** What the operator sees of it; null where there is no such job. */
  glance(): JobGlance | null {
    const job = this.#engine.stored?.job;
    return job ? glanceAt(job, this.#heard, this.#settings.schedule.leaseTtl) : null;
  }

  /** Whether the file belongs to a lease that is held, or to the clip as it stands: nothing else may be in storage. */
  ownsFile(key: string): boolean {
    const job = this.#engine.stored?.job;
    return job !== undefined && ownsFile(job, key);
  }

  /** Remembers an upload that the host began, so that it ends with the lease. */
  uploadBegun(hostId: string, fence: number, upload: Upload): Report {
    return this.#report(hostId, { type: 'upload-begun', fence, upload });
  }

  async complete(
    hostId: string,
    fence: number,
    result: RenderResult,
    requestId?: string,
  ): Promise<Result<null, 'stale_lease' | 'too_long'>> {
    const request = this.#engine.stored?.request;
    if (request && result.durationSeconds > longestClip(renderOrder(request).selection)) return refuse('too_long');
    const report = this.#report(hostId, { type: 'complete', fence, result }, requestId);
    await this.#engine.shown();
    return report;
  }

  fail(hostId: string, fence: number, code: ErrorCode, detail: string, requestId?: string, build?: string): Report {
    return this.#report(hostId, { type: 'fail', fence, code, detail, refusedBuild: build }, requestId);
  }

  /** `not-taken`: a grant that its host was sent; refused where the host is at work all the same. */
  release(hostId: string, fence: number, requestId?: string, type: 'release' | 'not-taken' = 'release'): Report {
    return this.#report(hostId, { type, fence }, requestId);
  }

  #holdsLease(hostId: string, fence: number): boolean {
    const lease = this.#engine.stored?.job.lease;
    return lease?.fence === fence && lease.hostId === hostId;
  }

  #report(hostId: string, event: JobEvent, requestId?: string): Report {
    const job = this.#engine.stored?.job;
    // Without a lease there is one thing left to say: that the job is done, by the host that did it.
    if (!job || (job.lease?.hostId ?? job.renderedBy) !== hostId) return refuse('stale_lease');
    return this.#engine.apply(event, { requestId })?.ok ? DONE : refuse('stale_lease');
  }

  get #engine(): JobEngine {
    if (this.#opened instanceof NewerStateError) throw this.#opened;
    return this.#opened;
  }

  #open(): JobEngine | NewerStateError {
    const { ctx } = this;
    const settings = this.#settings;
    try {
      const engine = new JobEngine({
        storage: ctx.storage,
        schedule: settings.schedule,
        resendsAnHour: settings.limits.resendsAnHour,
        now: () => Date.now(),
        random: Math.random,
        newId: () => crypto.randomUUID(),
        keepAlive: (work) => ctx.waitUntil(work),
        runEffect: (effect, stored, upkeepAt) => runEffect(this.#world, effect, stored, upkeepAt),
        send: (delivery, message) => sendWebhook(delivery, message, settings),
        webhookOutcome: (job) => webhookOutcome(job, settings.baseUrl),
        onChange: (job) => this.#tell(job),
        log: createLog(settings.logLevel),
      });
      const isLeased = engine.stored?.job.lease;
      if (isLeased) void ctx.blockConcurrencyWhile(async () => engine.resume(await ctx.storage.getAlarm()));
      return engine;
    } catch (error) {
      if (error instanceof NewerStateError) return error;
      throw error;
    }
  }

  get #world(): EffectWorld {
    return effectWorldOf(this.env, this.#settings);
  }

  #owned(accountId: string): StoredJob | null {
    const stored = this.#engine.stored;
    return stored?.job.accountId === accountId ? stored : null;
  }

  #tell(job: Job): void {
    this.#watchers.tell(this.#notice(job), isFinished(job.status));
  }

  #notice(job: Job): JobNotice {
    const { status, progress } = glanceAt(job, this.#heard, this.#settings.schedule.leaseTtl);
    return { status, progress, attempt: job.attempt, error_code: job.errorCode };
  }
}
