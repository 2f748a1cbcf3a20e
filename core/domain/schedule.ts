/**
 * The waits of the service, in milliseconds, and its limits of attempts and runs. Only a local stack scales the waits
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
   * A lease lasts this long from its last extension. A heartbeat extends it once less than half is left, so that most
   * heartbeats write nothing: a host loses its lease after half a term to a whole one of silence.
   */
  readonly leaseTtl: number;
  /** A grant that its host has not confirmed by then goes back, and costs the job no attempt. */
  readonly confirmWithin: number;
  /** The same of a grant that is sent to its host: the host may have to wake up first. */
  readonly answerWithin: number;
  /** For so long the retry of a job waits for another host than the one whose fault it was, where there is one. */
  readonly avoidFor: number;
  /** A queued job offers itself to the dispatcher again after this long, doubling up to `reofferMax`. */
  readonly reofferFirst: number;
  readonly reofferMax: number;
  /** A run that has not finished this long after it was queued fails, wherever it is. */
  readonly runDeadline: number;
  /** Hosts spend at most this long on one run, over all its attempts. */
  readonly hostBudget: number;
  /**
   * So long after an outcome its job keeps a webhook that has an auth header. For good unless the operator sets an end:
   * a re-run and a resend send the header verbatim (contract 4.3, 4.4), and neither has one.
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
  // A week: a fleet that is away over a weekend costs nobody a job.
  runDeadline: 7 * DAY,
  hostBudget: 6 * HOUR,
  secretKept: Number.POSITIVE_INFINITY,
  rerunsAnHour: Number.POSITIVE_INFINITY,
};

/**
 * The schedule with what waits for a retry or a webhook multiplied, for trying things out on one machine. Lease times
 * stay: a real host has to keep up with them.
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
 * How long to wait before retry number `retry` (from 1), or null when none is left.
 * `jitter` in [0, 1) spreads the wait over ±10 %, so that jobs that failed together do not return together.
 */
export function retryWait(schedule: Schedule, retry: number, jitter: number): number | null {
  const wait = schedule.retryWaits[retry - 1];
  return wait === undefined ? null : Math.round(wait * (0.9 + 0.2 * jitter));
}

/** How long a queued job waits before it offers itself again, after `offers` offers. */
export function reofferWait(schedule: Schedule, offers: number): number {
  return Math.min(schedule.reofferFirst * 2 ** Math.min(offers, 20), schedule.reofferMax);
}
