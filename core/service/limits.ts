import { createRateBuckets, type RatePolicy } from '#domain/rate-buckets.ts';
import type { Settings } from '#platform/settings.ts';

/** The platform's rate limits (wrangler.toml): they count for one location, and answer only yes or no. */
export interface RateBindings {
  readonly SUBMIT_RATE?: RateLimit;
  readonly GUESS_RATE?: RateLimit;
}

/** A limit on how often, for each key by itself. */
export interface RateLimiter {
  readonly policy: RatePolicy;
  /** Milliseconds to wait; 0 where the key may go on, which is then not counted yet. */
  waitOf(key: string): number;
  count(key: string): Promise<void>;
  /** Both at once. */
  take(key: string): Promise<number>;
  /** The same with a limit of somebody's own; undefined leaves it as it is. */
  of(own: number | undefined): RateLimiter;
}

/**
 * What one isolate lets through. It counts by itself, so a client that meets many isolates gets as much of each; where
 * the platform's own limit is bound, of each location. docs/security.md has the limits, and by how much they are
 * passed.
 */
export interface Limits {
  readonly requests: RateLimiter;
  readonly submits: RateLimiter;
  readonly uploads: RateLimiter;
  readonly hostRequests: RateLimiter;
  /** Well-formed keys that do not exist, and ids of clips that lead nowhere: by address. */
  readonly keyGuesses: RateLimiter;
  readonly clipGuesses: RateLimiter;
  /** Streams of events that are opened. */
  readonly follows: RateLimiter;
  /** Webhooks sent to try a receiver. */
  readonly webhookTests: RateLimiter;
  /** Views that one address has counted. */
  readonly views: RateLimiter;
}

const MINUTE_MS = 60_000;

export function createLimits({ limits }: Pick<Settings, 'limits'>, bindings: RateBindings, now: () => number): Limits {
  const limiter = (name: string, limit: number, binding?: RateLimit) =>
    createRateLimiter({ name, limit, windowMs: MINUTE_MS }, now, binding);
  return {
    requests: limiter('requests', limits.requests),
    submits: limiter('submits', limits.submits, bindings.SUBMIT_RATE),
    uploads: limiter('uploads', limits.uploads),
    hostRequests: limiter('host-requests', limits.hostRequests),
    keyGuesses: limiter('keys', limits.keyGuesses, bindings.GUESS_RATE),
    clipGuesses: limiter('clips', limits.clipGuesses),
    follows: limiter('follows', limits.follows),
    webhookTests: limiter('webhook-tests', limits.webhookTests),
    views: limiter('views', limits.views),
  };
}

function createRateLimiter(policy: RatePolicy, now: () => number, binding?: RateLimit): RateLimiter {
  const buckets = createRateBuckets(policy);
  const withLimit = (limit: number): RateLimiter => {
    const waitOf = (key: string) => buckets.waitOf(key, now(), limit);
    const count = async (key: string): Promise<void> => {
      buckets.count(key, now(), limit);
      // The platform knows of one limit for all: who may do more is not held to it.
      if (limit > policy.limit || !binding) return;
      if (!(await binding.limit({ key })).success) buckets.fill(key, now());
    };
    return {
      policy: { ...policy, limit },
      waitOf,
      count,
      async take(key) {
        const wait = waitOf(key);
        if (wait === 0) await count(key);
        return wait;
      },
      of: (own) => withLimit(own ?? limit),
    };
  };
  return withLimit(policy.limit);
}
