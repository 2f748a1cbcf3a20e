import type { Offer } from '#domain/fair-queue.ts';
import { type Capability, canDo, type Need, strengthOf } from '#domain/need.ts';
import { createPace } from '#domain/pace.ts';
import type { DispatcherNumbers, DispatcherRpc, Suggestion } from '#rpc/dispatcher.ts';
import type { QueueStorage } from './queue-tables.ts';
import { createReadyQueue, type ReadyQueue } from './ready-queue.ts';
import { createWaitingHosts, inOrder, type Waiter, type WaitingKind } from './waiting-hosts.ts';

/** The Dispatcher object passes its own storage and clock, a simulation its own. */
export interface DispatchWorld {
  readonly storage: QueueStorage;
  now(): number;
  newToken(): string;
  /** The share of the places that best-effort jobs of one account get while other accounts wait. */
  readonly share?: number;
  /** Calls `look` after so many milliseconds. */
  wake(ms: number): void;
}

export interface Dispatch
  extends Pick<ReadyQueue, 'jobsOf' | 'suspend' | 'suspended' | 'size' | 'backlogs' | 'working'>,
    Pick<DispatcherRpc, 'started' | 'drop' | 'takeBack' | 'placeOf'> {
  /** Queues a job and assigns it at once if a host waits. A queued job keeps its place. */
  offer(offer: Offer): void;
  /**
   * Returns the next job that this host can do, or with `onlyCovered` the next one under a provisioned slot; null if
   * there is none. `demoKeys`: demos that the host has kept.
   */
  next(capability: Capability, hostId: string, demoKeys?: readonly string[], onlyCovered?: boolean): Suggestion | null;
  /** Whether the host may have one more job. Suggested jobs count. */
  hasSlot(hostId: string, slots: number): boolean;
  /** Whether another host is a push host or has asked for work of late; with a `need`, one that can do it. */
  hasOther(hostId: string, need?: Need): boolean;
  /** Answers this host as soon as there is work for it. */
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** Returns some hosts that wait and may have one more job, of each kind alike. */
  idle(most: number): Waiter[];
  isWaiting(waiter: Waiter): boolean;
  /** Answers a host with a job of another dispatcher; false if it may have none, or waits no longer. */
  handOver(waiter: Waiter, suggestion: Suggestion): boolean;
  /** Adds or replaces a push host, which is answered with every job that it may have. Call `look` afterwards. */
  registerPushHost(waiter: Waiter): void;
  unregisterPushHost(hostId: string): void;
  /** Removes a job that has ended or waits for its retry. The account's next job moves up. */
  settle(jobId: string): void;
  /** Assigns jobs to all hosts that wait. */
  look(): void;
  /** Counts of suggestions since this began. */
  totals(): Pick<DispatcherNumbers, 'suggested' | 'started' | 'unconfirmed'>;
}

/** A host that renders asks for nothing for some minutes. */
const SEEN_MS = 10 * 60_000;
/** How many jobs are sent to a push host at a time. The platform has few connections for one object. */
const CALLS_AT_ONCE = 4;
/** Longer than a grant waits for its host's word: by then the job has started, or has offered itself again. */
const SUGGESTED_FOR_MS = 10_000;

/**
 * Decides which job a host should claim next. It grants nothing: the job's own object does. A suggested job keeps its
 * place until it says that it has started, and is meanwhile suggested to nobody else. So a suggestion that comes to
 * nothing (a claim that was cut off, a grant into the void) costs the job seconds and not its place.
 */
export function createDispatch({ storage, now, newToken, wake, share }: DispatchWorld): Dispatch {
  const queue = createReadyQueue(storage, now, (need, hostId) => hasOther(hostId, need), share);
  const hosts = createWaitingHosts();
  const { unpark } = hosts;
  /** Hosts that asked for work of late, the last one last. */
  const seen = new Map<string, { readonly capability: Capability; readonly at: number }>();
  /** How many suggestions each host has that it has not begun. */
  const coming = new Map<string, number>();
  /** Jobs that were suggested a moment ago, the oldest first. Forgotten with the object, they are suggested again. */
  const suggested = new Map<string, { readonly token: string; readonly until: number; readonly hostId: string }>();
  const pace = createPace();
  let isWoken = false;
  /** Whether somebody waits again who was not looked after since. */
  let isOverlooked = false;
  const totals = { suggested: 0, started: 0, unconfirmed: 0 };
  const inTransaction = <T>(work: () => T): T => storage.transactionSync(work);

  function suggest(
    capability: Capability,
    hostId: string,
    demoKeys?: readonly string[],
    onlyCovered?: boolean,
  ): Suggestion | null {
    showOverdue();
    see(hostId, capability);
    const jobId = inTransaction(() => queue.next(capability, hostId, demoKeys, onlyCovered));
    if (jobId === null) return null;
    const suggestion = { jobId, token: newToken() };
    remember(suggestion, hostId);
    return suggestion;
  }

  function remember({ jobId, token }: Suggestion, hostId: string): void {
    totals.suggested++;
    suggested.set(jobId, { token, until: now() + SUGGESTED_FOR_MS, hostId });
    coming.set(hostId, (coming.get(hostId) ?? 0) + 1);
  }

  function see(hostId: string, capability: Capability): void {
    seen.delete(hostId);
    seen.set(hostId, { capability, at: now() });
  }

  function hasOther(hostId: string, need?: Need): boolean {
    const isOther = (id: string, able: Capability) => id !== hostId && (need === undefined || canDo(able, need));
    for (const [id, { capability }] of hosts.pushHosts) if (isOther(id, capability)) return true;
    for (const [id, { capability, at }] of seen) {
      if (at + SEEN_MS <= now()) seen.delete(id);
      else if (isOther(id, capability)) return true;
    }
    return false;
  }

  /** Ends a suggestion; false where there is none of this job. */
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

  /** Whether as many jobs are being sent to a push host as may be at a time. */
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
   * Hands the next job to a host of this kind, one that has the demo if it is among the first; null where there is none
   * for the first of them.
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
      // What one host had better not take, another of its kind may.
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

  /** Whether anybody is to be looked after by that. */
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

  /** An unconfirmed suggestion goes to the next waiting host, even if nothing else happens. */
  function lookAgain(): void {
    const [oldest] = suggested.values();
    if (isWoken || hosts.isEmpty() || !oldest) return;
    isWoken = true;
    wake(Math.max(1, oldest.until - now()));
  }

  return {
    look,
    stopWaiting: hosts.stopWaiting,
    isWaiting: hosts.isWaiting,

    offer(offer) {
      const suggestedTo = suggested.get(offer.jobId)?.hostId;
      show(offer.jobId);
      const { need, endedOn } = inTransaction(() => queue.add(offer));
      // Only a push host does not ask again by itself.
      const { avoidHost, avoidMs = 0 } = offer;
      if (avoidHost && hosts.pushHosts.has(avoidHost)) wake(avoidMs);
      if (unparkAll(suggestedTo, endedOn)) return look();
      const able = hosts.kinds().filter(({ capability }) => canDo(capability, need));
      able.sort((a, b) => strengthOf(a.capability) - strengthOf(b.capability));
      // Whoever waits found nothing before: only this job is new, and what came to nothing meanwhile goes before it.
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

    idle: (most) => hosts.idle(most, mayHave),

    handOver(waiter, suggestion) {
      if (!hosts.isWaiting(waiter) || !mayHave(waiter) || suggested.has(suggestion.jobId)) return false;
      remember(suggestion, waiter.hostId);
      answer(waiter, suggestion);
      lookAgain();
      return true;
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
    size: queue.size,
    backlogs: queue.backlogs,
    working: queue.working,
    totals: () => ({ ...totals }),
    placeOf: (jobId) =>
      pace.estimateBehind(
        inTransaction(() => queue.before(jobId)),
        now(),
      ),
  };

  function settle(jobId: string): void {
    const suggestedTo = suggested.get(jobId)?.hostId;
    forget(jobId);
    const endedOn = inTransaction(() => queue.settle(jobId));
    if (unparkAll(suggestedTo, endedOn)) look();
  }
}
