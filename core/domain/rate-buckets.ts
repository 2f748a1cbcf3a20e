/** At most `limit` in `windowMs` milliseconds, for each key by itself. */
export interface RatePolicy {
  /** As the headers of an answer name it. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

export interface RateBuckets {
  /** Milliseconds until the key may go on; 0 where it may now. `own`: its own limit, here and below. */
  waitOf(key: string, now: number, own?: number): number;
  count(key: string, now: number, own?: number): void;
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

  function levelOf(key: string, now: number, own: number): number {
    const known = buckets.get(key);
    return known ? Math.max(0, known.level - (Math.max(0, now - known.at) * own) / windowMs) : 0;
  }

  function set(key: string, level: number, at: number, own: number): void {
    // One that ran empty is as good as new: it is not the oldest.
    if (levelOf(key, at, own) === 0) buckets.delete(key);
    const [oldest] = buckets.keys();
    if (!buckets.has(key) && buckets.size >= maxKeys && oldest !== undefined) buckets.delete(oldest);
    buckets.set(key, { level, at });
  }

  return {
    waitOf(key, now, own = limit) {
      const excess = levelOf(key, now, own) + 1 - own;
      return excess <= ROUNDING ? 0 : Math.ceil(((excess - ROUNDING) * windowMs) / own);
    },

    count(key, now, own = limit) {
      set(key, levelOf(key, now, own) + 1, now, own);
    },

    fill(key, now) {
      set(key, 2 * limit - 1, now, limit);
    },
  };
}
