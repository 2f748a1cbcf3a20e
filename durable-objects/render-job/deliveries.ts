import {
  type AttemptResult,
  beginAttempt,
  createDelivery,
  type Delivery,
  finishAttempt,
  MAX_OPEN_DELIVERIES,
} from '../../domain/delivery.ts';
import { type Result, refuse, value } from '../../domain/result.ts';
import type { Schedule } from '../../domain/schedule.ts';
import type { DeliveryRecord } from '../../protocol/delivery-view.ts';
import { createDeliveryStore, type DeliveryStore, type StoredOutcome } from './delivery-store.ts';
import type { JobStorage } from './job-store.ts';

/** Makes one attempt; never rejects. */
export type SendWebhook = (delivery: Delivery, outcome: StoredOutcome) => Promise<AttemptResult>;

export interface DeliveryWorld {
  readonly storage: Pick<JobStorage, 'sql' | 'transactionSync'>;
  readonly schedule: Schedule;
  /** Of one job. */
  readonly resendsAnHour: number;
  readonly now: () => number;
  readonly newId: () => string;
  readonly send: SendWebhook;
}

/** What became of asking for an outcome to be sent again. */
export type Resent = Result<Resend, 'no_webhook' | 'too_many_deliveries' | 'too_many_resends'>;

export interface Resend {
  readonly deliveryId: string;
  /** How often it may be asked for once more in this hour. */
  readonly remaining: number;
}

/** Of a run that announced none: its request named no receiver. */
export const NO_OUTCOME = refuse('no_webhook');

/** Attempts of one job at a time: its receiver is the same, and the platform has few connections for an object. */
const WIDTH = 4;

const HOUR_MS = 60 * 60 * 1000;

/** How many `GET /api/jobs/:id/deliveries` lists. */
const LISTED = 100;

/**
 * The webhooks of one job: at most one outcome a run, and each of its deliveries until it has arrived, is used up or
 * was canceled. Everything but the attempts under way is in storage. `announce` and `cancel` belong into the
 * transaction of the change that causes them.
 */
export class Deliveries {
  readonly #world: DeliveryWorld;
  readonly #store: DeliveryStore;
  /** Attempts under way: none is made twice at a time. */
  readonly #sending = new Set<string>();

  constructor(world: DeliveryWorld) {
    this.#world = world;
    this.#store = createDeliveryStore(world.storage.sql);
  }

  /** Makes a run's outcome known to its receiver. */
  announce(outcome: StoredOutcome): void {
    this.#store.addOutcome(outcome);
    this.#add(outcome.run);
  }

  /** Ends every delivery that has not arrived. An attempt under way is not called back. */
  cancel(): void {
    this.#store.cancelOpen();
  }

  /** Sends the outcome of a run again, as a new delivery. */
  resend(run: number): Resent {
    if (!this.#store.outcome(run)) return NO_OUTCOME;
    if (this.#store.countOpen() >= MAX_OPEN_DELIVERIES) return refuse('too_many_deliveries');
    const remaining = this.#world.resendsAnHour - this.#store.countSince(this.#world.now() - HOUR_MS) - 1;
    if (remaining < 0) return refuse('too_many_resends');
    return value({ deliveryId: this.#add(run), remaining });
  }

  nextAt(): number | null {
    return this.#store.nextAt();
  }

  /** The latest with their attempts, oldest first. */
  list(): DeliveryRecord[] {
    return this.#store.latest(LISTED);
  }

  /** Makes every attempt that is due, a few at a time. */
  async flush(): Promise<void> {
    const room = WIDTH - this.#sending.size;
    await Promise.all(Array.from({ length: Math.max(0, room) }, () => this.#sendInTurn()));
  }

  #add(run: number): string {
    const delivery = createDelivery(this.#world.newId(), run, this.#world.now());
    this.#store.add(delivery);
    return delivery.id;
  }

  async #sendInTurn(): Promise<void> {
    for (let delivery = this.#nextDue(); delivery; delivery = this.#nextDue()) {
      this.#sending.add(delivery.id);
      await this.#attempt(delivery).finally(() => this.#sending.delete(delivery?.id ?? ''));
    }
  }

  #nextDue(): Delivery | undefined {
    return this.#store.due(this.#world.now(), WIDTH + 1).find(({ id }) => !this.#sending.has(id));
  }

  async #attempt(queued: Delivery): Promise<void> {
    const { schedule, storage, send } = this.#world;
    const outcome = this.#store.outcome(queued.run);
    if (!outcome || queued.attempts >= schedule.webhookAttempts) {
      // The last attempt was begun and has no outcome: the object died under it.
      this.#store.update({ ...queued, status: 'exhausted', nextAt: null });
      return;
    }
    const now = this.#world.now();
    const begun = beginAttempt(queued, now);
    const attempt = { deliveryId: begun.id, attempt: begun.attempts, at: now };
    storage.transactionSync(() => {
      this.#store.update(begun);
      this.#store.saveAttempt({ ...attempt, status: null, error: 'no outcome was recorded' });
    });
    const result = await send(begun, outcome);
    storage.transactionSync(() => {
      // It may have been canceled meanwhile.
      this.#store.update(finishAttempt(this.#store.find(begun.id) ?? begun, result, now, schedule));
      this.#store.saveAttempt({ ...attempt, ...result });
    });
  }
}
