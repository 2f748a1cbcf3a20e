/**
 * The waits of the service, in milliseconds, and its limits of attempts and runs. Only a local stack scales them
 * (`scaleSchedule`).
 */
export interface Schedule {
  /** Waits before the 1st, 2nd, … automatic retry; its length is the number of retries. */
  readonly retryWaits: readonly number[];
  /** Between two attempts of one webhook (contract 6.2). */
  readonly webhookSpacing: number;
  /** Attempts of one webhook, the first included (contract 6.2). */
  readonly webhookAttempts: number;
  /**
   * How long a lease lasts after an extension. A heartbeat extends it only when less than half is left, so most
   * heartbeats write nothing. A silent host loses its lease after half of this to all of it.
   */
  readonly leaseTtl: number;
  /** A grant that is not confirmed within this time is revoked and counts as no attempt. */
  readonly confirmWithin: number;
  /** The same for a push host, which may have to start first. */
  readonly answerWithin: number;
  /** How long a retry avoids the host that failed, if there is another. */
  readonly avoidFor: number;
  /** When a queued job is offered again; doubles up to `reofferMax`. */
  readonly reofferFirst: number;
  readonly reofferMax: number;
  /** A run that has not finished this long after it was queued fails. */
  readonly runDeadline: number;
  /** Most host time of one run, over all its attempts. */
  readonly hostBudget: number;
  /**
   * How long a finished job keeps a webhook that has an auth header. Unlimited by default: a re-run and a resend send
   * the header verbatim (contract 4.3, 4.4) and get it from here.
   */
  readonly secretKept: number;
  /** Runs of one job after its first, counted for an hour from the first of them. */
  readonly rerunsAnHour: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const DEFAULT_SCHEDULE: Schedule = {
  retryWaits: [15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  webhookSpacing: 15 * MINUTE,
  webhookAttempts: 10,
  leaseTtl: 60 * SECOND,
  confirmWithin: 5 * SECOND,
  answerWithin: 9 * SECOND,
  avoidFor: 30 * SECOND,
  reofferFirst: MINUTE,
  reofferMax: 15 * MINUTE,
  // A week: no job fails because a fleet was off over a weekend.
  runDeadline: 7 * DAY,
  hostBudget: 6 * HOUR,
  secretKept: Number.POSITIVE_INFINITY,
  rerunsAnHour: Number.POSITIVE_INFINITY,
};

/**
 * Returns the schedule with the waits for retries and webhooks multiplied, for trials on one machine. Lease times stay,
 * because hosts are not faster.
 */
export function scaleSchedule(schedule: Schedule, factor: number): Schedule {
  return {
    ...schedule,
    retryWaits: schedule.retryWaits.map((wait) => wait * factor),
    webhookSpacing: schedule.webhookSpacing * factor,
    avoidFor: schedule.avoidFor * factor,
  };
}

/**
 * Returns the wait before retry number `retry` (from 1); null if none is left. `jitter` in [0, 1) spreads it over ±10
 * %, so that jobs that failed together do not return together.
 */
export function retryWait(schedule: Schedule, retry: number, jitter: number): number | null {
  const wait = schedule.retryWaits[retry - 1];
  return wait === undefined ? null : Math.round(wait * (0.9 + 0.2 * jitter));
}

/** How long a queued job waits before its next offer, after `offers` offers. */
export function reofferWait(schedule: Schedule, offers: number): number {
  return Math.min(schedule.reofferFirst * 2 ** Math.min(offers, 20), schedule.reofferMax);
}
