import {
  type AttemptResult,
  countAttempt,
  createDelivery,
  type Delivery,
  finishAttempt,
  MAX_OPEN_DELIVERIES,
  type Trouble,
  troubleOf,
} from '#domain/delivery.ts';
import type { Job } from '#domain/job.ts';
import type { Effect } from '#domain/job-event.ts';
import { type Result, refuse, value } from '#domain/result.ts';
import type { Schedule } from '#domain/schedule.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';
import type { Resend, ResendRefusal } from '#rpc/render-job.ts';
import type { WebhookMessage } from '#service/send-webhook.ts';
import { DeliveryStore, type LoggedDelivery, type StoredOutcome } from './delivery-store.ts';
import type { JobStorage } from './job-store.ts';

/** Prepares one attempt. Resolves with a function that calls `fetch` synchronously. Neither rejects. */
export type PrepareWebhook = (delivery: Delivery, message: WebhookMessage) => Promise<() => Promise<AttemptResult>>;

export interface DeliveryWorld {
  readonly storage: Pick<JobStorage, 'sql'>;
  readonly schedule: Schedule;
  /** The most resends of one job in an hour. */
  readonly resendsAnHour: number;
  readonly now: () => number;
  readonly newId: () => string;
  readonly prepare: PrepareWebhook;
}

/** The result of a resend. */
export type Resent = Result<Resend, Exclude<ResendRefusal, 'not_found' | 'job_in_flight'>>;

/** The trouble of the last webhook, for the index. */
export interface WebhookTrouble {
  readonly trouble: Trouble;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The refusal for a run whose request named no receiver. */
export const NO_OUTCOME = refuse('no_webhook');

/** Attempts of one job at a time: they have one receiver, and the platform limits the connections of an object. */
const WIDTH = 4;

const HOUR_MS = 60 * 60 * 1000;

/** How many `GET /api/jobs/:id/deliveries` lists. */
const LISTED = 100;

/**
 * The webhooks of one job: at most one outcome a run, and each of its deliveries until it is delivered, exhausted or
 * canceled. Everything but running attempts is stored. Call `announce` and `cancel` in the transaction of the change
 * that causes them.
 */
export class Deliveries {
  readonly #world: DeliveryWorld;
  readonly #store: DeliveryStore;
  /** The message of the job's last outcome. */
  readonly #messageOf: (outcome: StoredOutcome) => WebhookMessage;
  /** Running attempts by delivery. */
  readonly #sending = new Map<string, Promise<void>>();
  readonly #onTrouble: () => void;

  /** `onTrouble`: called when trouble of the last delivery starts or ends. */
  constructor(
    world: DeliveryWorld,
    messageOf: (outcome: StoredOutcome) => WebhookMessage,
    onTrouble: () => void = () => {},
  ) {
    this.#world = world;
    this.#messageOf = messageOf;
    this.#onTrouble = onTrouble;
    this.#store = new DeliveryStore(world.storage.sql);
  }

  /** Applies the webhook effects of a change. */
  carryOut(effects: readonly Effect[], job: Job, outcomeOf: (job: Job) => Pick<StoredOutcome, 'event' | 'body'>): void {
    for (const { type } of effects) {
      if (type === 'cancel-webhooks') this.cancel();
      if (type === 'forget-history') this.#store.forget();
      if (type === 'announce' && job.webhook) this.announce(job.run, { url: job.webhook.url, ...outcomeOf(job) });
    }
  }

  /** Queues a run's outcome for its receiver. */
  announce(run: number, outcome: StoredOutcome): void {
    this.#store.announce(this.#newDelivery(run), outcome);
    this.#prune();
  }

  /** Cancels all queued deliveries. A running attempt continues. */
  cancel(): void {
    this.#store.cancelOpen();
  }

  /** Sends the outcome of a run again, as a new delivery. */
  resend(run: number): Resent {
    const outcome = this.#store.outcome(run);
    if (!outcome) return NO_OUTCOME;
    if (this.#store.countOpen() >= MAX_OPEN_DELIVERIES) return refuse('too_many_deliveries');
    const remaining = this.#world.resendsAnHour - this.#store.countSince(this.#world.now() - HOUR_MS) - 1;
    if (remaining < 0) return refuse('too_many_resends');
    const delivery = this.#newDelivery(run);
    this.#store.addTo(outcome, delivery);
    this.#prune();
    return value({ deliveryId: delivery.id, remaining });
  }

  nextAt(): number | null {
    return this.#store.nextAt();
  }

  /** Returns the latest deliveries with their attempts, oldest first. */
  list(): DeliveryRecord[] {
    return this.#store.latest(LISTED);
  }

  /** Returns the trouble of the last delivery and when that was created; null if there is none. */
  trouble(): WebhookTrouble | null {
    const [last] = this.#store.latest(1);
    if (!last) return null;
    const attempts = last.attempts.filter(({ error }) => error !== UNKNOWN.error).length;
    const trouble = troubleOf({ status: last.status, attempts });
    return trouble && { trouble, at: last.createdAt };
  }

  /** Sends all due attempts, a few at a time. Resolves when all running attempts have ended. */
  async flush(): Promise<void> {
    const underWay = [...this.#sending.values()];
    const room = Math.max(0, WIDTH - underWay.length);
    await Promise.all([...underWay, ...Array.from({ length: room }, () => this.#sendInTurn())]);
  }

  #newDelivery(run: number): Delivery {
    return createDelivery(this.#world.newId(), run, this.#world.now());
  }

  /** Deletes deliveries that are neither listed nor counted towards the limit of an hour. */
  #prune(): void {
    this.#store.prune(LISTED, this.#world.now() - HOUR_MS);
  }

  async #sendInTurn(): Promise<void> {
    for (let delivery = this.#nextDue(); delivery; delivery = this.#nextDue()) {
      const { id } = delivery;
      const before = this.trouble();
      const attempt = this.#attempt(delivery).finally(() => this.#sending.delete(id));
      this.#sending.set(id, attempt);
      await attempt;
      if (this.trouble()?.trouble !== before?.trouble) this.#onTrouble();
    }
  }

  #nextDue(): LoggedDelivery | undefined {
    return this.#store.due(this.#world.now(), WIDTH + 1).find(({ id }) => !this.#sending.has(id));
  }

  async #attempt(queued: LoggedDelivery): Promise<void> {
    const { schedule, prepare } = this.#world;
    const outcome = this.#store.outcome(queued.run);
    if (!outcome || queued.attempts >= schedule.webhookAttempts) {
      // The last attempt was started and has no result: the object was evicted.
      this.#store.update({ ...queued, status: 'exhausted', nextAt: null });
      return;
    }
    const send = await prepare(countAttempt(queued, this.#world.now()), this.#messageOf(outcome));
    // A re-run may have canceled it meanwhile. Nothing is awaited between this check and the `fetch`.
    if (this.#store.find(queued.id)?.status !== 'queued') return;
    const now = this.#world.now();
    const begun = { ...queued, ...countAttempt(queued, now), log: [...queued.log, { at: now, ...UNKNOWN }] };
    this.#store.update(begun);
    const result = await send();
    // The delivery may have been canceled or deleted since.
    const found = this.#store.find(begun.id);
    if (!found) return;
    this.#store.update({
      ...found,
      ...finishAttempt(found, result, now, schedule),
      log: [...queued.log, { at: now, ...result }],
    });
  }
}

/** The result of a started attempt until it is known. */
const UNKNOWN: AttemptResult = { status: null, error: 'no outcome was recorded' };
