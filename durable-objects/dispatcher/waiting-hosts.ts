import { type Capability, kindOf } from '#domain/host/need.ts';
import type { Suggestion, WorkQuery } from '#rpc/dispatcher.ts';

export interface Waiter extends Pick<WorkQuery, 'hostId' | 'slots' | 'capability' | 'demoKeys'> {
  readonly answer: (suggestion: Suggestion) => void;
}

/** Waiting hosts of one kind, the longest waiting first. */
export interface WaitingKind {
  readonly capability: Capability;
  readonly waiters: Set<Waiter>;
}

export interface WaitingHosts {
  kinds(): WaitingKind[];
  /** Whether no host waits, parked ones included. */
  isEmpty(): boolean;
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** Parks a host whose slots are full until one of its jobs ends. */
  park(waiter: Waiter): void;
  /** Unparks a host that may have a free slot; false if none of its polls waits. */
  unpark(hostId: string): boolean;
  /** Removes a host that gets a job; a push host moves behind the others of its kind. */
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

/** How many waiting hosts are checked for the demo. */
const LOOK_FOR_HOST = 8;

/** Yields waiting hosts in order, but first one close to the head that has the demo. */
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
