import { runEndsAt } from '../../domain/attempt.ts';
import { isFinished, type Job } from '../../domain/job.ts';
import { type Cause, describeChange } from '../../domain/job-change.ts';
import type { Admission, Effect, JobEvent, Transition } from '../../domain/job-event.ts';
import { createJob, type JobIdentity, secretEndsAt, transition } from '../../domain/job-machine.ts';
import { afterTries, extendOutbox, type OutboxEntry, type OutsideEffect } from '../../domain/outbox.ts';
import { reasonOf } from '../../domain/reason.ts';
import type { Log } from '../../platform/log.ts';
import type { DeliveryRecord } from '../../protocol/delivery-view.ts';
import { withExtras } from '../../protocol/webhook.ts';
import { coalesce } from '../coalesce.ts';
import { Deliveries, type DeliveryWorld, NO_OUTCOME, type Resent, type WebhookMessage } from './deliveries.ts';
import type { StoredOutcome } from './delivery-store.ts';
import { createJobStore, type JobStorage, type JobStore } from './job-store.ts';
import type { StoredJob } from './stored-job.ts';
import type { StoredRequest } from './stored-request.ts';

/** Everything outside of the job that its engine touches. */
export interface EngineWorld extends DeliveryWorld {
  readonly storage: JobStorage;
  /** In [0, 1). */
  readonly random: () => number;
  /** Keeps the object in memory until the work is done. */
  readonly keepAlive: (work: Promise<void>) => void;
  /**
   * Carries out one effect, and answers with what it tells the job, or with the dispatchers that it waits in now;
   * rejects when it could not be done. `upkeepAt`: when the cron should look after the job.
   */
  readonly runEffect: (
    effect: OutsideEffect,
    stored: StoredJob,
    upkeepAt: number | null,
  ) => Promise<JobEvent | readonly number[] | undefined>;
  /** The outcome of a finished job as its webhook carries it, but for the request's `extras`. */
  readonly webhookOutcome: (job: Job) => { readonly event: string; readonly body: string };
  readonly onChange: (job: Job) => void;
  readonly log: Log;
}

/** What comes with an event that its job does not look at. */
interface EventDetails {
  /** Replaces the stored one: of a forced redo. */
  readonly request?: StoredRequest | undefined;
  /** Of the request that brought the event, for the log. */
  readonly requestId?: string | undefined;
}

/** How late an alarm has to be before the cron looks after it: no sooner than the cron comes round again. */
const UPKEEP_GRACE_MS = 5 * 60_000;

/** While effects run, the alarm stands this far ahead: it only matters if the object dies under them. */
const CRASH_GUARD_MS = 5000;

/**
 * Keeps one job: applies events, commits each change with its effects and its next alarm in one transaction, and then
 * carries the effects out until they are done. Every wait (retry, lease, webhook, outbox) is read off the committed
 * state, so there is one alarm, no timer that could disagree with the job, and nothing that an eviction could forget.
 */
export class JobEngine {
  readonly #deliveries: Deliveries;
  readonly #world: EngineWorld;
  readonly #store: JobStore;
  readonly #flushOutbox = coalesce(() => this.#runDueEffects());
  #stored: StoredJob | null;
  #working = 0;

  /** @throws where the stored state cannot be read, or a later version of the service wrote it. */
  constructor(world: EngineWorld) {
    this.#world = world;
    this.#store = createJobStore(world.storage);
    this.#stored = this.#store.load();
    this.#deliveries = new Deliveries(world, (outcome) => this.#message(outcome));
  }

  get stored(): StoredJob | null {
    return this.#stored;
  }

  /** Commits a new job with its first effects. */
  create(identity: JobIdentity, admission: Admission, request: StoredRequest, requestId?: string): void {
    const now = this.#world.now();
    const { job, effects } = createJob(identity, admission, now);
    const stored = { job, request, outbox: extendOutbox([], outside(effects), job, now) };
    this.#commit(stored, () => {
      this.#store.create(stored);
      this.#applyToDeliveries(effects, stored);
    });
    this.#tell(null, job, { event: 'submit', requestId });
    this.#start();
  }

  /** Applies an event and commits what it changes. */
  apply(event: JobEvent, { request, requestId }: EventDetails = {}): Transition | null {
    const before = this.#stored;
    if (!before) return null;
    const now = this.#world.now();
    const context = { now, schedule: this.#world.schedule, jitter: this.#world.random() };
    const result = transition(before.job, event, context);
    if (!result.ok || result.job === before.job) return result;
    const stored = {
      job: result.job,
      request: request ?? before.request,
      outbox: extendOutbox(before.outbox, outside(result.effects), result.job, now),
    };
    this.#commit(stored, () => {
      this.#store.save(stored);
      if (request) this.#store.saveRequest(request);
      this.#applyToDeliveries(result.effects, stored);
    });
    this.#tell(before.job, result.job, { event: event.type, requestId });
    this.#world.onChange(result.job);
    this.#start();
    return result;
  }

  /** Sends the last outcome again as a new delivery. */
  resend(): Resent {
    const stored = this.#stored;
    // One with a secret is forgotten after a while.
    if (!stored?.job.webhook) return NO_OUTCOME;
    // A new version, so that the index learns that something waits again: else the cron would not look after it.
    const now = this.#world.now();
    const job = { ...stored.job, version: stored.job.version + 1 };
    const next = { ...stored, job, outbox: extendOutbox(stored.outbox, [{ type: 'project' }], job, now) };
    let resent: Resent = NO_OUTCOME;
    this.#commit(next, () => {
      resent = this.#deliveries.resend(job.run);
      this.#store.save(next);
    });
    this.#start();
    return resent;
  }

  /** Resolves when viewers see what the job says of its clip, or the first try to have them see it has failed. */
  async shown(): Promise<void> {
    const isShown = (entry: OutboxEntry) =>
      entry.effect.type !== 'project' || !entry.effect.isPublic || entry.tries > 0;
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
    this.#arm(this.#world.now() + CRASH_GUARD_MS);
    if (job.status === 'retrying') this.apply({ type: 'retry-due' });
    if (job.lease) this.apply({ type: 'lease-expired' });
    this.apply({ type: 'run-overdue' });
    // What is on its way still needs it.
    if (this.#deliveries.nextAt() === null) this.apply({ type: 'secret-overdue' });
    await this.#work();
  }

  /** When the cron should look again, unless the job has moved on by then; null when nothing waits any more. */
  upkeepAt(): number | null {
    // The projection that tells it is not itself something to wait for.
    const next = this.#nextDue(this.#stored?.outbox.filter(({ effect }) => effect.type !== 'project'));
    return next === null ? null : Math.max(next, this.#world.now()) + UPKEEP_GRACE_MS;
  }

  /** Writes a change and its alarm in one transaction. When that fails, memory stays as the disk is. */
  #commit(stored: StoredJob, write: () => void): void {
    const before = this.#stored;
    try {
      this.#world.storage.transactionSync(() => {
        write();
        this.#stored = stored;
        this.#arm(this.#world.now() + CRASH_GUARD_MS);
      });
    } catch (error) {
      this.#stored = before;
      throw error;
    }
  }

  #tell(before: Job | null, after: Job, cause: Cause): void {
    const change = describeChange(before, after, cause);
    if (change) this.#world.log('job changed', change, 'info');
  }

  #applyToDeliveries(effects: readonly Effect[], { job }: StoredJob): void {
    for (const { type } of effects) {
      if (type === 'cancel-webhooks') this.#deliveries.cancel();
      if (type === 'announce' && job.webhook) {
        this.#deliveries.announce(job.run, { url: job.webhook.url, ...this.#world.webhookOutcome(job) });
      }
    }
  }

  /** Header and `extras` stand in the job, and there alone; a re-run cancels what was on its way before it. */
  #message({ url, body }: StoredOutcome): WebhookMessage {
    const { job, request } = this.#stored ?? {};
    return { url, authHeader: job?.webhook?.authHeader ?? null, body: withExtras(body, request?.extras ?? null) };
  }

  #start(): void {
    this.#world.keepAlive(this.#work());
  }

  async #work(): Promise<void> {
    this.#working++;
    try {
      // Whoever hears of a clip by its webhook can watch it.
      await Promise.all([this.#flushOutbox(), this.shown().then(() => this.#deliveries.flush())]);
    } catch (error) {
      // The alarm stands a few seconds ahead and tries again.
      this.#world.log('work was cut short', { job: this.#stored?.job.id, error: reasonOf(error) });
      return;
    } finally {
      this.#working--;
    }
    if (this.#working === 0) this.#arm(this.#world.now());
  }

  async #runDueEffects(): Promise<void> {
    const now = this.#world.now();
    const due = this.#stored?.outbox.filter((entry) => entry.dueAt <= now) ?? [];
    if (due.length === 0) return;
    const outcomes = new Map<string, boolean | readonly number[]>();
    const heard: JobEvent[] = [];
    const run = async ({ id, effect }: OutboxEntry) => {
      const stored = this.#stored;
      if (!stored) return;
      try {
        const answer = await this.#world.runEffect(effect, stored, this.upkeepAt());
        const isEvent = answer !== undefined && 'type' in answer;
        if (isEvent) heard.push(answer);
        outcomes.set(id, isEvent ? true : (answer ?? true));
      } catch (error) {
        outcomes.set(id, false);
        this.#world.log('effect failed', { job: stored.job.id, effect: effect.type, error: reasonOf(error) });
      }
    };
    // Files go last: first viewers hear that they are not to look for them.
    await Promise.all(due.filter(({ effect }) => effect.type !== 'delete-files').map(run));
    await Promise.all(due.filter(({ effect }) => effect.type === 'delete-files').map(run));
    const stored = this.#stored;
    if (!stored) return;
    const outbox = afterTries(stored.outbox, outcomes, this.#world.schedule, this.#world.now());
    // One write, and no alarm: the guard still stands, and the right one is set when all work is done.
    this.#store.save({ ...stored, outbox });
    this.#stored = { ...stored, outbox };
    for (const event of heard) this.apply(event);
  }

  /** Sets the alarm to the next thing that is due, but not before `earliest`. */
  #arm(earliest: number): void {
    const next = this.#nextDue();
    if (next === null) void this.#world.storage.deleteAlarm();
    else void this.#world.storage.setAlarm(Math.max(next, earliest));
  }

  /** When the next thing is due; null when nothing waits. */
  #nextDue(outbox = this.#stored?.outbox ?? []): number | null {
    if (!this.#stored) return null;
    const { job } = this.#stored;
    const { schedule } = this.#world;
    const waits = [...outbox.map(({ dueAt }) => dueAt), job.retryAt, job.lease?.deadline ?? null];
    waits.push(this.#deliveries.nextAt() ?? secretEndsAt(job, schedule));
    if (!isFinished(job.status)) waits.push(runEndsAt(job, schedule));
    const times = waits.filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }
}

function outside(effects: readonly Effect[]): OutsideEffect[] {
  return effects.filter((effect) => effect.type !== 'cancel-webhooks' && effect.type !== 'announce');
}
