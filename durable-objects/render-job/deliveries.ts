import {
  type AttemptResult,
  type AttemptWait,
  countAttempt,
  createDelivery,
  type Delivery,
  finishAttempt,
  MAX_OPEN_DELIVERIES,
  POST_RUN,
  type Trouble,
  troubleOf,
} from '#domain/job/delivery.ts';
import type { Effect } from '#domain/job/event.ts';
import type { Job } from '#domain/job/job.ts';
import { type Result, refuse, value } from '#domain/job/result.ts';
import type { Schedule } from '#domain/job/schedule.ts';
import type { DeliveryRecord } from '#protocol/job/delivery-view.ts';
import type { Resend, ResendRefusal } from '#rpc/render-job.ts';
import type { WebhookMessage } from '#service/job/send-webhook.ts';
import { DeliveryStore, type LoggedDelivery, type StoredOutcome } from './delivery-store.ts';
import type { JobStorage } from './job-store.ts';

/**
 * Prepares one attempt. Resolves with a function that calls `fetch` synchronously and never rejects; with a wait if the
 * account's budget is used up; with null if there is nothing to post any more. `isForClip`: the attempt is one of the
 * ten for a run that made a clip; only test keys count it. `hasPlace`: it has its place in the hourly budget already.
 */
export type PrepareWebhook = (
  delivery: Delivery,
  message: WebhookMessage,
  terms: { readonly isForClip: boolean; readonly hasPlace: boolean },
) => Promise<(() => Promise<AttemptResult>) | AttemptWait | null>;

export interface DeliveryContext {
  readonly storage: Pick<JobStorage, 'sql'>;
  readonly schedule: Schedule;
  readonly resendsAnHour: number;
  readonly now: () => number;
  readonly newId: () => string;
  readonly prepare: PrepareWebhook;
}

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

/** What `GET /api/jobs/:id/deliveries` shows as the event of a post. */
const POST_EVENT = 'discord';

/** How many `GET /api/jobs/:id/deliveries` lists. */
const LISTED = 100;

/**
 * The webhooks of one job: at most one outcome a run, and each of its deliveries until it is delivered, exhausted or
 * canceled. Likewise the post of a rule's run. Everything but running attempts is stored. Call `announce`,
 * `announcePost` and `cancel` in the transaction of the change that causes them.
 */
export class Deliveries {
  readonly #context: DeliveryContext;
  readonly #store: DeliveryStore;
  /** The message of the job's last outcome. */
  readonly #messageOf: (outcome: StoredOutcome) => WebhookMessage;
  /** Running attempts by delivery. */
  readonly #sending = new Map<string, Promise<void>>();
  readonly #onTrouble: () => void;

  /** `onTrouble`: called when trouble of the last delivery starts or ends. */
  constructor(
    context: DeliveryContext,
    messageOf: (outcome: StoredOutcome) => WebhookMessage,
    onTrouble: () => void = () => {},
  ) {
    this.#context = context;
    this.#messageOf = messageOf;
    this.#onTrouble = onTrouble;
    this.#store = new DeliveryStore(context.storage.sql);
  }

  /** Applies the webhook effects of a change. */
  carryOut(effects: readonly Effect[], job: Job, outcomeOf: (job: Job) => Pick<StoredOutcome, 'event' | 'body'>): void {
    for (const effect of effects) {
      const { type } = effect;
      if (type === 'cancel-webhooks') this.cancel(effect.posts);
      if (type === 'forget-history') this.#store.forget();
      if (type === 'announce' && job.webhook) this.announce(job.run, { url: job.webhook.url, ...outcomeOf(job) });
    }
  }

  /** Queues a run's outcome for its receiver. */
  announce(run: number, outcome: StoredOutcome): void {
    this.#store.announce(this.#newDelivery(run), outcome);
    this.#prune();
  }

  /** Queues the post of a rule's run. `postTo`: the masked address. */
  announcePost({ run, postTo }: { readonly run: string; readonly postTo: string }): void {
    this.announce(POST_RUN, { event: POST_EVENT, url: postTo, body: run });
  }

  /** Cancels all queued webhooks, and the post if asked to. A running attempt continues. */
  cancel(posts = false): void {
    this.#store.cancelOpen(posts ? POST_RUN : POST_RUN + 1);
  }

  get hasPost(): boolean {
    return this.#store.outcome(POST_RUN) !== null;
  }

  /** Whether the post was given up. It can be sent again. */
  get hasLostPost(): boolean {
    return this.#store.last().some(({ run, status }) => run === POST_RUN && status === 'exhausted');
  }

  /** Sends the outcome of the job's run again as a new delivery, and its post if that was given up. */
  resend({ run, webhook }: Pick<Job, 'run' | 'webhook'>): Resent {
    const runs = [...(webhook ? [run] : []), ...(this.hasLostPost ? [POST_RUN] : [])];
    const added = runs.flatMap((one) => {
      const outcome = this.#store.outcome(one);
      return outcome ? [{ outcome, delivery: this.#newDelivery(one) }] : [];
    });
    const [first] = added;
    if (!first) return NO_OUTCOME;
    if (this.#store.countOpen() >= MAX_OPEN_DELIVERIES) return refuse('too_many_deliveries');
    const remaining = this.#context.resendsAnHour - this.#store.countSince(this.#context.now() - HOUR_MS) - 1;
    if (remaining < 0) return refuse('too_many_resends');
    for (const { outcome, delivery } of added) this.#store.addTo(outcome, delivery);
    this.#prune();
    return value({ deliveryId: first.delivery.id, remaining });
  }

  nextAt(): number | null {
    return this.#store.nextAt();
  }

  /** Returns the latest deliveries with their attempts, oldest first. */
  list(): DeliveryRecord[] {
    return this.#store.latest(LISTED);
  }

  /** Returns the trouble of the last webhook or post and when that was created; null if there is none. */
  trouble(): WebhookTrouble | null {
    for (const { status, log, createdAt } of this.#store.last()) {
      const attempts = log.filter(({ error }) => error !== UNKNOWN.error).length;
      const trouble = troubleOf({ status, attempts });
      if (trouble) return { trouble, at: createdAt };
    }
    return null;
  }

  /** Sends all due attempts, a few at a time. Resolves when all running attempts have ended. */
  async flush(): Promise<void> {
    const underWay = [...this.#sending.values()];
    const room = Math.max(0, WIDTH - underWay.length);
    await Promise.all([...underWay, ...Array.from({ length: room }, () => this.#sendInTurn())]);
  }

  #newDelivery(run: number): Delivery {
    return createDelivery(this.#context.newId(), run, this.#context.now());
  }

  /** Deletes deliveries that are neither listed nor counted towards the limit of an hour. */
  #prune(): void {
    this.#store.prune(LISTED, this.#context.now() - HOUR_MS);
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
    return this.#store.due(this.#context.now(), WIDTH + 1).find(({ id }) => !this.#sending.has(id));
  }

  async #attempt(queued: LoggedDelivery): Promise<void> {
    const { schedule, prepare } = this.#context;
    const outcome = this.#store.outcome(queued.run);
    if (!outcome || queued.attempts >= schedule.webhookAttempts) {
      // The last attempt was started and has no result: the object was evicted.
      this.#store.update({ ...queued, status: 'exhausted', nextAt: null });
      return;
    }
    const message = queued.run === POST_RUN ? { ...outcome, authHeader: null } : this.#messageOf(outcome);
    // A resend has another id.
    const isForClip = outcome.deliveryId === queued.id && outcome.event === 'job.completed';
    const terms = { isForClip, hasPlace: queued.waitReason !== null };
    const send = await prepare(countAttempt(queued, this.#context.now()), message, terms);
    // A re-run may have canceled it meanwhile. Nothing is awaited between this check and the `fetch`.
    if (this.#store.find(queued.id)?.status !== 'queued') return;
    if (!send) {
      this.#store.update({ ...queued, status: 'canceled', nextAt: null });
      return;
    }
    if (typeof send !== 'function') {
      this.#store.update({ ...queued, nextAt: send.until, waitReason: send.why });
      return;
    }
    const now = this.#context.now();
    const begun = {
      ...queued,
      ...countAttempt(queued, now),
      waitReason: null,
      log: [...queued.log, { at: now, ...UNKNOWN }],
    };
    this.#store.update(begun);
    const result = await send();
    // The delivery may have been canceled or deleted since.
    const found = this.#store.find(begun.id);
    if (!found) return;
    this.#store.update({
      ...found,
      ...finishAttempt(found, result, now, schedule, queued.log[0]?.at),
      log: [...queued.log, { at: now, ...result }],
    });
  }
}

/** The result of a started attempt until it is known. */
const UNKNOWN: AttemptResult = { status: null, error: 'no outcome was recorded' };
