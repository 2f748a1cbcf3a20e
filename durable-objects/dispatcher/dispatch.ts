import type { Offer } from '#domain/host/fair-queue.ts';
import { type Capability, canDo, type Need, strengthOf } from '#domain/host/need.ts';
import { createPace } from '#domain/host/wait.ts';
import type { DispatcherNumbers, DispatcherRpc, Suggestion } from '#rpc/dispatcher.ts';
import type { QueueStorage } from './queue-tables.ts';
import { createReadyQueue, type ReadyQueue } from './ready-queue.ts';
import { createWaitingHosts, inOrder, type Waiter, type WaitingKind } from './waiting-hosts.ts';

/** The Dispatcher object passes its storage and clock; a simulation passes its own. */
export interface DispatchContext {
  readonly storage: QueueStorage;
  now(): number;
  newToken(): string;
  /** The share of all assigned jobs that best-effort jobs of one account get while other accounts wait. */
  readonly share?: number;
  /** Calls `look` after so many milliseconds. */
  wake(ms: number): void;
}

export interface Dispatch
  extends Pick<ReadyQueue, 'jobsOf' | 'suspend' | 'suspended' | 'backlogs' | 'needBacklogs' | 'leased'>,
    Pick<DispatcherRpc, 'started' | 'drop' | 'takeBack' | 'findJobs'> {
  /** Queues a job and assigns it at once if a host waits. A queued job keeps its place. */
  offer(offer: Offer): void;
  /** Returns the next job that this host can do; null if there is none. `demoKeys`: demos that the host has cached. */
  next(capability: Capability, hostId: string, demoKeys?: readonly string[]): Suggestion | null;
  /** Whether the host may have one more job. Suggested jobs count. */
  hasSlot(hostId: string, slots: number): boolean;
  /** Whether another host is a push host or has polled recently; with a `need`, one that can do it. */
  hasOther(hostId: string, need?: Need): boolean;
  /** Answers this host as soon as there is a job for it. */
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** Adds or replaces a push host, which gets every job that it may have. Call `look` afterwards. */
  registerPushHost(waiter: Waiter): void;
  unregisterPushHost(hostId: string): void;
  /** Removes a job that has ended or waits for its retry. The account's next job moves up. */
  settle(jobId: string): void;
  /** Assigns jobs to all waiting hosts. */
  look(): void;
  /** Returns how many jobs each host has. Suggested jobs count. */
  loads(): ReadonlyMap<string, number>;
  /** Returns counts of suggestions since this object started. */
  totals(): Pick<DispatcherNumbers, 'suggested' | 'started' | 'unconfirmed'>;
}

/** A rendering host does not poll for some minutes. */
const SEEN_MS = 10 * 60_000;
/** How many jobs are sent to a push host at a time. The platform limits the connections of an object. */
const CALLS_AT_ONCE = 4;
/**
 * How long a job stays suggested: longer than a grant waits for its confirmation, so the job has started or is offered
 * again by then.
 */
const SUGGESTED_FOR_MS = 10_000;

/**
 * Decides which job a host should claim next. Only the job's object grants. A suggested job keeps its place until it
 * reports that it started, and is not suggested to another host until then. So a failed suggestion (an interrupted
 * claim, a lost grant) costs the job seconds and not its place.
 */
export function createDispatch({ storage, now, newToken, wake, share }: DispatchContext): Dispatch {
  const queue = createReadyQueue(storage, now, (need, hostId) => hasOther(hostId, need), share);
  const hosts = createWaitingHosts();
  const { unpark } = hosts;
  /** Hosts that polled recently, the latest last. */
  const polled = new Map<string, { readonly capability: Capability; readonly at: number }>();
  /** Open suggestions by host. */
  const coming = new Map<string, number>();
  /** Recently suggested jobs, oldest first. After an eviction they are suggested again. */
  const suggested = new Map<string, { readonly token: string; readonly until: number; readonly hostId: string }>();
  const pace = createPace();
  let isWoken = false;
  /** Whether a host has waited since the last assignment. */
  let isOverlooked = false;
  const totals = { suggested: 0, started: 0, unconfirmed: 0 };
  const inTransaction = <T>(work: () => T): T => storage.transactionSync(work);

  function suggest(capability: Capability, hostId: string, demoKeys?: readonly string[]): Suggestion | null {
    showOverdue();
    see(hostId, capability);
    const jobId = inTransaction(() => queue.next(capability, hostId, demoKeys));
    if (jobId === null) return null;
    const token = newToken();
    totals.suggested++;
    suggested.set(jobId, { token, until: now() + SUGGESTED_FOR_MS, hostId });
    coming.set(hostId, (coming.get(hostId) ?? 0) + 1);
    return { jobId, token };
  }

  function see(hostId: string, capability: Capability): void {
    polled.delete(hostId);
    polled.set(hostId, { capability, at: now() });
  }

  function hasOther(hostId: string, need?: Need): boolean {
    const isOther = (id: string, able: Capability) => id !== hostId && (need === undefined || canDo(able, need));
    for (const [id, { capability }] of hosts.pushHosts) if (isOther(id, capability)) return true;
    for (const [id, { capability, at }] of polled) {
      if (at + SEEN_MS <= now()) polled.delete(id);
      else if (isOther(id, capability)) return true;
    }
    return false;
  }

  /** Ends a suggestion; false if the job has none. */
  function forget(jobId: string): boolean {
    const suggestion = suggested.get(jobId);
    if (!suggestion) return false;
    suggested.delete(jobId);
    const left = (coming.get(suggestion.hostId) ?? 0) - 1;
    if (left > 0) coming.set(suggestion.hostId, left);
    else coming.delete(suggestion.hostId);
    return true;
  }

  function hasSlot(hostId: string, slots: number): boolean {
    showOverdue();
    return (coming.get(hostId) ?? 0) + queue.leases(hostId) < slots;
  }

  /** Whether the most jobs are being sent to a push host. */
  function isBusy(hostId: string): boolean {
    return hosts.pushHosts.has(hostId) && (coming.get(hostId) ?? 0) >= CALLS_AT_ONCE;
  }

  function showOverdue(): void {
    for (const [jobId, { until, hostId }] of suggested) {
      if (until > now()) return;
      show(jobId);
      isOverlooked = unpark(hostId) || isOverlooked;
    }
  }

  function show(jobId: string): void {
    if (!forget(jobId)) return;
    totals.unconfirmed++;
    inTransaction(() => queue.show(jobId));
  }

  /**
   * Assigns the next job to a waiting host of this kind, preferably one that has the demo; null if there is no job for
   * the first of them.
   */
  function serve({ capability, waiters }: WaitingKind, demoKey?: string): string | null {
    let refused: string | null = null;
    for (const waiter of inOrder(waiters, demoKey)) {
      if (waiter.hostId === refused) continue;
      if (!mayHave(waiter)) {
        hosts.park(waiter);
        continue;
      }
      const suggestion = suggest(capability, waiter.hostId, waiter.demoKeys);
      if (suggestion) {
        answer(waiter, suggestion);
        return suggestion.jobId;
      }
      // Another host of the kind may take what this one should not.
      if (refused !== null) break;
      refused = waiter.hostId;
    }
    return null;
  }

  function mayHave(waiter: Waiter): boolean {
    const { hostId, slots } = waiter;
    return !(hosts.isPushHost(waiter) && isBusy(hostId)) && hasSlot(hostId, slots);
  }

  function answer(waiter: Waiter, suggestion: Suggestion): void {
    hosts.served(waiter);
    waiter.answer(suggestion);
  }

  /** Unparks hosts. Returns whether any of them may now get a job. */
  function unparkAll(...hostIds: readonly (string | null | undefined)[]): boolean {
    let isAny = isOverlooked;
    for (const hostId of hostIds) if (hostId != null && unpark(hostId)) isAny = true;
    return isAny;
  }

  function look(): void {
    isWoken = false;
    showOverdue();
    isOverlooked = false;
    for (const kind of hosts.kinds()) while (serve(kind) !== null);
    lookAgain();
  }

  /** Assigns an unconfirmed suggestion to the next waiting host, even if nothing else happens. */
  function lookAgain(): void {
    const [oldest] = suggested.values();
    if (isWoken || hosts.isEmpty() || !oldest) return;
    isWoken = true;
    wake(Math.max(1, oldest.until - now()));
  }

  return {
    look,
    stopWaiting: hosts.stopWaiting,

    offer(offer) {
      const suggestedTo = suggested.get(offer.jobId)?.hostId;
      show(offer.jobId);
      const { need, endedOn } = inTransaction(() => queue.add(offer));
      // Only a push host does not poll again by itself.
      const { avoidHost, avoidMs = 0 } = offer;
      if (avoidHost && hosts.pushHosts.has(avoidHost)) wake(avoidMs);
      if (unparkAll(suggestedTo, endedOn)) return look();
      const able = hosts.kinds().filter(({ capability }) => canDo(capability, need));
      able.sort((a, b) => strengthOf(a.capability) - strengthOf(b.capability));
      // Waiting hosts found nothing before: only this job and failed suggestions are new, and the latter go first.
      for (const kind of able) {
        let taken = serve(kind, offer.demoKey);
        while (taken !== null && taken !== offer.jobId) taken = serve(kind, offer.demoKey);
        if (taken !== null) break;
      }
      lookAgain();
    },

    jobsOf: queue.jobsOf,
    next: suggest,
    hasSlot,
    hasOther,
    unregisterPushHost: hosts.unregister,

    registerPushHost(waiter) {
      see(waiter.hostId, waiter.capability);
      hosts.register(waiter);
    },

    wait(waiter) {
      hosts.wait(waiter);
      lookAgain();
    },

    takeBack({ jobId, token }) {
      const suggestion = suggested.get(jobId);
      if (suggestion?.token !== token) return;
      show(jobId);
      unpark(suggestion.hostId);
      look();
    },

    started(jobId, hostId) {
      const answered = suggested.get(jobId)?.hostId;
      const isNext = answered !== undefined && isBusy(answered);
      forget(jobId);
      totals.started++;
      pace.note(now());
      inTransaction(() => queue.start(jobId, hostId));
      if (isNext && unparkAll(answered)) look();
    },

    settle,

    drop({ jobId, token }) {
      if (suggested.get(jobId)?.token === token) settle(jobId);
    },

    suspend(accountId, isSuspended) {
      inTransaction(() => queue.suspend(accountId, isSuspended));
      if (!isSuspended) look();
    },

    suspended: queue.suspended,
    backlogs: queue.backlogs,
    needBacklogs: queue.needBacklogs,
    leased: queue.leased,
    totals: () => ({ ...totals }),

    findJobs(jobIds, hasPlaces) {
      showOverdue();
      const placeOf = (jobId: string) => pace.estimateBehind(queue.before(jobId), now());
      return inTransaction(() =>
        queue.find(jobIds).map((job, i) => job && { ...job, place: hasPlaces ? placeOf(jobIds[i] ?? '') : null }),
      );
    },

    loads() {
      showOverdue();
      const loads = queue.leasesByHost();
      for (const [hostId, count] of coming) loads.set(hostId, (loads.get(hostId) ?? 0) + count);
      return loads;
    },
  };

  function settle(jobId: string): void {
    const suggestedTo = suggested.get(jobId)?.hostId;
    forget(jobId);
    const endedOn = inTransaction(() => queue.settle(jobId));
    if (unparkAll(suggestedTo, endedOn)) look();
  }
}
