import { createRateBuckets, type RatePolicy } from '#domain/lib/rate-buckets.ts';
import { mapLimits, RATES, type RateName } from '#domain/operate/limits.ts';
import { rateLimited } from '#http/rate-limit.ts';
import type { Settings } from '#platform/settings.ts';

/** The platform's rate limits (wrangler.toml). They count within one location and return only yes or no. */
export interface RateBindings {
  readonly SUBMIT_RATE?: RateLimit;
  readonly GUESS_RATE?: RateLimit;
}

export interface RateLimiter {
  /** Returns milliseconds to wait; 0 if the key is allowed now. Does not count. */
  waitOf(key: string): number;
  /** Throws a 429 problem if the key has to wait. */
  refuse(key: string): void;
  count(key: string): Promise<void>;
  /** Refuses or counts. */
  take(key: string): Promise<void>;
  /** Returns the same limiter with another limit; undefined keeps it. */
  of(own: number | undefined): RateLimiter;
}

/**
 * The rate limits of one isolate. Each isolate counts by itself; each location does where the platform's limit is
 * bound. docs/security.md has the limits, and by how much they can be exceeded.
 */
export type Limits = Readonly<Record<RateName, RateLimiter>>;

const MINUTE_MS = 60_000;

export function createLimits({ limits }: Pick<Settings, 'limits'>, bindings: RateBindings, now: () => number): Limits {
  const limiter = (name: RateName, binding?: RateLimit) =>
    createRateLimiter({ name: name.replace('_', '-'), limit: limits[name], windowMs: MINUTE_MS }, now, binding);
  return {
    ...mapLimits(RATES, (_, name) => limiter(name)),
    submits: limiter('submits', bindings.SUBMIT_RATE),
    key_guesses: limiter('key_guesses', bindings.GUESS_RATE),
  };
}

function createRateLimiter(policy: RatePolicy, now: () => number, binding?: RateLimit): RateLimiter {
  const buckets = createRateBuckets(policy);
  const withLimit = (limit: number): RateLimiter => {
    const waitOf = (key: string) => buckets.waitOf(key, now(), limit);
    const refuse = (key: string) => {
      const wait = waitOf(key);
      if (wait > 0) throw rateLimited({ ...policy, limit }, wait);
    };
    const count = async (key: string): Promise<void> => {
      buckets.count(key, now(), limit);
      // The platform's limit is the same for all keys, so it is skipped for a key with a higher limit.
      if (limit > policy.limit || !binding) return;
      if (!(await binding.limit({ key })).success) buckets.fill(key, now());
    };
    return {
      waitOf,
      refuse,
      count,
      async take(key) {
        refuse(key);
        await count(key);
      },
      of: (own) => withLimit(own ?? limit),
    };
  };
  return withLimit(policy.limit);
}
