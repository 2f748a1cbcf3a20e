import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '../../domain/fair-queue.ts';
import type { Capability } from '../../domain/need.ts';
import { type ObjectsByName, placedIn } from '../../platform/placed-in.ts';
import { loadSettings, type Settings } from '../../platform/settings.ts';
import { createDispatch, type Dispatch, type Suggestion, type Waiter } from './dispatch.ts';
import { dispatcherOf } from './dispatchers.ts';
import { type Asker, createNeighbours, lend, type Neighbours } from './neighbours.ts';
import { createStandingHosts, type StandingHost, type StandingHosts } from './standing-hosts.ts';

/** Who asks for work, and how many jobs it may have at a time. */
export interface Claimant {
  readonly id: string;
  readonly slots: number;
}

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
  readonly #polls = new Map<string, () => void>();
  readonly #standing: StandingHosts;
  readonly #forwarders: ObjectsByName<Forwarder>;

  constructor(ctx: DurableObjectState, env: DispatcherBindings) {
    super(ctx, env);
    const settings = loadSettings(env);
    this.#forwarders = placedIn(env.PUSH_HOST, settings.place);
    this.#standing = createStandingHosts(ctx.storage.sql);
    this.#dispatch = createDispatch({
      storage: ctx.storage,
      now: () => Date.now(),
      newToken: () => crypto.randomUUID(),
      wake: (ms) => void setTimeout(() => this.#dispatch.look(), ms),
    });
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
   * The next job that this host can do; waits up to `waitMs` for one. Null when none came, or the poll has left. A
   * Worker of the version before names no host.
   */
  async next(
    pollId: string,
    capability: Capability,
    waitMs: number,
    host: Claimant = { id: '', slots: Number.POSITIVE_INFINITY },
  ): Promise<Suggestion | 'no_slot' | null> {
    if (!this.#dispatch.hasSlot(host.id, host.slots)) return 'no_slot';
    // Now and then a host sees first whether another dispatcher has something that should go before.
    const asksFirst = this.#neighbours?.isDue() === true;
    const suggestion = this.#dispatch.next(capability, host.id, asksFirst);
    if (suggestion !== null || (waitMs <= 0 && !asksFirst)) return suggestion;
    return new Promise((resolve) => {
      const end = (answer: Suggestion | null) => {
        clearTimeout(timer);
        this.#dispatch.stopWaiting(waiter);
        if (this.#polls.get(pollId) === leave) this.#polls.delete(pollId);
        resolve(answer);
      };
      const waiter: Waiter = { hostId: host.id, slots: host.slots, capability, answer: end };
      const timer = setTimeout(end, asksFirst ? Math.max(waitMs, ANSWER_MS) : waitMs, null);
      const leave = () => end(null);
      this.#polls.set(pollId, leave);
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
    this.#dispatch.sit(hostId);
  }

  /** A host works on the job: its place is free. */
  started(jobId: string, hostId?: string): void {
    this.#dispatch.started(jobId, hostId);
    this.#neighbours?.wake();
  }

  /** The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up. */
  settle(jobId: string): void {
    this.#dispatch.settle(jobId);
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
    this.#polls.get(pollId)?.();
  }

  /** How many jobs wait. */
  size(): number {
    return this.#dispatch.size();
  }

  #findNeighbours({ dispatchers: shards, place }: Settings): Neighbours | null {
    const shard = Number(/^shard-(\d+)$/.exec(this.ctx.id.name ?? '')?.[1] ?? Number.NaN);
    if (shards === 1 || !(shard < shards)) return null;
    const at = (other: number) => dispatcherOf(placedIn(this.env.DISPATCHER, place), other);
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

  #stand(host: StandingHost): void {
    const answer = (suggestion: Suggestion) => {
      // A call that fails is a suggestion that comes to nothing: the job is suggested again in a while.
      this.#forwarders
        .getByName(host.hostId)
        .push(host.hostId, suggestion)
        .catch(() => {});
    };
    this.#dispatch.stand({ ...host, answer });
  }
}
