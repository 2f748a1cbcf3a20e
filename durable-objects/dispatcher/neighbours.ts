import type { Asker, Suggestion } from '#rpc/dispatcher.ts';
import type { Dispatch } from './dispatch.ts';
import { COVERED, LANES, USUAL_LANES } from './queue-tables.ts';
import type { Waiter } from './waiting-hosts.ts';

/** The time in which a dispatcher with waiting hosts asks every other one. */
export const ROUND_MS = 2000;
/** The most hosts in one call. */
const MOST_ASKERS = 16;

export interface NeighbourWorld {
  /** The number of this dispatcher, and how many there are. */
  readonly shard: number;
  readonly shards: number;
  now(): number;
  /** Calls `work` once after so many milliseconds. */
  later(ms: number, work: () => void): void;
  /** Asks another dispatcher (`lend`). `answer` is called once, without jobs if the call failed. */
  lend(
    shard: number,
    askers: readonly Asker[],
    length: number,
    answer: (lent: readonly (Suggestion | null)[]) => void,
  ): void;
  takeBack(shard: number, suggestion: Suggestion): void;
}

export interface Neighbours {
  /** Whether another dispatcher is due to be asked. */
  isDue(): boolean;
  /**
   * Asks the due dispatchers, one after the other, for a host that has just polled and may also have work here; then
   * calls `then`.
   */
  askFor(waiter: Waiter, then: () => void): void;
  /** Starts the rounds, which last while a host waits. */
  wake(): void;
}

/**
 * Gets work of other dispatchers for the hosts of this one. Sends one call at a time and asks each dispatcher once in a
 * round; one that had work is asked again at once. Does nothing while no host waits or polls.
 */
export function createNeighbours(dispatch: Dispatch, world: NeighbourWorld): Neighbours {
  const { shard, shards, now } = world;
  const dueAt = new Map<number, number>();
  let from = after(shard);
  let isAsking = false;
  let isWoken = false;

  function after(last: number): number {
    const next = (last + 1) % shards;
    return next === shard ? (next + 1) % shards : next;
  }

  const waitMs = () => Math.max(0, (dueAt.get(from) ?? 0) - now());
  const isDue = () => !isAsking && waitMs() === 0;

  function ask(waiters: readonly Waiter[], length: number, then: (isAny: boolean) => void): void {
    isAsking = true;
    dueAt.set(from, now() + ROUND_MS);
    const askers = waiters.map(({ hostId, capability, demoKeys }) => ({ hostId, capability, demoKeys }));
    world.lend(from, askers, length, (lent) => {
      isAsking = false;
      let isAny = false;
      for (const [i, suggestion] of lent.entries()) {
        const waiter = waiters[i];
        if (!suggestion || !waiter) continue;
        if (dispatch.handOver(waiter, { ...suggestion, shard: from })) isAny = true;
        else world.takeBack(from, suggestion);
      }
      if (isAny) dueAt.delete(from);
      else from = after(from);
      then(isAny);
      wake();
    });
  }

  function askFor(waiter: Waiter, then: () => void): void {
    ask([waiter], dispatch.size(), (isAny) => {
      if (!isAny && isDue() && dispatch.isWaiting(waiter)) askFor(waiter, then);
      else then();
    });
  }

  function wake(): void {
    if (isWoken || isAsking || dispatch.idle(1).length === 0) return;
    isWoken = true;
    world.later(waitMs(), () => {
      isWoken = false;
      const waiters = isAsking ? [] : dispatch.idle(MOST_ASKERS);
      // Waiting hosts found nothing here, so the length of this queue does not count.
      if (waiters.length > 0) ask(waiters, 0, () => {});
    });
  }

  return { isDue, askFor, wake };
}

/**
 * Returns jobs for hosts of another dispatcher with a queue of `length`: covered ones always, others if more wait here,
 * upgrades only if nothing waits there. Null for each host without a job.
 */
export function lend(dispatch: Dispatch, askers: readonly Asker[], length: number): (Suggestion | null)[] {
  return askers.map(({ hostId, capability, demoKeys }) => {
    const usual = dispatch.size() > length ? USUAL_LANES : [COVERED];
    return dispatch.next(capability, hostId, demoKeys, length === 0 ? LANES : usual);
  });
}
