/** At most `limit` in `windowMs` milliseconds, for each key by itself. */
export interface RatePolicy {
  /** Its name in response headers. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

export interface RateBuckets {
  /** Milliseconds until the key is allowed again; 0 if it is now. `own`: the key's own limit, here and below. */
  waitOf(key: string, now: number, own?: number): number;
  count(key: string, now: number, own?: number): void;
  /** Fills the bucket for a whole window, because a counter of higher rank refused the key. */
  fill(key: string, now: number): void;
}

/** A remainder that rounding may leave after a wait. */
const ROUNDING = 1e-6;

/**
 * Creates leaky buckets by key, in memory: each holds `limit` and drains evenly over a window. A client at the limit
 * continues at that pace; fixed windows would allow a burst at each start. At most `maxKeys` are kept and the oldest is
 * evicted. Times are milliseconds since the epoch.
 */
export function createRateBuckets({ limit, windowMs }: RatePolicy, maxKeys = 10_000): RateBuckets {
  const buckets = new Map<string, { level: number; at: number }>();

  function levelOf(key: string, now: number, own: number): number {
    const known = buckets.get(key);
    return known ? Math.max(0, known.level - (Math.max(0, now - known.at) * own) / windowMs) : 0;
  }

  function set(key: string, level: number, at: number, own: number): void {
    // A bucket that was empty counts as new, not as the oldest.
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

/** Keeps at most a number of values by key. Evicts the least recently used. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  readonly size: number;
}

export function createRecent<Value>(most: number): Recent<Value> {
  // A map keeps insertion order: the first key is the least recently used.
  const values = new Map<string, Value>();
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      values.delete(key);
      const [oldest] = values.keys();
      if (values.size >= most && oldest !== undefined) values.delete(oldest);
      values.set(key, value);
    },
    delete(key) {
      values.delete(key);
    },
    get size() {
      return values.size;
    },
  };
}
