import type { Tier } from '#domain/account/account.ts';
import type { Backlog } from '#rpc/dispatcher.ts';

/** Jobs of one need that were queued within the same ten seconds: the `at`-th since the epoch. */
export type QueuedBatch = { readonly need: number; readonly tier: Tier; readonly at: number; readonly n: number };

export const GRAIN_MS = 10_000;

type Waiting = Pick<Backlog, 'waiting' | 'oldestAt'>;

export interface Backlogs {
  add(need: number, tier: Tier, queuedAt: number): void;
  remove(need: number, tier: Tier, queuedAt: number): void;
  all(): Backlog[];
  /** Returns the same by need. */
  byNeed(): (Waiting & { readonly need: number })[];
}

/**
 * Counts waiting jobs by need, tier and time of queueing, without reading the queue. Counts are by ten seconds, so they
 * are few for any queue.
 */
export function createBacklogs(batches: readonly QueuedBatch[]): Backlogs {
  const classes = new Map<string, Pick<QueuedBatch, 'need' | 'tier'> & { readonly counts: Map<number, number> }>();

  function change(need: number, tier: Tier, at: number, by: number): void {
    const key = `${need} ${tier}`;
    const { counts } = classes.get(key) ?? { counts: new Map() };
    const n = (counts.get(at) ?? 0) + by;
    if (n > 0) counts.set(at, n);
    else counts.delete(at);
    if (counts.size > 0) classes.set(key, { need, tier, counts });
    else classes.delete(key);
  }

  function sumOf(isMeant: (one: Pick<QueuedBatch, 'need' | 'tier'>) => boolean): Waiting {
    let waiting = 0;
    let oldest = Number.POSITIVE_INFINITY;
    for (const one of classes.values()) {
      if (!isMeant(one)) continue;
      for (const [at, n] of one.counts) {
        waiting += n;
        oldest = Math.min(oldest, at);
      }
    }
    return { waiting, oldestAt: oldest === Number.POSITIVE_INFINITY ? null : oldest * GRAIN_MS };
  }

  for (const { need, tier, at, n } of batches) change(need, tier, at, n);
  const grainOf = (at: number) => Math.floor(at / GRAIN_MS);
  return {
    add: (need, tier, queuedAt) => change(need, tier, grainOf(queuedAt), 1),
    remove: (need, tier, queuedAt) => change(need, tier, grainOf(queuedAt), -1),
    all: () => (['reserved', 'metered'] as const).map((tier) => ({ tier, ...sumOf((one) => one.tier === tier) })),
    byNeed() {
      const needs = new Set([...classes.values()].map(({ need }) => need));
      return [...needs].map((need) => ({ need, ...sumOf((one) => one.need === need) }));
    },
  };
}
