import { isFinished, type Job, leaseOf } from '#domain/job.ts';
import { type Cause, describeChange } from '#domain/job-change.ts';
import { type JobEvent, outside, type Transition } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { afterTries, extendOutbox, isShown, type OutsideEffect } from '#domain/outbox.ts';
import { reasonOf } from '#domain/reason.ts';
import { type Result, refusedWith } from '#domain/result.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';
import { withExtras } from '#protocol/webhook.ts';
import type { Resend, ResendRefusal } from '#rpc/render-job.ts';
import type { WebhookMessage } from '#service/send-webhook.ts';
import { coalesce } from '../coalesce.ts';
import { addAttempt, endedAttempt, forgetAttempts } from './attempt-store.ts';
import { Deliveries, NO_OUTCOME, type Resent } from './deliveries.ts';
import type { StoredOutcome } from './delivery-store.ts';
import type { EngineWorld, EventDetails } from './engine-world.ts';
import { JobAlarm, waitsOf } from './job-alarm.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import type { StoredJob } from './stored-job.ts';
import { tryEffects } from './try-effect.ts';

/** How late an alarm has to be before the cron looks after it: no sooner than the cron comes round again. */
const UPKEEP_GRACE_MS = 5 * 60_000;

/**
 * Keeps one job: applies events, commits each change with its effects and its next alarm in one transaction, and then
 * carries the effects out until they are done. Every wait (retry, lease, webhook, outbox) is read off the state, so
 * there is one alarm, no timer that could disagree with the job, and nothing that an eviction could forget.
 *
 * Each row written is paid for. So effects that are done are taken off the stored outbox by the next change, and after
 * an eviction before that some are done again, without harm; and an extended lease stands in the alarm alone, which
 * rings when it ends. Memory may be ahead of the disk by these two, and by nothing else.
 */
export class JobEngine {
  readonly #deliveries: Deliveries;
  readonly #world: EngineWorld;
  readonly #store: JobStore;
  readonly #flushOutbox = coalesce(() => this.#runDueEffects());
  readonly #alarm: JobAlarm;
  #stored: StoredJob | null;
  /** As the disk has it. */
  #saved: StoredJob | null;
  #working = 0;
  /** Whether the disk is brought up with memory when all work is over. */
  #isToSave = false;

  /** @throws where the stored state cannot be read, or a later version of the service wrote it. */
  constructor(world: EngineWorld) {
    this.#world = world;
    this.#store = createJobStore(world.storage);
    this.#alarm = new JobAlarm(world.storage);
    this.#stored = this.#store.load();
    this.#saved = this.#stored;
    this.#deliveries = new Deliveries(
      world,
      (outcome) => this.#message(outcome),
      () => {
        this.apply({ type: 'trouble-changed' });
      },
    );
  }

  get stored(): StoredJob | null {
    return this.#stored;
  }

  /** Whether nothing is under way, and nothing is to be done. */
  get isIdle(): boolean {
    return this.#working === 0 && this.#stored?.outbox.length === 0 && this.#deliveries.nextAt() === null;
  }

  /** Goes on after an eviction under a lease: the alarm that stands says when the lease ends. */
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
      this.#world.onChange(job);
      return result;
    }
    const { requestId, log = null } = details;
    const request = details.request ?? before?.request;
    if (!request) throw new Error('a job is submitted without its request');
    const now = this.#world.now();
    const ended = before && endedAttempt(before.job, job, now);
    const stored = { job, request, outbox: extendOutbox(before?.outbox ?? [], outside(effects), job, now) };
    const { sql } = this.#world.storage;
    this.#commit(stored, () => {
      if (before) this.#store.save(stored);
      else this.#store.create(stored);
      if (before && details.request) this.#store.saveRequest(request);
      if (ended) addAttempt(sql, { ...ended, log });
      if (effects.some(({ type }) => type === 'forget-history')) forgetAttempts(sql);
      this.#deliveries.carryOut(effects, job, this.#world.webhookOutcome);
      alsoWrite(job);
    });
    this.#tell(before?.job ?? null, job, { event: event.type, requestId });
    this.#world.onChange(job);
    this.#start();
    return result;
  }

  /** Sends the last outcome again as a new delivery. */
  resend(): Result<Resend, ResendRefusal> {
    let resent: Resent = NO_OUTCOME;
    const result = this.apply({ type: 'resend' }, {}, ({ run }) => {
      resent = this.#deliveries.resend(run);
    });
    return result.ok ? resent : refusedWith(result, 'not_found', 'job_in_flight', 'no_webhook');
  }

  /** Resolves when viewers see what the job says of its clip, or the first try to have them see it has failed. */
  async shown(): Promise<void> {
    if (!this.#stored?.outbox.every(isShown)) await this.#flushOutbox().catch(() => {});
  }

  /** The latest webhooks with their attempts, oldest first. */
  listDeliveries(): DeliveryRecord[] {
    return this.#deliveries.list();
  }

  /** What the alarm is for: does everything that has become due, and sets the next alarm. Never rejects. */
  async wake(): Promise<void> {
    const job = this.#stored?.job;
    if (!job) return;
    // It has rung, or the cron comes in the place of one that never did.
    this.#alarm.note(null);
    if (job.status === 'retrying') this.apply({ type: 'retry-due' });
    if (leaseOf(job)) this.apply({ type: 'lease-expired' });
    this.apply({ type: 'run-overdue' });
    // What is on its way still needs it.
    if (this.#hasWebhook() && this.#deliveries.nextAt() === null) this.apply({ type: 'secret-overdue' });
    if (this.#working > 0 || this.#waits().some((at) => at <= this.#world.now())) {
      this.#guard();
      await this.#work();
    }
    if (this.#working === 0) this.#settle();
  }

  /** When the cron should look again, unless the job has moved on by then; null when nothing waits any more. */
  upkeepAt(): number | null {
    // The projection that tells it is not itself something to wait for.
    const next = this.#nextDue(this.#stored?.outbox.filter(({ effect }) => effect.type !== 'project'));
    return next === null ? null : Math.max(next, this.#world.now()) + UPKEEP_GRACE_MS;
  }

  #transition(job: Job | null, event: JobEvent): Transition {
    return transition(job, event, { ...this.#world, now: this.#world.now(), jitter: this.#world.random() });
  }

  /** Writes a change and its alarm in one transaction. When that fails, memory stays as the disk is. */
  #commit(stored: StoredJob, write: () => void): void {
    const before = { stored: this.#stored, saved: this.#saved };
    try {
      this.#world.storage.transactionSync(() => {
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

  /** A lease is extended by its alarm, unless that has to ring for something else before the lease ends. */
  #extendLease(stored: StoredJob): void {
    this.#stored = stored;
    const { deadline } = leaseOf(stored.job) ?? {};
    if (this.#saved?.outbox.length === 0 && this.#nextDue() === deadline) {
      this.#alarm.set(deadline);
      return;
    }
    // What is on the disk may be done, or was cut short by a death: now it is, and is noted.
    this.#isToSave = true;
    this.#start();
  }

  /** Brings the disk up with memory, and the alarm to what is due next. */
  #save(): void {
    const stored = this.#stored;
    this.#isToSave = false;
    if (!stored || stored === this.#saved) return;
    this.#commit(stored, () => {
      this.#store.save(stored);
      this.#alarm.set(this.#nextDue());
    });
  }

  /** Takes what is done off the disk, unless a host's next report will, and moves the alarm to what is due next. */
  #settle(): void {
    if (!this.#stored || !leaseOf(this.#stored.job)) this.#save();
    this.#alarm.set(this.#nextDue());
  }

  #tell(before: Job | null, after: Job, cause: Cause): void {
    const change = describeChange(before, after, cause);
    if (change) this.#world.log('job changed', change, 'info');
  }

  /** Header and `extras` stand in the job, and there alone; a re-run cancels what was on its way before it. */
  #message({ url, body }: StoredOutcome): WebhookMessage {
    const { job, request } = this.#stored ?? {};
    return {
      url,
      authHeader: job?.webhook?.authHeader ?? null,
      body: withExtras(body, request?.kind === 'clip' ? request.extras : null),
    };
  }

  #start(): void {
    this.#world.keepAlive(this.#work());
  }

  async #work(): Promise<void> {
    this.#working++;
    try {
      // Whoever hears of a clip by its webhook can watch it.
      const webhooks = this.#hasWebhook() && this.shown().then(() => this.#deliveries.flush());
      await Promise.all([this.#flushOutbox(), webhooks]);
    } catch (error) {
      // The alarm stands a few seconds ahead and tries again.
      this.#world.log('work was cut short', { job: this.#stored?.job.id, error: reasonOf(error) });
      return;
    } finally {
      this.#working--;
    }
    // What has ended changes no more, so it notes at once that all is done; the rest waits for the guard to ring.
    if (this.#working > 0) return;
    if (this.#isToSave || (this.#stored && isFinished(this.#stored.job.status))) this.#save();
    this.#guard();
  }

  /** Files go last: first viewers hear that they are not to look for them. */
  async #runDueEffects(): Promise<void> {
    await this.#runDue(({ type }) => type !== 'delete-files');
    await this.#runDue(() => true);
  }

  async #runDue(isMeant: (effect: OutsideEffect) => boolean): Promise<void> {
    const stored = this.#stored;
    const now = this.#world.now();
    const due = stored?.outbox.filter(({ dueAt, effect }) => dueAt <= now && isMeant(effect)) ?? [];
    if (!stored || due.length === 0) return;
    const trouble = this.#hasWebhook() ? this.#deliveries.trouble() : null;
    const seen = { upkeepAt: this.upkeepAt(), trouble };
    const outcomes = await tryEffects(this.#world, due, stored, seen);
    if (!this.#stored) return;
    const outbox = afterTries(this.#stored.outbox, outcomes, this.#world.schedule, this.#world.now());
    this.#stored = { ...this.#stored, outbox };
    for (const outcome of outcomes.values()) if (outcome === 'no-build-left') this.apply({ type: 'no-build-left' });
  }

  /** Has an alarm come for what waits, what is under way, and what the disk would have due again after a death. */
  #guard(): void {
    const now = this.#world.now();
    const again = this.#stored === this.#saved ? [] : [now];
    this.#alarm.guard([...this.#waits(), ...again], now, this.#world.schedule);
  }

  /** When the next thing is due; null when nothing waits. */
  #nextDue(outbox = this.#stored?.outbox ?? []): number | null {
    const waits = this.#waits(outbox);
    return waits.length === 0 ? null : Math.min(...waits);
  }

  /** Without one nothing is on its way: there is no table to look into. */
  #hasWebhook(): boolean {
    return this.#stored?.job.webhook !== null;
  }

  #waits(outbox = this.#stored?.outbox ?? []): number[] {
    if (!this.#stored) return [];
    const deliveryAt = this.#hasWebhook() ? this.#deliveries.nextAt() : null;
    return waitsOf({ job: this.#stored.job, outbox }, deliveryAt, this.#world.schedule);
  }
}
