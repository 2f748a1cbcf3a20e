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
 * Records the result of an attempt that began at `begunAt`. A 2xx ends the delivery; otherwise the next attempt is
 * scheduled, or none is left (contract 6.2).
 */
export function finishAttempt(
  delivery: Delivery,
  result: AttemptResult,
  begunAt: number,
  schedule: Schedule,
): Delivery {
  if (delivery.status !== 'queued') return delivery;
  if (isSuccess(result)) return { ...delivery, status: 'delivered', nextAt: null };
  const { wait } = result;
  const isUsedUp = wait === undefined && delivery.attempts >= schedule.webhookAttempts;
  const isLate = wait != null && begunAt + wait > delivery.createdAt + MOST_WAITED_MS;
  if (wait === null || isUsedUp || isLate) return { ...delivery, status: 'exhausted', nextAt: null };
  return { ...delivery, nextAt: begunAt + (wait ?? schedule.webhookSpacing) };
}

function isSuccess(result: AttemptResult): boolean {
  return result.status !== null && result.status >= 200 && result.status < 300;
}
