import { type Capability, kindOf } from '#domain/need.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';

/** A host that found no work and waits for some. */
export interface Waiter {
  readonly hostId: string;
  /** How many jobs the host may have at a time. */
  readonly slots: number;
  readonly capability: Capability;
  /** Demos that the host has. */
  readonly demoKeys?: readonly string[] | undefined;
  readonly answer: (suggestion: Suggestion) => void;
}

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
  /** The host gets a job: it waits no longer, or, a push host, behind the others of its kind. */
  served(waiter: Waiter): void;
  /** The push hosts, each with its one waiter. */
  readonly pushHosts: ReadonlyMap<string, Waiter>;
  isPushHost(waiter: Waiter): boolean;
  /** Adds or replaces a push host. */
  register(waiter: Waiter): void;
  unregister(hostId: string): void;
}

export function createWaitingHosts(): WaitingHosts {
  const kinds = new Map<string, WaitingKind>();
  const parked = new Map<string, Set<Waiter>>();
  const pushHosts = new Map<string, Waiter>();

  const waitersLike = ({ capability }: Waiter) => kinds.get(kindOf(capability))?.waiters;
  const isPushHost = (waiter: Waiter) => pushHosts.get(waiter.hostId) === waiter;

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

  function unregister(hostId: string): void {
    const waiter = pushHosts.get(hostId);
    pushHosts.delete(hostId);
    if (waiter) stopWaiting(waiter);
  }

  return {
    kinds: () => [...kinds.values()],
    isEmpty: () => kinds.size + parked.size === 0,
    isWaiting: (waiter) => waitersLike(waiter)?.has(waiter) === true,
    wait,
    stopWaiting,
    pushHosts,
    isPushHost,
    unregister,

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
      if (!isPushHost(waiter)) {
        stopWaiting(waiter);
        return;
      }
      const waiters = waitersLike(waiter);
      waiters?.delete(waiter);
      waiters?.add(waiter);
    },

    register(waiter) {
      unregister(waiter.hostId);
      pushHosts.set(waiter.hostId, waiter);
      wait(waiter);
    },
  };
}

/** Among how many hosts that wait one is looked for that has the demo. */
const LOOK_FOR_HOST = 8;

/** Hosts that wait, in their order, but for one close to the head that has the demo. */
export function* inOrder(waiters: ReadonlySet<Waiter>, demoKey: string | undefined): Generator<Waiter> {
  let first: Waiter | null = null;
  if (demoKey !== undefined) {
    let looked = 0;
    for (const waiter of waiters) {
      if (first !== null || looked++ === LOOK_FOR_HOST) break;
      if (waiter.demoKeys?.includes(demoKey)) first = waiter;
    }
  }
  if (first !== null) yield first;
  for (const waiter of waiters) if (waiter !== first) yield waiter;
}
