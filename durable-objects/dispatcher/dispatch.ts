import type { Offer } from '../../domain/fair-queue.ts';
import { type Capability, canDo, kindOf, strengthOf } from '../../domain/need.ts';
import type { QueueStorage } from './queue-tables.ts';
import { createReadyQueue } from './ready-queue.ts';

/** A job that a host may claim. `token` names this suggestion among all that were made of the job. */
export interface Suggestion {
  readonly jobId: string;
  readonly token: string;
}

/** A host that found no work and waits for some. */
export interface Waiter {
  readonly hostId: string;
  /** How many jobs the host may have at a time. */
  readonly slots: number;
  readonly capability: Capability;
  readonly answer: (suggestion: Suggestion) => void;
}

/** What it needs of the machine: the Dispatcher gives it the object's, a simulation its own. */
export interface DispatchWorld {
  readonly storage: QueueStorage;
  now(): number;
  newToken(): string;
  /** Has `look` called once, after so many milliseconds. */
  wake(ms: number): void;
}

/** Longer than a grant waits for its host's word: by then the job has started, or has offered itself again. */
const SUGGESTED_FOR_MS = 10_000;

export interface Dispatch {
  /** Queues a job, and hands it at once to a host that waits. Repeatable: a queued job keeps its place. */
  offer(offer: Offer): void;
  /** The next job that this host can do; null when there is none. */
  next(capability: Capability, hostId: string): Suggestion | null;
  /** Whether the host may have one more. What was suggested to it a moment ago counts as if it had it. */
  hasSlot(hostId: string, slots: number): boolean;
  /** Answers this host as soon as there is work for it. */
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** A host works on the job: its place is free. */
  started(jobId: string, hostId?: string): void;
  /** The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up. */
  settle(jobId: string): void;
  /** A suggested job turned out not to wait for a host. Nothing happens if it has offered itself since. */
  drop(suggestion: Suggestion): void;
  /** Waiting hosts take what they can, now that there may be more. */
  look(): void;
  /** How many jobs wait. */
  size(): number;
}

/**
 * Decides which job a host should claim next. It grants nothing: the job's own object does. A suggested job keeps its
 * place until it says that it has started, and is meanwhile suggested to nobody else. So a suggestion that comes to
 * nothing (a claim that was cut off, a grant into the void) costs the job seconds and not its place.
 */
export function createDispatch({ storage, now, newToken, wake }: DispatchWorld): Dispatch {
  const queue = createReadyQueue(storage, now);
  /** Hosts that wait, by what they can do; the plainest kind first, and those that came first in each. */
  const kinds = new Map<string, { readonly capability: Capability; readonly waiters: Set<Waiter> }>();
  /** Jobs that were suggested a moment ago, the oldest first. Forgotten with the object, they are suggested again. */
  const suggested = new Map<string, { readonly token: string; readonly until: number; readonly hostId: string }>();
  let isWoken = false;
  const inTransaction = <T>(work: () => T): T => storage.transactionSync(work);

  function suggest(capability: Capability, hostId: string): Suggestion | null {
    showOverdue();
    const jobId = inTransaction(() => queue.next(capability, hostId));
    if (jobId === null) return null;
    const token = newToken();
    suggested.set(jobId, { token, until: now() + SUGGESTED_FOR_MS, hostId });
    return { jobId, token };
  }

  function hasSlot(hostId: string, slots: number): boolean {
    showOverdue();
    const coming = [...suggested.values()].filter((suggestion) => suggestion.hostId === hostId).length;
    return coming + queue.leases(hostId) < slots;
  }

  function showOverdue(): void {
    for (const [jobId, { until }] of suggested) {
      if (until > now()) return;
      show(jobId);
    }
  }

  function show(jobId: string): void {
    if (suggested.delete(jobId)) inTransaction(() => queue.show(jobId));
  }

  /** Hands the next job to a host of this kind; null where there is none for the first of them. */
  function serve({ capability, waiters }: { capability: Capability; waiters: Set<Waiter> }): string | null {
    let tries = 0;
    for (const waiter of waiters) {
      if (!hasSlot(waiter.hostId, waiter.slots)) continue;
      const suggestion = suggest(capability, waiter.hostId);
      if (suggestion) {
        stopWaiting(waiter);
        waiter.answer(suggestion);
        return suggestion.jobId;
      }
      // What one of them had better not take, another of its kind may.
      if (++tries === 2) break;
    }
    return null;
  }

  function stopWaiting(waiter: Waiter): void {
    const key = kindOf(waiter.capability);
    const kind = kinds.get(key);
    kind?.waiters.delete(waiter);
    if (kind?.waiters.size === 0) kinds.delete(key);
  }

  function look(): void {
    isWoken = false;
    showOverdue();
    for (const kind of [...kinds.values()]) while (serve(kind) !== null);
    lookAgain();
  }

  /** A suggestion that came to nothing falls to a host that waits, even if nothing else happens. */
  function lookAgain(): void {
    const [oldest] = suggested.values();
    if (isWoken || kinds.size === 0 || !oldest) return;
    isWoken = true;
    wake(Math.max(1, oldest.until - now()));
  }

  return {
    look,
    stopWaiting,

    offer(offer) {
      show(offer.jobId);
      const need = inTransaction(() => queue.add(offer));
      const able = [...kinds.values()].filter(({ capability }) => canDo(capability, need));
      able.sort((a, b) => strengthOf(a.capability) - strengthOf(b.capability));
      // Whoever waits found nothing before: only this job is new, and what came to nothing meanwhile goes before it.
      for (const kind of able) {
        let taken = serve(kind);
        while (taken !== null && taken !== offer.jobId) taken = serve(kind);
        if (taken !== null) break;
      }
      lookAgain();
    },

    next: suggest,
    hasSlot,

    wait(waiter) {
      const key = kindOf(waiter.capability);
      const kind = kinds.get(key) ?? { capability: waiter.capability, waiters: new Set() };
      kinds.set(key, kind);
      kind.waiters.add(waiter);
      lookAgain();
    },

    started(jobId, hostId) {
      suggested.delete(jobId);
      inTransaction(() => queue.start(jobId, hostId));
    },

    settle,

    drop({ jobId, token }) {
      if (suggested.get(jobId)?.token === token) settle(jobId);
    },

    size: () => queue.size(),
  };

  function settle(jobId: string): void {
    suggested.delete(jobId);
    const hostId = inTransaction(() => queue.settle(jobId));
    // Its host may wait for the slot.
    const waits = [...kinds.values()].some(({ waiters }) => [...waiters].some((waiter) => waiter.hostId === hostId));
    if (waits) look();
  }
}
