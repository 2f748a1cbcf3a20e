import { DurableObject } from 'cloudflare:workers';
import type { Clip, RenderResult } from '../../domain/clip.ts';
import type { ErrorCode } from '../../domain/error-codes.ts';
import { counterpartId } from '../../domain/ids.ts';
import { isFinished, type Job } from '../../domain/job.ts';
import type { Admission, JobEvent } from '../../domain/job-machine.ts';
import type { RenderOrder } from '../../domain/render-order.ts';
import { assetKey } from '../../domain/storage-keys.ts';
import { type ClipView, clipView } from '../../protocol/clip-view.ts';
import { isAcceptableDemoUrl } from '../../protocol/demo-url.ts';
import type { JobNotice } from '../../protocol/job-notice.ts';
import { type JobView, jobView } from '../../protocol/job-view.ts';
import { DEFAULT_FPS, renderOrder, type StoredRequest, storedRequest } from '../../protocol/stored-request.ts';
import type { ValidRequest } from '../../protocol/submit.ts';
import type { Bindings } from '../bindings.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { JobEngine } from './job-engine.ts';
import { Watchers } from './watchers.ts';

export interface Submission {
  readonly jobId: string;
  readonly accountId: string;
  readonly priority: boolean;
  readonly request: ValidRequest;
}

/** `created` is a 201; the other two matched an existing job. */
export type SubmitOutcome = 'created' | 'replayed' | 'redone';

export interface GrantedLease {
  readonly fence: number;
  readonly order: RenderOrder;
}

/**
 * One job, the owner of its state and of its clip's (spec 3). Every method that names an account answers null when the
 * job is not that account's, exactly as when there is no job.
 */
export class RenderJob extends DurableObject<Bindings> {
  readonly #settings: Settings;
  readonly #engine: JobEngine;
  readonly #watchers = new Watchers();
  #progress: { fence: number; value: number } | null = null;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#settings = loadSettings(env);
    this.#engine = new JobEngine(ctx, env, this.#settings, (job) => this.#tell(job));
  }

  override async alarm(): Promise<void> {
    await this.#engine.wake();
  }

  /** Queues a new job, replays an existing one, or redoes a finished one in place (spec 4.1, Idempotency). */
  submit({ jobId, accountId, priority, request }: Submission): SubmitOutcome {
    const kept = storedRequest(request);
    const admission = this.#admission(request, kept, priority);
    if (!this.#engine.stored) {
      this.#engine.create({ id: jobId, accountId }, admission, kept);
      return 'created';
    }
    const redone = request.force === true && this.#engine.apply({ type: 'redo', admission }, kept)?.ok;
    return redone ? 'redone' : 'replayed';
  }

  read(accountId: string): JobView | null {
    const stored = this.#owned(accountId);
    return stored && jobView(stored.job, stored.request);
  }

  resubmit(accountId: string): 'queued' | 'in_flight' | null {
    const stored = this.#owned(accountId);
    if (!stored) return null;
    const acceptable = isAcceptableDemoUrl(stored.request.demo_url, this.#settings);
    return this.#engine.apply({ type: 'resubmit', acceptable })?.ok ? 'queued' : 'in_flight';
  }

  resendWebhook(accountId: string): { deliveryId: string } | 'in_flight' | 'no_webhook' | null {
    const stored = this.#owned(accountId);
    if (!stored) return null;
    if (!isFinished(stored.job.status)) return 'in_flight';
    const deliveryId = this.#engine.resend();
    return deliveryId === null ? 'no_webhook' : { deliveryId };
  }

  /** Each webhook of the job with its attempts, oldest first. */
  deliveries(accountId: string) {
    if (!this.#owned(accountId)) return null;
    const attempts = this.#engine.store.attempts();
    return this.#engine.store.deliveries().map(({ id, status, createdAt, nextAt, url, body }) => ({
      id,
      status,
      url,
      event: String(JSON.parse(body).event),
      createdAt,
      nextAt,
      attempts: attempts.filter((attempt) => attempt.deliveryId === id),
    }));
  }

  /** The job's notices as server-sent events, until it has finished. */
  watch(accountId: string): ReadableStream<Uint8Array> | null {
    const stored = this.#owned(accountId);
    return stored && this.#watchers.add(this.#notice(stored.job), isFinished(stored.job.status));
  }

  readClip(accountId: string): ClipView | null {
    const stored = this.#owned(accountId);
    return stored?.job.clip ? clipView(counterpartId(stored.job.id), stored.job.id, stored.job.clip) : null;
  }

  /** The clip as viewers may see it, for a page that is asked for before the index knows the clip, or that one is made. */
  readPublicClip(): Clip | 'rendering' | null {
    const job = this.#engine.stored?.job;
    return job?.clip ?? (job && !isFinished(job.status) ? 'rendering' : null);
  }

  /** Keeps, stops keeping or deletes the clip (spec 4.6, 4.7). False when the account has no such clip. */
  changeClip(accountId: string, change: 'save' | 'unsave' | 'delete-clip'): boolean {
    if (!this.#owned(accountId)) return false;
    return this.#engine.apply({ type: change })?.ok ?? false;
  }

  /** Deletes the clip if it was rendered before the given time and is still not saved. */
  expireClip(renderedBefore: number): void {
    this.#engine.apply({ type: 'expire-clip', renderedBefore });
  }

  /** For the watchdog: does what is overdue and says when to look again, null when nothing waits. */
  nudge(): Promise<number | null> {
    return this.#engine.nudge();
  }

  /** Grants a lease, or null when the job is not waiting for one. */
  claim(hostId: string): GrantedLease | null {
    const result = this.#engine.apply({ type: 'claim', hostId });
    const stored = this.#engine.stored;
    if (!result?.ok || !stored?.job.lease) return null;
    this.#engine.liveness.granted(stored.job.lease);
    return { fence: stored.job.lease.fence, order: renderOrder(stored.request) };
  }

  /** Whether the host still holds the lease with this fence. */
  holdsLease(hostId: string, fence: number): boolean {
    const lease = this.#engine.stored?.job.lease;
    return lease?.fence === fence && lease.hostId === hostId;
  }

  /** Where the image lies that the order wants as a watermark, for the host that holds the lease. */
  watermark(hostId: string, fence: number): { key: string | null } | null {
    const stored = this.#engine.stored;
    if (!stored || !this.holdsLease(hostId, fence)) return null;
    const id = stored.request.watermark_image_id;
    return { key: id === undefined ? null : assetKey(stored.job.accountId, id) };
  }

  heartbeat(hostId: string, fence: number, phase: 'prefetch' | 'render', progress: number): boolean {
    if (!this.holdsLease(hostId, fence)) return false;
    this.#engine.liveness.heardFrom(fence, Date.now());
    this.#progress = { fence, value: progress };
    const job = this.#engine.stored?.job;
    if (phase === 'render' && job?.status === 'prefetch') this.#engine.apply({ type: 'render-started', fence });
    else if (job) this.#tell(job);
    return true;
  }

  complete(hostId: string, fence: number, result: RenderResult): boolean {
    return this.#report(hostId, { type: 'complete', fence, result });
  }

  fail(hostId: string, fence: number, code: ErrorCode, detail: string): boolean {
    return this.#report(hostId, { type: 'fail', fence, code, detail });
  }

  release(hostId: string, fence: number): boolean {
    return this.#report(hostId, { type: 'release', fence });
  }

  #report(hostId: string, event: JobEvent): boolean {
    const lease = this.#engine.stored?.job.lease;
    if (lease && lease.hostId !== hostId) return false;
    return this.#engine.apply(event)?.ok ?? false;
  }

  #owned(accountId: string) {
    const stored = this.#engine.stored;
    return stored?.job.accountId === accountId ? stored : null;
  }

  #admission(request: ValidRequest, kept: StoredRequest, priority: boolean): Admission {
    const url = request.webhook_url;
    return {
      priority,
      webhook: url === undefined ? null : { url, authHeader: request.webhook_auth_header ?? null },
      fps: request.fps ?? DEFAULT_FPS,
      resolution: kept.resolution,
      acceptable: isAcceptableDemoUrl(request.demo_url, this.#settings),
    };
  }

  #tell(job: Job): void {
    this.#watchers.tell(this.#notice(job), isFinished(job.status));
  }

  #notice(job: Job): JobNotice {
    const progress = job.lease && this.#progress?.fence === job.lease.fence ? this.#progress.value : null;
    return { status: job.status, progress, attempt: job.attempt, error_code: job.errorCode };
  }
}
