import { type Cause, describeChange } from '#domain/job/change.ts';
import { type JobEvent, outside, type Transition } from '#domain/job/event.ts';
import { fallbackAt } from '#domain/job/fallback.ts';
import { isFinished, type Job, leaseOf } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { afterTries, extendOutbox, isShown, type OutsideEffect } from '#domain/job/outbox.ts';
import { type Result, refusedWith } from '#domain/job/result.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { DeliveryRecord } from '#protocol/job/delivery-view.ts';
import { withExtras } from '#protocol/job/webhook.ts';
import type { Resend, ResendRefusal } from '#rpc/render-job.ts';
import type { WebhookMessage } from '#service/job/send-webhook.ts';
import { coalesce } from '../coalesce.ts';
import { addAttempt, endedAttempt, forgetAttempts } from './attempt-store.ts';
import { Deliveries, NO_OUTCOME, type Resent } from './deliveries.ts';
import type { StoredOutcome } from './delivery-store.ts';
import type { EngineContext, EventDetails } from './engine-context.ts';
import { JobAlarm, waitsOf } from './job-alarm.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { tryEffects } from './run-effect.ts';
import type { StoredJob } from './stored-job.ts';
import { byKind } from './stored-request.ts';

/** How overdue an alarm must be before the cron calls the job: at least the interval of the cron. */
const UPKEEP_GRACE_MS = 5 * 60_000;

/**
 * Runs one job: applies events, commits each change with its effects and its next alarm in one transaction, and then
 * repeats the effects until they succeed. Every wait (retry, lease, webhook, outbox) is part of the state, so one alarm
 * is enough and an eviction loses nothing.
 * Written rows are billed. So the next change removes finished effects from the stored outbox; after an eviction some
 * of them run again, which is safe. An extended lease is stored only as the alarm at its end. Memory differs from
 * storage in these two points only.
 */
export class JobEngine {
  readonly #deliveries: Deliveries;
  readonly #context: EngineContext;
  readonly #store: JobStore;
  readonly #flushOutbox = coalesce(() => this.#runDueEffects());
  readonly #alarm: JobAlarm;
  #stored: StoredJob | null;
  /** The stored state. */
  #saved: StoredJob | null;
  #working = 0;
  /** Whether to store the state when all work has ended. */
  #isToSave = false;

  /** @throws if the stored state cannot be read, or a later version wrote it. */
  constructor(context: EngineContext) {
    this.#context = context;
    this.#store = createJobStore(context.storage);
    this.#alarm = new JobAlarm(context.storage);
    this.#stored = this.#store.load();
    this.#saved = this.#stored;
    this.#deliveries = new Deliveries(
      context,
      (outcome) => this.#message(outcome),
      () => {
        this.apply({ type: 'trouble-changed' });
      },
    );
  }

  get stored(): StoredJob | null {
    return this.#stored;
  }

  /** Whether no work is running or pending. */
  get isIdle(): boolean {
    return this.#working === 0 && this.#stored?.outbox.length === 0 && this.#deliveries.nextAt() === null;
  }

  /** Whether it sends, or has sent, the post of its rule's run. */
  get hasPost(): boolean {
    return this.#deliveries.hasPost;
  }

  /** Resumes after an eviction under a lease: the alarm has the end of the lease. */
  resume(alarmAt: number | null): void {
    const stored = this.#stored;
    if (!stored || !leaseOf(stored.job)) return;
    this.#alarm.note(alarmAt);
    const result = this.#transition(stored.job, { type: 'resumed', alarmAt });
    if (result.ok) this.#stored = { ...stored, job: result.job };
  }

  /** Applies an event and commits what it changes. `alsoWrite` belongs to the same transaction. */
  apply(event: JobEvent, details: EventDetails = {}, alsoWrite: (job: Job) => void = () => {}): Transition {
    const before = this.#stored;
    const result = this.#transition(before?.job ?? null, event);
    if (!result.ok || result.job === before?.job) return result;
    const { job, effects } = result;
    if (before && job.version === before.job.version) {
      this.#extendLease({ ...before, job });
      this.#context.onChange(job);
      return result;
    }
    const { requestId, log = null } = details;
    const request = details.request ?? before?.request;
    if (!request) throw new Error('a job is submitted without its request');
    const now = this.#context.now();
    const ended = before && endedAttempt(before.job, job, now);
    const stored = { job, request, outbox: extendOutbox(before?.outbox ?? [], outside(effects), job, now) };
    const { sql } = this.#context.storage;
    this.#commit(stored, () => {
      if (before) this.#store.save(stored);
      else this.#store.create(stored);
      if (before && details.request) this.#store.saveRequest(request);
      if (ended) addAttempt(sql, { ...ended, log });
      if (effects.some(({ type }) => type === 'forget-history')) forgetAttempts(sql);
      this.#deliveries.carryOut(effects, job, this.#context.webhookOutcome);
      alsoWrite(job);
    });
    this.#logChange(before?.job ?? null, job, { event: event.type, requestId });
    this.#context.onChange(job);
    this.#start();
    return result;
  }

  /** Returns what an event would do, and changes nothing. */
  tryOut(event: JobEvent): Transition {
    return this.#transition(this.#stored?.job ?? null, event);
  }

  /** Sends the last outcome again as a new delivery, and a post that was given up. */
  resend(): Result<Resend, ResendRefusal> {
    let resent: Resent = NO_OUTCOME;
    const result = this.apply({ type: 'resend', hasPost: this.#deliveries.hasLostPost }, {}, (job) => {
      resent = this.#deliveries.resend(job);
    });
    return result.ok ? resent : refusedWith(result, 'not_found', 'job_in_flight', 'no_webhook');
  }

  /** Queues the post of its rule's run, once. */
  post(post: { readonly run: string; readonly postTo: string }): void {
    if (!this.#stored || this.hasPost) return;
    this.#commit(this.#stored, () => this.#deliveries.announcePost(post));
    this.#start();
  }

  /** Resolves when `isSeen` (default: it is public) holds for each effect in the outbox, or the first try has failed. */
  async shown(isSeen = isShown): Promise<void> {
    if (!this.#stored?.outbox.every(isSeen)) await this.#flushOutbox().catch(() => {});
  }

  /** Returns the latest webhooks with their attempts, oldest first. */
  listDeliveries(): DeliveryRecord[] {
    return this.#deliveries.list();
  }

  /** Handles the alarm: does all due work and sets the next alarm. Never rejects. */
  async wake(): Promise<void> {
    // The alarm fired, or the cron calls instead of a lost one.
    this.#alarm.note(null);
    await this.#context.report();
    const job = this.#stored?.job;
    if (!job) return;
    if (job.status === 'retrying') this.apply({ type: 'retry-due' });
    if (leaseOf(job)) this.apply({ type: 'lease-expired' });
    this.apply({ type: 'run-overdue' });
    // A queued delivery still needs it.
    if (this.#hasDeliveries() && this.#deliveries.nextAt() === null) this.apply({ type: 'secret-overdue' });
    if (this.#working > 0 || this.#waits().some((at) => at <= this.#context.now())) {
      this.#guard();
      await this.#work();
    }
    if (this.#working === 0) this.#settle();
  }

  /** Returns when the cron should call again, unless the job has changed by then; null if nothing is pending. */
  upkeepAt(): number | null {
    // The projection that writes this time is not itself pending work.
    const next = this.#nextDue(this.#stored?.outbox.filter(({ effect }) => effect.type !== 'project'));
    return next === null ? null : Math.max(next, this.#context.now()) + UPKEEP_GRACE_MS;
  }

  #transition(job: Job | null, event: JobEvent): Transition {
    return transition(job, event, { ...this.#context, now: this.#context.now(), jitter: this.#context.random() });
  }

  /** Writes a change and its alarm in one transaction. If that fails, memory stays as stored. */
  #commit(stored: StoredJob, write: () => void): void {
    const before = { stored: this.#stored, saved: this.#saved };
    try {
      this.#context.storage.transactionSync(() => {
        write();
        this.#stored = stored;
        this.#saved = stored;
        this.#guard();
      });
    } catch (error) {
      this.#stored = before.stored;
      this.#saved = before.saved;
      this.#alarm.note(null);
      throw error;
    }
  }

  /** Extends a lease by moving its alarm, unless the alarm is needed earlier. */
  #extendLease(stored: StoredJob): void {
    this.#stored = stored;
    const { deadline } = leaseOf(stored.job) ?? {};
    if (this.#saved?.outbox.length === 0 && this.#nextDue() === deadline) {
      this.#alarm.set(deadline);
      return;
    }
    // Stored effects may be done, or were interrupted by an eviction. They are done now, and that is stored.
    this.#isToSave = true;
    this.#start();
  }

  /** Stores the state and sets the alarm to the next due time. */
  #save(): void {
    const stored = this.#stored;
    this.#isToSave = false;
    if (!stored || stored === this.#saved) return;
    this.#commit(stored, () => {
      this.#store.save(stored);
      this.#alarm.set(this.#nextDue());
    });
  }

  /**
   * Removes finished effects from storage, unless the next report of a host will, and sets the alarm to the next due
   * time.
   */
  #settle(): void {
    if (!this.#stored || !leaseOf(this.#stored.job)) this.#save();
    this.#alarm.set(this.#nextDue());
  }

  #logChange(before: Job | null, after: Job, cause: Cause): void {
    const change = describeChange(before, after, cause);
    if (change) this.#context.log('job changed', change, 'info');
  }

  /** The job alone stores header and `extras`. A re-run cancels earlier deliveries. */
  #message({ url, body, event }: StoredOutcome): WebhookMessage {
    const { job, request } = this.#stored ?? {};
    return {
      url,
      authHeader: job?.webhook?.authHeader ?? null,
      body: withExtras(body, request ? byKind(request).shown.extras : null),
      isDrawn: event === 'job.completed' && job?.clip?.renderer === 'radar',
    };
  }

  #start(): void {
    this.#context.keepAlive(this.#work());
  }

  async #work(): Promise<void> {
    this.#working++;
    try {
      // The clip is public before its webhook is sent.
      const webhooks = this.#hasDeliveries() && this.shown().then(() => this.#deliveries.flush());
      await Promise.all([this.#flushOutbox(), webhooks]);
    } catch (error) {
      // The guard alarm is set a few seconds ahead and retries.
      this.#context.log('work was interrupted', { job: this.#stored?.job.id, error: reasonOf(error) });
      return;
    } finally {
      this.#working--;
    }
    // A finished job has no later change, so finished effects are stored now; otherwise the guard alarm does it.
    if (this.#working > 0) return;
    if (this.#isToSave || (this.#stored && isFinished(this.#stored.job.status))) this.#save();
    this.#guard();
  }

  /** Deletes files last, after viewers no longer look for them. */
  async #runDueEffects(): Promise<void> {
    await this.#runDue(({ type }) => type !== 'delete-files');
    await this.#runDue(() => true);
  }

  async #runDue(isMeant: (effect: OutsideEffect) => boolean): Promise<void> {
    const stored = this.#stored;
    const now = this.#context.now();
    const due = stored?.outbox.filter(({ dueAt, effect }) => dueAt <= now && isMeant(effect)) ?? [];
    if (!stored || due.length === 0) return;
    const trouble = this.#hasDeliveries() ? this.#deliveries.trouble() : null;
    const seen = { upkeepAt: this.upkeepAt(), trouble };
    const outcomes = await tryEffects(this.#context, due, stored, seen);
    if (!this.#stored) return;
    const { job, outbox } = this.#stored;
    const { schedule } = this.#context;
    const left = afterTries(outbox, outcomes, schedule, this.#context.now(), fallbackAt(job));
    this.#stored = { ...this.#stored, outbox: left };
    for (const outcome of outcomes.values()) {
      if (outcome === 'no-host-left' || outcome === 'game-only') this.apply({ type: outcome });
    }
  }

  /** Sets an alarm for pending work, running work, and work that an eviction would repeat. */
  #guard(): void {
    const now = this.#context.now();
    const again = this.#stored === this.#saved ? [] : [now];
    this.#alarm.guard([...this.#waits(), ...again], now, this.#context.schedule);
  }

  /** Returns when the next work is due; null if none is pending. */
  #nextDue(outbox = this.#stored?.outbox ?? []): number | null {
    const waits = this.#waits(outbox);
    return waits.length === 0 ? null : Math.min(...waits);
  }

  /** Without a webhook and a rule the table of deliveries does not exist. */
  #hasDeliveries(): boolean {
    return this.#stored?.job.webhook !== null || byKind(this.#stored.request).rule !== null;
  }

  #waits(outbox = this.#stored?.outbox ?? []): number[] {
    if (!this.#stored) return [];
    const deliveryAt = this.#hasDeliveries() ? this.#deliveries.nextAt() : null;
    return waitsOf({ job: this.#stored.job, outbox }, deliveryAt, this.#context.schedule);
  }
}
