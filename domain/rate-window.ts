/** At most `limit` in `windowMs` milliseconds, for each key by itself. */
export interface RatePolicy {
  /** As the headers of an answer name it. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

export interface RateWindow {
  /** Milliseconds until the key may go on; 0 where it may now. */
  waitOf(key: string, now: number): number;
  count(key: string, now: number): void;
  /** Somebody who counts for more than this memory says that it is enough. */
  fill(key: string, now: number): void;
}

/**
 * Counts by key in fixed windows, in memory. It remembers so many keys and no more: a flood of new ones pushes out the
 * oldest, and takes no memory. Times are milliseconds since the epoch.
 */
export function createRateWindow({ limit, windowMs }: RatePolicy, maxKeys = 10_000): RateWindow {
  const counts = new Map<string, { count: number; endsAt: number }>();

  function entryOf(key: string, now: number) {
    const known = counts.get(key);
    if (known && known.endsAt > now) return known;
    counts.delete(key);
    const [oldest] = counts.keys();
    if (counts.size >= maxKeys && oldest !== undefined) counts.delete(oldest);
    const entry = { count: 0, endsAt: now + windowMs };
    counts.set(key, entry);
    return entry;
  }

  return {
    waitOf(key, now) {
      const known = counts.get(key);
      return known && known.endsAt > now && known.count >= limit ? known.endsAt - now : 0;
    },

    count(key, now) {
      entryOf(key, now).count++;
    },

    fill(key, now) {
      entryOf(key, now).count = limit;
    },
  };
}
