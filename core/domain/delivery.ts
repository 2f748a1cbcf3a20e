import type { Schedule } from './schedule.ts';

/** `queued` has an attempt to come; the other three are final. */
export type DeliveryStatus = 'queued' | 'delivered' | 'exhausted' | 'canceled';

/** What an operator looks for: `failing` has an attempt to come after one that failed, `exhausted` has none. */
export const TROUBLES = ['failing', 'exhausted'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** What is wrong with a delivery as it stands; null where nothing is. */
export function troubleOf({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): Trouble | null {
  if (status === 'exhausted') return 'exhausted';
  return status === 'queued' && attempts > 0 ? 'failing' : null;
}

/** One webhook on its way (contract 6.2). Times are milliseconds since the epoch. */
export interface Delivery {
  /** Stable through all attempts: what the receiver dedupes on. */
  readonly id: string;
  readonly run: number;
  readonly status: DeliveryStatus;
  /** Attempts begun. */
  readonly attempts: number;
  /** When the next attempt is due; null unless queued. */
  readonly nextAt: number | null;
  readonly createdAt: number;
}

/** What became of one attempt. `status` is the HTTP status, null when none came. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: string | null;
}

/** Deliveries of one job that may have attempts to come at a time. */
export const MAX_OPEN_DELIVERIES = 20;

export function createDelivery(id: string, run: number, now: number): Delivery {
  return { id, run, status: 'queued', attempts: 0, nextAt: now, createdAt: now };
}

/** Longer than an attempt can take: one that was begun and has no outcome by then died with its object. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Counts an attempt before it is made, so that a crash in the middle costs a duplicate or half a minute, and never the
 * delivery. `attempts` of the result is the number the attempt carries.
 */
export function countAttempt(delivery: Delivery, now: number): Delivery {
  return { ...delivery, attempts: delivery.attempts + 1, nextAt: now + LOOK_AGAIN_MS };
}

/**
 * What becomes of an attempt that began at `begunAt`: any 2xx ends the delivery; else it waits on, or is used up
 * (contract 6.2).
 */
export function finishAttempt(
  delivery: Delivery,
  result: AttemptResult,
  begunAt: number,
  schedule: Schedule,
): Delivery {
  if (delivery.status !== 'queued') return delivery;
  if (isSuccess(result)) return { ...delivery, status: 'delivered', nextAt: null };
  if (delivery.attempts >= schedule.webhookAttempts) return { ...delivery, status: 'exhausted', nextAt: null };
  return { ...delivery, nextAt: begunAt + schedule.webhookSpacing };
}

function isSuccess(result: AttemptResult): boolean {
  return result.status !== null && result.status >= 200 && result.status < 300;
}
