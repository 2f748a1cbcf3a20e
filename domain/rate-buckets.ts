/** At most `limit` in `windowMs` milliseconds, for each key by itself. */
export interface RatePolicy {
  /** As the headers of an answer name it. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

export interface RateBuckets {
  /** Milliseconds until the key may go on; 0 where it may now. */
  waitOf(key: string, now: number): number;
  count(key: string, now: number): void;
  /** Somebody who counts for more than this memory says that it is enough: for a whole window. */
  fill(key: string, now: number): void;
}

/** What rounding may leave in a bucket after a wait. */
const ROUNDING = 1e-6;

/**
 * Leaky buckets by key, in memory: each holds `limit`, and runs out evenly over a window. Who fills his goes on at that
 * pace; counted in fixed windows, he could take a whole window's worth at once as each begins, and others would feel
 * it. It remembers so many keys and no more: a flood of new ones pushes out the oldest, and takes no memory. Times are
 * milliseconds since the epoch.
 */
export function createRateBuckets({ limit, windowMs }: RatePolicy, maxKeys = 10_000): RateBuckets {
  const buckets = new Map<string, { level: number; at: number }>();
  const perMs = limit / windowMs;

  function levelOf(key: string, now: number): number {
    const known = buckets.get(key);
    return known ? Math.max(0, known.level - Math.max(0, now - known.at) * perMs) : 0;
  }

  function set(key: string, level: number, at: number): void {
    // One that ran empty is as good as new: it is not the oldest.
    if (levelOf(key, at) === 0) buckets.delete(key);
    const [oldest] = buckets.keys();
    if (!buckets.has(key) && buckets.size >= maxKeys && oldest !== undefined) buckets.delete(oldest);
    buckets.set(key, { level, at });
  }

  return {
    waitOf(key, now) {
      const excess = levelOf(key, now) + 1 - limit;
      return excess <= ROUNDING ? 0 : Math.ceil((excess - ROUNDING) / perMs);
    },

    count(key, now) {
      set(key, levelOf(key, now) + 1, now);
    },

    fill(key, now) {
      set(key, 2 * limit - 1, now);
    },
  };
}
