import * as z from 'zod';
import { DAY_MS } from './metering.ts';
import type { Schedule } from './schedule.ts';

/** `queued` has a next attempt; the other three are final. */
export type DeliveryStatus = 'queued' | 'delivered' | 'exhausted' | 'canceled';

/** Filters of operators: `failing` had a failed attempt and has a next one, `exhausted` has none. */
export const TROUBLES = ['failing', 'exhausted'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Returns the trouble of a delivery; null if there is none. */
export function troubleOf({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): Trouble | null {
  if (status === 'exhausted') return 'exhausted';
  return status === 'queued' && attempts > 0 ? 'failing' : null;
}

/** One webhook or post with its attempts (contract 6.2). Times are milliseconds since the epoch. */
export interface Delivery {
  /** The same for all attempts: receivers deduplicate by it. */
  readonly id: string;
  /** The job's run; `POST_RUN` for a post. */
  readonly run: number;
  readonly status: DeliveryStatus;
  /** Attempts started. */
  readonly attempts: number;
  /** When the next attempt is due; null unless `queued`. */
  readonly nextAt: number | null;
  readonly createdAt: number;
}

/** The result of one attempt. `status` is the HTTP status, null if there was no response. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: string | null;
  /** Milliseconds until the next attempt, as the receiver asks; null for none. Absent: as the schedule says. */
  readonly wait?: number | null | undefined;
}

/** Until when an attempt waits because the hourly budget is used up. The wait is no attempt. `until`: ms of the epoch. */
export interface AttemptWait {
  readonly until: number;
  readonly why: string;
}

/** A job posts at most once, whatever its run: for all jobs of a rule's run. Runs count from 1. */
export const POST_RUN = 0;

/** Deliveries of one job that may be `queued` at a time. */
export const MAX_OPEN_DELIVERIES = 20;

export function createDelivery(id: string, run: number, now: number): Delivery {
  return { id, run, status: 'queued', attempts: 0, nextAt: now, createdAt: now };
}

/** Longer than an attempt can take. An attempt without a result by then was lost when its object was evicted. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Counts an attempt before it is sent: a crash then costs a duplicate or half a minute, but never the delivery. Returns
 * `attempts` as the number of this attempt.
 */
export function countAttempt(delivery: Delivery, now: number): Delivery {
  return { ...delivery, attempts: delivery.attempts + 1, nextAt: now + LOOK_AGAIN_MS };
}

/** For how long a receiver may ask again and again to wait. */
const MOST_WAITED_MS = DAY_MS;

/**
 * Records the result of an attempt that began at `begunAt`, the first one at `firstAt`. A 2xx ends the delivery;
 * otherwise the next attempt is scheduled, or none is left (contract 6.2).
 */
export function finishAttempt(
  delivery: Delivery,
  result: AttemptResult,
  begunAt: number,
  schedule: Schedule,
  firstAt = delivery.createdAt,
): Delivery {
  if (delivery.status !== 'queued') return delivery;
  const { status, wait } = result;
  if (status !== null && status >= 200 && status < 300) return { ...delivery, status: 'delivered', nextAt: null };
  const isUsedUp = wait === undefined && delivery.attempts >= schedule.webhookAttempts;
  const isLate = wait != null && begunAt + wait > firstAt + MOST_WAITED_MS;
  if (wait === null || isUsedUp || isLate) return { ...delivery, status: 'exhausted', nextAt: null };
  return { ...delivery, nextAt: begunAt + (wait ?? schedule.webhookSpacing) };
}

/** Why Discord refuses a post for good (discord/discord-api-docs c98d64bc, opcodes-and-status-codes.mdx). */
const REFUSED: Readonly<Record<number, string>> = {
  400: ': it does not accept the message',
  401: ': the token of the webhook is not valid',
  403: ': the webhook may not post in this channel',
  404: ': the webhook does not exist',
};

/** Seconds of a wait that Discord asks for, `retry_after` (developers/topics/rate-limits.mdx). */
const RateLimit = z.looseObject({ retry_after: z.number() });
const LONGEST_WAIT_S = 3600;
const UNKNOWN_WAIT_S = 60;

/**
 * Returns the result of an attempt to post. A 429 is tried again after the time that it asks for, from a second to an
 * hour; all other statuses from 400 to 499 are final, because a repetition would have the same answer. `retryAfter`:
 * the header, for an answer that is not JSON.
 */
export function discordResult(status: number, retryAfter: string | null, json: unknown): AttemptResult {
  if (status >= 200 && status < 300) return { status, error: null };
  if (status === 429) {
    const { data } = RateLimit.safeParse(json);
    const asked = data?.retry_after ?? Number(retryAfter ?? Number.NaN);
    const seconds = Number.isNaN(asked) ? UNKNOWN_WAIT_S : Math.min(Math.max(asked, 1), LONGEST_WAIT_S);
    return { status, error: `Discord asks to wait for ${seconds} s`, wait: Math.ceil(seconds * 1000) };
  }
  const error = `Discord answered ${status}${REFUSED[status] ?? ''}`;
  return status >= 400 && status < 500 ? { status, error, wait: null } : { status, error };
}
