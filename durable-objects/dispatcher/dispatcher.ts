import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '../../domain/fair-queue.ts';
import type { Capability } from '../../domain/need.ts';
import { type ObjectsByName, placedIn } from '../../platform/placed-in.ts';
import { loadSettings } from '../../platform/settings.ts';
import { createDispatch, type Dispatch, type Suggestion, type Waiter } from './dispatch.ts';
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

interface DispatcherBindings {
  readonly PUSH_HOST: DurableObjectNamespace<Forwarder>;
}

/** The object around `createDispatch`: holds the calls of hosts that wait, and remembers hosts that are called. */
export class Dispatcher extends DurableObject<DispatcherBindings> {
  readonly #dispatch: Dispatch;
  readonly #polls = new Map<string, () => void>();
  readonly #standing: StandingHosts;
  readonly #forwarders: ObjectsByName<Forwarder>;

  constructor(ctx: DurableObjectState, env: DispatcherBindings) {
    super(ctx, env);
    this.#forwarders = placedIn(env.PUSH_HOST, loadSettings(env).place);
    this.#standing = createStandingHosts(ctx.storage.sql);
    this.#dispatch = createDispatch({
      storage: ctx.storage,
      now: () => Date.now(),
      newToken: () => crypto.randomUUID(),
      wake: (ms) => void setTimeout(() => this.#dispatch.look(), ms),
    });
    for (const host of this.#standing.load()) this.#stand(host);
    this.#dispatch.look();
  }

  /** Queues a job, and hands it at once to a host that waits. Repeatable: a queued job keeps its place. */
  offer(offer: Offer): void {
    this.#dispatch.offer(offer);
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
    const suggestion = this.#dispatch.next(capability, host.id);
    if (suggestion !== null || waitMs <= 0) return suggestion;
    return new Promise((resolve) => {
      const end = (answer: Suggestion | null) => {
        clearTimeout(timer);
        this.#dispatch.stopWaiting(waiter);
        if (this.#polls.get(pollId) === leave) this.#polls.delete(pollId);
        resolve(answer);
      };
      const waiter: Waiter = { hostId: host.id, slots: host.slots, capability, answer: end };
      const timer = setTimeout(end, waitMs, null);
      const leave = () => end(null);
      this.#polls.set(pollId, leave);
      this.#dispatch.wait(waiter);
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
  }

  /** The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up. */
  settle(jobId: string): void {
    this.#dispatch.settle(jobId);
  }

  /** A suggested job turned out not to wait for a host. Nothing happens if it has offered itself since. */
  drop(suggestion: Suggestion): void {
    this.#dispatch.drop(suggestion);
  }

  /** Ends a poll whose host has gone, so that no job is suggested into the void. */
  leave(pollId: string): void {
    this.#polls.get(pollId)?.();
  }

  /** How many jobs wait. */
  size(): number {
    return this.#dispatch.size();
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
