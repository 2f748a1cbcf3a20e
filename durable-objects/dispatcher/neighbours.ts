import type { Asker, Suggestion } from '#rpc/dispatcher.ts';
import type { Dispatch } from './dispatch.ts';
import type { Waiter } from './waiting-hosts.ts';

/** Within this time each dispatcher with hosts to serve has asked every other one. */
export const ROUND_MS = 2000;
/** Hosts that one call asks for. */
const MOST_ASKERS = 16;

export interface NeighbourWorld {
  /** The number of this dispatcher, and how many there are. */
  readonly shard: number;
  readonly shards: number;
  now(): number;
  /** Has `work` done once, after so many milliseconds. */
  later(ms: number, work: () => void): void;
  /** Asks another dispatcher (`lend`); `answer` is called once, with nothing where the call came to nothing. */
  lend(
    shard: number,
    askers: readonly Asker[],
    length: number,
    answer: (lent: readonly (Suggestion | null)[]) => void,
  ): void;
  takeBack(shard: number, suggestion: Suggestion): void;
}

export interface Neighbours {
  /** Whether it is time to ask one of them. */
  isDue(): boolean;
  /**
   * Asks those that it is time to ask, one after the other, for a host that has just come and waits, and may have work
   * here as well; then calls `then`.
   */
  askFor(waiter: Waiter, then: () => void): void;
  /** Somebody waits, perhaps: they are asked by turns as long as that is so. */
  wake(): void;
}

/**
 * Work of other dispatchers for the hosts of this one. One call at a time, and each other dispatcher is asked once in a
 * round; only where there was something is asked again at once. Nothing happens while no host waits or comes.
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
      // Who waits has found nothing here, however long the queue is.
      if (waiters.length > 0) ask(waiters, 0, () => {});
    });
  }

  return { isDue, askFor, wake };
}

/**
 * What this dispatcher has for hosts of another one, whose queue has so many jobs: covered ones always, others where
 * more wait here. Null for each that there is nothing for.
 */
export function lend(dispatch: Dispatch, askers: readonly Asker[], length: number): (Suggestion | null)[] {
  return askers.map(({ hostId, capability, demoKeys }) =>
    dispatch.next(capability, hostId, demoKeys, dispatch.size() <= length),
  );
}
