import type { Tier } from '#domain/clip.ts';
import type { Backlog } from '#rpc/dispatcher.ts';

/** Jobs that were queued within the same ten seconds: the `at`-th since the epoch. */
export type Batch = { readonly tier: Tier; readonly at: number; readonly n: number };

export const GRAIN_MS = 10_000;

export interface Backlogs {
  add(tier: Tier, queuedAt: number): void;
  remove(tier: Tier, queuedAt: number): void;
  size(): number;
  all(): Backlog[];
}

/**
 * Counts waiting jobs by tier and time of queueing, without reading the queue. Counts are by ten seconds, so they are
 * few for any queue.
 */
export function createBacklogs(batches: readonly Batch[]): Backlogs {
  const tiers = new Map<Tier, Map<number, number>>([
    ['reserved', new Map()],
    ['metered', new Map()],
  ]);
  let size = 0;

  function change(tier: Tier, at: number, by: number): void {
    const counts = tiers.get(tier);
    const n = (counts?.get(at) ?? 0) + by;
    if (n > 0) counts?.set(at, n);
    else counts?.delete(at);
    size += by;
  }

  for (const { tier, at, n } of batches) change(tier, at, n);
  const grainOf = (at: number) => Math.floor(at / GRAIN_MS);
  return {
    add: (tier, queuedAt) => change(tier, grainOf(queuedAt), 1),
    remove: (tier, queuedAt) => change(tier, grainOf(queuedAt), -1),
    size: () => size,
    all: () =>
      [...tiers].map(([tier, counts]) => {
        let waiting = 0;
        let oldest = Number.POSITIVE_INFINITY;
        for (const [at, n] of counts) {
          waiting += n;
          oldest = Math.min(oldest, at);
        }
        return { tier, waiting, oldestAt: oldest === Number.POSITIVE_INFINITY ? null : oldest * GRAIN_MS };
      }),
  };
}
