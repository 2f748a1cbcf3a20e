import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '#domain/fair-queue.ts';
import type { HostPolicy } from '#domain/host-state.ts';
import type { Capability, Need } from '#domain/need.ts';
import type { Place } from '#domain/pace.ts';
import type { AttemptEnd } from '#domain/set-aside.ts';
import { type ObjectsByName, placedIn } from '#platform/placed-in.ts';
import { type Settings, settingsOf } from '#platform/settings.ts';
import type { Tally } from '../isolate-tally.ts';
import { createDispatch } from './dispatch.ts';
import type { Claimant, Dispatch, HostGlance } from './dispatch-words.ts';
import { dispatcherOf } from './dispatchers.ts';
import { hearOfSuspended } from './hear-of-suspended.ts';
import { ANYBODY, createHostBook, type Held, type HostBook } from './host-book.ts';
import { type Asker, createNeighbours, lend, type Neighbours } from './neighbours.ts';
import type { DispatcherNumbers } from './numbers.ts';
import { createStandingHosts, type StandingHost, type StandingHosts } from './standing-hosts.ts';
import { createTallies } from './tallies.ts';
import type { Suggestion, Waiter } from './waiter.ts';

/** A host that is tried again has the one job that it gets. */
const ON_TRIAL: Held = { held: 'set aside', until: null };

/** How long before what holds a host that is called is looked at again. */
const HELD_LOOK_MS = 60 * 60_000;

/** What calls a host: the push host's own object. */
export interface Forwarder extends Rpc.DurableObjectBranded {
  push(hostId: string, suggestion: Suggestion): void;
}

/** A dispatcher that does not answer holds up the poll of one host for so long. */
const ANSWER_MS = 5000;

interface DispatcherBindings {
  readonly DISPATCHER: DurableObjectNamespace<Dispatcher>;
  readonly PUSH_HOST: DurableObjectNamespace<Forwarder>;
}

/** The object around `createDispatch`: holds the calls of hosts that wait, and remembers hosts that are called. */
export class Dispatcher extends DurableObject<DispatcherBindings> {
  readonly #dispatch: Dispatch;
  /** Null where there are none. */
  readonly #neighbours: Neighbours | null;
  readonly #hosts: HostBook;
  readonly #polls = new Map<string, { readonly hostId: string; readonly leave: () => void }>();
  readonly #tallies = createTallies(() => Date.now());
  readonly #standing: StandingHosts;
  readonly #called = new Map<string, StandingHost>();
  /** Accounts that were suspended, or are so no more, since this object began. */
  readonly #told = new Set<string>();
  readonly #forwarders: ObjectsByName<Forwarder>;

  constructor(ctx: DurableObjectState, env: DispatcherBindings) {
    super(ctx, env);
    const settings = settingsOf(env);
    this.#forwarders = placedIn(env.PUSH_HOST, settings.place);
    this.#standing = createStandingHosts(ctx.storage.sql);
    this.#dispatch = createDispatch({
      storage: ctx.storage,
      now: () => Date.now(),
      newToken: () => crypto.randomUUID(),
      share: settings.accountShare,
      wake: (ms) => void setTimeout(() => this.#dispatch.look(), ms),
    });
    this.#hosts = createHostBook(ctx.storage, () => Date.now());
    this.#neighbours = this.#findNeighbours(settings);
    for (const host of this.#standing.load()) this.#stand(host);
    this.#dispatch.look();
    this.#neighbours?.wake();
  }

  /**
   * Queues a job, and hands it at once to a host that waits. Repeatable: a queued job keeps its place. Says how many
   * jobs wait here, where that is of interest.
   */
  offer(offer: Offer): number | null {
    this.#dispatch.offer(offer);
    return this.#neighbours && this.#dispatch.size();
  }

  /**
   * The next job that this host can do; waits up to `waitMs` for one. Null when none came, or the poll has left; a host
   * that gets none is told why where it can hear it.
   */
  async next(
    pollId: string,
    able: Capability,
    waitMs: number,
    host: Claimant = { id: '', slots: Number.POSITIVE_INFINITY },
  ): Promise<Suggestion | Held | 'no_slot' | null> {
    const policy = this.#hosts.policyOf(host.id, host.policy ?? ANYBODY);
    const capability = { ...able, labels: policy.labels };
    this.#hosts.asked(host.id, capability, policy);
    const slots = this.#hosts.slotsOf(host.id, host.slots);
    const isFull = !this.#dispatch.hasSlot(host.id, slots);
    const held = this.#hosts.heldBy(host.id, policy) ?? (isFull && slots < host.slots ? ON_TRIAL : null);
    // Now and then a host sees first whether another dispatcher has something that should go before.
    const asksFirst = held === null && this.#neighbours?.isDue() === true;
    if (held === null) {
      if (isFull) return 'no_slot';
      const suggestion = this.#dispatch.next(capability, host.id, host.demoKeys, asksFirst);
      if (suggestion !== null) return suggestion;
    }
    const nothing = host.policy === undefined ? null : held;
    if (waitMs <= 0 && !asksFirst) return nothing;
    return new Promise((resolve) => {
      const end = (answer: Suggestion | Held | null) => {
        clearTimeout(timer);
        this.#dispatch.stopWaiting(waiter);
        if (this.#polls.get(pollId)?.leave === leave) this.#polls.delete(pollId);
        resolve(answer);
      };
      const { id: hostId, demoKeys } = host;
      const waiter: Waiter = { hostId, slots, capability, demoKeys, answer: end };
      const timer = setTimeout(end, asksFirst ? Math.max(waitMs, ANSWER_MS) : waitMs, nothing);
      const leave = () => end(null);
      this.#polls.set(pollId, { hostId: host.id, leave });
      if (held !== null) return;
      this.#dispatch.wait(waiter);
      if (!asksFirst) return this.#neighbours?.wake();
      this.#neighbours?.askFor(waiter, () => {
        this.#dispatch.look();
        if (waitMs <= 0) end(null);
      });
    });
  }

  /** Hands a host that is called what it may have from now on, also after this object has left memory. Repeatable. */
  stand(host: StandingHost): void {
    this.#standing.save(host);
    this.#stand(host);
    this.#dispatch.look();
  }

  /** The host is not to be called, until it stands again. */
  sit(hostId: string): void {
    this.#standing.remove(hostId);
    this.#called.delete(hostId);
    this.#dispatch.sit(hostId);
  }

  /** A host works on the job: its place is free. */
  started(jobId: string, hostId?: string): void {
    this.#dispatch.started(jobId, hostId);
    this.#neighbours?.wake();
  }

  /**
   * The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up.
   * `end`: how its attempt ended, if a host had it.
   */
  settle(jobId: string, end?: AttemptEnd): void {
    if (end && this.#hosts.ended(jobId, end, this.#dispatch.hasOther(end.hostId))) this.#endPolls(end.hostId);
    const isCalled = end !== undefined && this.#called.has(end.hostId);
    // Before its slot is free: its faults may have set it aside, or a job well done has ended that.
    if (isCalled) this.#restand(end.hostId);
    this.#dispatch.settle(jobId);
    if (isCalled) this.#dispatch.look();
    this.#neighbours?.wake();
  }

  /** A suggested job turned out not to wait for a host. Nothing happens if it has offered itself since. */
  drop(suggestion: Suggestion): void {
    this.#dispatch.drop(suggestion);
  }

  /** A suggestion came to nothing at once: its job may be suggested again, and its host may have another. */
  takeBack(suggestion: Suggestion): void {
    this.#dispatch.takeBack(suggestion);
  }

  /** What there is here for hosts of another dispatcher, in whose queue so many jobs wait. */
  lend(askers: readonly Asker[], length: number): (Suggestion | null)[] {
    return lend(this.#dispatch, askers, length);
  }

  /** Ends a poll whose host has gone, so that no job is suggested into the void. */
  leave(pollId: string): void {
    this.#polls.get(pollId)?.leave();
  }

  /** The operator wants something else of a host: what it waits for is answered, and what it asks for then obeys. */
  revise(hostId: string, policy: HostPolicy, forgive: boolean): void {
    this.#hosts.revise(hostId, policy);
    if (forgive) this.#hosts.forgive(hostId);
    this.#endPolls(hostId);
    this.#standAgain(hostId);
  }

  /** Jobs of an account wait until it is suspended no more. */
  suspend(accountId: string, isSuspended: boolean): void {
    this.#told.add(accountId);
    this.#dispatch.suspend(accountId, isSuspended);
  }

  /** The accounts that are. */
  suspended(): readonly string[] {
    return this.#dispatch.suspended();
  }

  /** What is known here of hosts, of each with so many of its jobs at most. */
  glance(hostIds: readonly string[], jobs: number): HostGlance[] {
    return hostIds.map((id) => ({
      lastSeen: this.#called.has(id) ? Date.now() : this.#hosts.lastSeen(id),
      jobs: this.#dispatch.jobsOf(id, jobs),
      asideUntil: this.#hosts.asideUntil(id),
    }));
  }

  /** Whether a host that was here within a day could do this. */
  hasKindFor(need: Need): boolean {
    return this.#hosts.hasKindFor(need);
  }

  /** Where a job stands in this queue; null where it is not in it. */
  placeOf(jobId: string): Place | null {
    return this.#dispatch.placeOf(jobId);
  }

  /** How many jobs wait. */
  size(): number {
    return this.#dispatch.size();
  }

  /** An isolate says what it has counted. */
  tally(told: Tally): void {
    this.#tallies.add(told);
  }

  /** What is known here by number; costs alike however long the queue is. */
  numbers(): DispatcherNumbers {
    const { jobs, hosts } = this.#dispatch.working();
    const counted = this.#hosts.count(new Set(hosts), new Set(this.#called.keys()));
    const totals = { ...this.#dispatch.totals(), ...this.#hosts.totals(), ...this.#tallies.totals() };
    return { ...totals, backlogs: this.#dispatch.backlogs(), leased: jobs, hosts: counted };
  }

  #findNeighbours({ dispatchers: shards, place }: Settings): Neighbours | null {
    const shard = Number(/^shard-(\d+)$/.exec(this.ctx.id.name ?? '')?.[1] ?? Number.NaN);
    if (shards === 1 || !(shard < shards)) return null;
    const at = (other: number) => dispatcherOf(placedIn(this.env.DISPATCHER, place), other);
    if (shard !== 0) hearOfSuspended(this.ctx, () => at(0), this.#dispatch, this.#told);
    return createNeighbours(this.#dispatch, {
      shard,
      shards,
      now: () => Date.now(),
      later: (ms, work) => void setTimeout(work, ms),
      lend: (other, askers, length, answer) =>
        void at(other)
          .lend(askers, length)
          .then(answer, () => answer([])),
      takeBack: (other, suggestion) =>
        void at(other)
          .takeBack(suggestion)
          .catch(() => {}),
    });
  }

  #endPolls(hostId: string): void {
    for (const poll of [...this.#polls.values()]) if (poll.hostId === hostId) poll.leave();
  }

  #stand(host: StandingHost): void {
    this.#called.set(host.hostId, host);
    this.#restand(host.hostId);
  }

  /** Has a host that is called stand as the operator and its own faults have it. */
  #restand(hostId: string): void {
    const host = this.#called.get(hostId);
    if (!host) return;
    const policy = this.#hosts.policyOf(hostId, host.policy ?? ANYBODY);
    const capability = { ...host.capability, labels: policy.labels };
    this.#hosts.asked(hostId, capability, policy);
    const held = this.#hosts.heldBy(hostId, policy);
    if (held === null) {
      const slots = this.#hosts.slotsOf(hostId, host.slots);
      this.#dispatch.stand({ hostId, slots, capability, answer: (suggestion) => this.#push(hostId, suggestion) });
      return;
    }
    this.#dispatch.sit(hostId);
    if (held.until === null) return;
    setTimeout(() => this.#standAgain(hostId), Math.min(Math.max(1, held.until - Date.now()), HELD_LOOK_MS));
  }

  #standAgain(hostId: string): void {
    this.#restand(hostId);
    this.#dispatch.look();
  }

  #push(hostId: string, suggestion: Suggestion): void {
    // A call that fails is a suggestion that comes to nothing: the job is suggested again in a while.
    this.#forwarders
      .getByName(hostId)
      .push(hostId, suggestion)
      .catch(() => {});
  }
}
