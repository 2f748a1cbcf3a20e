import { beginAttempt, cancelDelivery, createDelivery, finishAttempt } from '../../domain/delivery.ts';
import type { Job } from '../../domain/job.ts';
import { createJob, type Effect, type JobEvent, type Transition, transition } from '../../domain/job-machine.ts';
import { extendOutbox, type OutsideEffect, settleOutbox } from '../../domain/outbox.ts';
import type { StoredRequest } from '../../protocol/stored-request.ts';
import { webhookBody } from '../../protocol/webhook.ts';
import type { Bindings } from '../bindings.ts';
import type { Settings } from '../settings.ts';
import { createJobStore, type JobStore, type StoredDelivery, type StoredJob } from './job-store.ts';
import { createLane } from './lane.ts';
import { Liveness } from './liveness.ts';
import { runEffect } from './run-effect.ts';
import { sendWebhook } from './send-webhook.ts';

/** How late an alarm has to be before the watchdog looks after it. */
const WATCH_GRACE_MS = 15 * 60_000;

/** While effects run, the alarm stands this far ahead: it only matters if the object dies under them. */
const CRASH_GUARD_MS = 5000;

/**
 * Keeps one job: applies events, commits each change with its effects and its next alarm in one transaction, and then
 * carries the effects out until they are done. Every wait (retry, lease, webhook, outbox) is read off the committed
 * state, so there is one alarm and no timer that could disagree with the job.
 */
export class JobEngine {
  readonly store: JobStore;
  readonly liveness = new Liveness(Date.now());
  readonly #state: DurableObjectState;
  readonly #env: Bindings;
  readonly #settings: Settings;
  readonly #onChange: (job: Job) => void;
  readonly #flushOutbox = createLane(() => this.#runDueEffects());
  /** Deliveries with an attempt under way: each goes out alone, but none waits for another. */
  readonly #sending = new Set<string>();
  #stored: StoredJob | null;
  #working = 0;

  constructor(state: DurableObjectState, env: Bindings, settings: Settings, onChange: (job: Job) => void) {
    this.#state = state;
    this.#env = env;
    this.#settings = settings;
    this.#onChange = onChange;
    this.store = createJobStore(state.storage.sql);
    this.#stored = this.store.load();
  }

  get stored(): StoredJob | null {
    return this.#stored;
  }

  /** Commits a new job with its first effects. */
  create(identity: Pick<Job, 'id' | 'accountId'>, admission: Parameters<typeof createJob>[1], request: StoredRequest) {
    const now = Date.now();
    const { job, effects } = createJob(identity, admission, now);
    const stored = { job, request, outbox: extendOutbox([], outside(effects), job, now) };
    this.#commit(stored, () => {
      this.store.create(stored);
      this.#applyToDeliveries(effects, stored, now);
    });
    this.#start();
  }

  /** Applies an event and commits what it changes. `request` replaces the stored one (a forced redo). */
  apply(event: JobEvent, request?: StoredRequest): Transition | null {
    const before = this.#stored;
    if (!before) return null;
    const now = Date.now();
    const context = { now, schedule: this.#settings.schedule, jitter: Math.random() };
    const result = transition(before.job, event, context);
    if (!result.ok || result.job === before.job) return result;
    const stored = {
      job: result.job,
      request: request ?? before.request,
      outbox: extendOutbox(before.outbox, outside(result.effects), result.job, now),
    };
    this.#commit(stored, () => {
      this.store.save(stored);
      if (request) this.store.saveRequest(request);
      this.#applyToDeliveries(result.effects, stored, now);
    });
    this.#onChange(result.job);
    this.#start();
    return result;
  }

  /** Sends the last outcome again as a new delivery (spec 4.4) and gives its id; null when there was none. */
  resend(): string | null {
    const last = this.store.deliveries().at(-1);
    if (!this.#stored || last?.run !== this.#stored.job.run) return null;
    const now = Date.now();
    const copy = { ...last, ...createDelivery(crypto.randomUUID(), last.run, now) };
    this.#commit(this.#stored, () => this.store.saveDelivery(copy));
    this.#start();
    return copy.id;
  }

  /** What the alarm is for: does everything that has become due, and sets the next alarm. Never rejects. */
  async wake(): Promise<void> {
    const job = this.#stored?.job;
    if (!job) return;
    const now = Date.now();
    this.#arm(now + CRASH_GUARD_MS);
    if (job.status === 'retrying') this.apply({ type: 'retry-due' });
    if (job.lease && this.liveness.deadline(job.lease, this.#settings.schedule) <= now) {
      // A claim whose answer never reached its host cost the job nothing; a host that fell silent at work did.
      const type = this.liveness.isUnconfirmed(job.lease) ? 'release' : 'lease-expired';
      this.apply({ type, fence: job.lease.fence });
    }
    await this.#work();
  }

  /** Does what the alarm should have done, and says when to look again: null when nothing waits any more. */
  async nudge(): Promise<number | null> {
    await this.wake();
    return this.#watchAt();
  }

  /** Writes a change and its alarm in one transaction. When that fails, memory stays as the disk is. */
  #commit(stored: StoredJob, write: () => void): void {
    const before = this.#stored;
    try {
      this.#state.storage.transactionSync(() => {
        write();
        this.#stored = stored;
        this.#arm(Date.now() + CRASH_GUARD_MS);
      });
    } catch (error) {
      this.#stored = before;
      throw error;
    }
  }

  #applyToDeliveries(effects: readonly Effect[], { job, request }: StoredJob, now: number): void {
    for (const { type } of effects) {
      if (type === 'cancel-webhooks') {
        for (const delivery of this.store.deliveries()) {
          if (delivery.status === 'queued') this.store.saveDelivery({ ...delivery, ...cancelDelivery(delivery) });
        }
      }
      if (type === 'announce' && job.webhook) {
        this.store.saveDelivery({
          ...createDelivery(crypto.randomUUID(), job.run, now),
          url: job.webhook.url,
          authHeader: job.webhook.authHeader,
          body: webhookBody(job, request.extras, this.#settings.baseUrl),
        });
      }
    }
  }

  #start(): void {
    this.#state.waitUntil(this.#work());
  }

  async #work(): Promise<void> {
    this.#working++;
    try {
      await Promise.all([this.#flushOutbox(), this.#sendDueDeliveries()]);
    } catch (error) {
      // The alarm stands a few seconds ahead and tries again.
      log('work was cut short', { job: this.#stored?.job.id, error: String(error) });
      return;
    } finally {
      this.#working--;
    }
    if (this.#working === 0) this.#arm(Date.now());
  }

  async #runDueEffects(): Promise<void> {
    const now = Date.now();
    const due = this.#stored?.outbox.filter((entry) => entry.dueAt <= now) ?? [];
    if (due.length === 0) return;
    const outcomes = new Map<string, boolean>();
    await Promise.all(
      due.map(async ({ id, effect }) => {
        const stored = this.#stored;
        if (!stored) return;
        try {
          await runEffect(this.#env, this.#settings, effect, stored, this.#watchAt());
          outcomes.set(id, true);
        } catch (error) {
          outcomes.set(id, false);
          log('effect failed', { job: stored.job.id, effect: effect.type, error: String(error) });
        }
      }),
    );
    const stored = this.#stored;
    if (!stored) return;
    const outbox = settleOutbox(stored.outbox, outcomes, this.#settings.schedule, Date.now());
    // One write, and no alarm: the guard still stands, and the right one is set when all work is done.
    this.store.save({ ...stored, outbox });
    this.#stored = { ...stored, outbox };
  }

  async #sendDueDeliveries(): Promise<void> {
    const due = this.store.deliveries().filter(({ id, nextAt }) => isDue(nextAt, Date.now()) && !this.#sending.has(id));
    await Promise.all(
      due.map(async (delivery) => {
        this.#sending.add(delivery.id);
        await this.#attempt(delivery).finally(() => this.#sending.delete(delivery.id));
      }),
    );
  }

  async #attempt(queued: StoredDelivery): Promise<void> {
    const { schedule } = this.#settings;
    if (queued.attempts >= schedule.webhookAttempts) {
      // The last attempt was begun and never settled: the object died under it.
      this.store.saveDelivery({ ...queued, status: 'exhausted', nextAt: null });
      return;
    }
    const now = Date.now();
    const begun = { ...queued, ...beginAttempt(queued, now) };
    const attempt = { deliveryId: begun.id, attempt: begun.attempts, at: now };
    this.#state.storage.transactionSync(() => {
      this.store.saveDelivery(begun);
      this.store.saveAttempt({ ...attempt, status: null, error: 'no outcome was recorded' });
    });
    const result = await sendWebhook(begun, this.#settings);
    const current = this.store.deliveries().find((delivery) => delivery.id === begun.id) ?? begun;
    this.#state.storage.transactionSync(() => {
      this.store.saveDelivery({ ...current, ...finishAttempt(current, result, now, schedule) });
      this.store.saveAttempt({ ...attempt, ...result });
    });
  }

  /** What the index is told; the projection that tells it is not itself something to wait for. */
  #watchAt(): number | null {
    const next = this.#nextDue(this.#stored?.outbox.filter(({ effect }) => effect.type !== 'project'));
    return next === null ? null : Math.max(next, Date.now()) + WATCH_GRACE_MS;
  }

  /** Sets the alarm to the next thing that is due, but not before `earliest`. */
  #arm(earliest: number): void {
    const next = this.#nextDue();
    if (next === null) void this.#state.storage.deleteAlarm();
    else void this.#state.storage.setAlarm(Math.max(next, earliest));
  }

  /** When the next thing is due; null when nothing waits. */
  #nextDue(outbox = this.#stored?.outbox ?? []): number | null {
    if (!this.#stored) return null;
    const { job } = this.#stored;
    const lost = job.lease && this.liveness.deadline(job.lease, this.#settings.schedule);
    const times = [...outbox.map((entry) => entry.dueAt), this.store.nextDeliveryAt(), job.retryAt, lost].filter(
      (time) => time !== null,
    );
    return times.length === 0 ? null : Math.min(...times);
  }
}

function outside(effects: readonly Effect[]): OutsideEffect[] {
  return effects.filter((effect) => effect.type !== 'cancel-webhooks' && effect.type !== 'announce');
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function log(message: string, fields: Record<string, unknown>): void {
  // biome-ignore lint/suspicious/noConsole: the platform's log is the console
  console.error(JSON.stringify({ message, ...fields }));
}
