import { type Capability, kindOf } from '#domain/need.ts';
import type { Waiter } from './waiter.ts';

/** Hosts that wait and can do the same, those that came first in front. */
export interface WaitingKind {
  readonly capability: Capability;
  readonly waiters: Set<Waiter>;
}

export interface WaitingHosts {
  kinds(): WaitingKind[];
  /** Whether nobody waits, with room for more or without. */
  isEmpty(): boolean;
  isWaiting(waiter: Waiter): boolean;
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** The host has as many jobs as it may: it waits for one of these to end. */
  park(waiter: Waiter): void;
  /** The host may have room for one more; false where none of its polls waits for that. */
  unpark(hostId: string): boolean;
  /** Some of those that may have one more, of each kind alike; those that may not are parked. */
  idle(most: number, mayHave: (waiter: Waiter) => boolean): Waiter[];
  /** The host gets a job: it waits no longer, or behind the others of its kind if it is called. */
  served(waiter: Waiter): void;
  /** Hosts that are called, each with its one waiter. */
  readonly standing: ReadonlyMap<string, Waiter>;
  isStanding(waiter: Waiter): boolean;
  stand(waiter: Waiter): void;
  sit(hostId: string): void;
}

export function createWaitingHosts(): WaitingHosts {
  const kinds = new Map<string, WaitingKind>();
  const parked = new Map<string, Set<Waiter>>();
  const standing = new Map<string, Waiter>();

  const waitersLike = ({ capability }: Waiter) => kinds.get(kindOf(capability))?.waiters;
  const isStanding = (waiter: Waiter) => standing.get(waiter.hostId) === waiter;

  function wait(waiter: Waiter): void {
    const key = kindOf(waiter.capability);
    const kind = kinds.get(key) ?? { capability: waiter.capability, waiters: new Set() };
    kinds.set(key, kind);
    kind.waiters.add(waiter);
  }

  function stopWaiting(waiter: Waiter): void {
    const waiters = waitersLike(waiter);
    waiters?.delete(waiter);
    if (waiters?.size === 0) kinds.delete(kindOf(waiter.capability));
    const full = parked.get(waiter.hostId);
    full?.delete(waiter);
    if (full?.size === 0) parked.delete(waiter.hostId);
  }

  function park(waiter: Waiter): void {
    stopWaiting(waiter);
    parked.set(waiter.hostId, (parked.get(waiter.hostId) ?? new Set()).add(waiter));
  }

  function sit(hostId: string): void {
    const waiter = standing.get(hostId);
    standing.delete(hostId);
    if (waiter) stopWaiting(waiter);
  }

  return {
    kinds: () => [...kinds.values()],
    isEmpty: () => kinds.size + parked.size === 0,
    isWaiting: (waiter) => waitersLike(waiter)?.has(waiter) === true,
    wait,
    stopWaiting,
    standing,
    isStanding,
    sit,

    park,

    unpark(hostId) {
      const full = parked.get(hostId);
      parked.delete(hostId);
      for (const waiter of full ?? []) wait(waiter);
      return full !== undefined;
    },

    idle(most, mayHave) {
      const share = Math.ceil(most / Math.max(1, kinds.size));
      return [...kinds.values()].flatMap(({ waiters }) => {
        const free: Waiter[] = [];
        for (const waiter of waiters) {
          if (free.length === share) break;
          if (mayHave(waiter)) free.push(waiter);
          else park(waiter);
        }
        return free;
      });
    },

    served(waiter) {
      if (!isStanding(waiter)) {
        stopWaiting(waiter);
        return;
      }
      const waiters = waitersLike(waiter);
      waiters?.delete(waiter);
      waiters?.add(waiter);
    },

    stand(waiter) {
      sit(waiter.hostId);
      standing.set(waiter.hostId, waiter);
      wait(waiter);
    },
  };
}
