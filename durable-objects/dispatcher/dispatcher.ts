import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '../../domain/fair-queue.ts';
import type { HostPolicy } from '../../domain/host-state.ts';
import type { Capability, Need } from '../../domain/need.ts';
import type { AttemptEnd } from '../../domain/set-aside.ts';
import { createDispatch, type Dispatch, type Suggestion, type Waiter } from './dispatch.ts';
import { createHostBook, type Held, type HostBook } from './host-book.ts';

/** Who asks for work, and how many jobs it may have at a time. */
export interface Claimant {
  readonly id: string;
  readonly slots: number;
  /** What the operator wants of it. A Worker of the version before knows of none, and takes no word for an answer. */
  readonly policy?: HostPolicy;
}

/** What is known here of a host. */
export interface HostGlance {
  /** When it asked for work last, in milliseconds since the epoch; null where this object was not there then. */
  readonly lastSeen: number | null;
  /** Jobs that it works on. */
  readonly jobs: readonly string[];
  /** Null where its faults have not set it aside. */
  readonly asideUntil: number | null;
}

/** A host that is tried again has the one job that it gets. */
const ON_TRIAL: Held = { held: 'set aside', until: null };
const ANYBODY: HostPolicy = { revision: -1, labels: [], hold: null, holdUntil: null };

/** The object around `createDispatch`: holds the calls of hosts that wait. */
export class Dispatcher extends DurableObject {
  readonly #dispatch: Dispatch;
  readonly #hosts: HostBook;
  readonly #polls = new Map<string, { readonly hostId: string; readonly leave: () => void }>();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#dispatch = createDispatch({
      storage: ctx.storage,
      now: () => Date.now(),
      newToken: () => crypto.randomUUID(),
      wake: (ms) => void setTimeout(() => this.#dispatch.look(), ms),
    });
    this.#hosts = createHostBook(ctx.storage, () => Date.now());
  }

  /** Queues a job, and hands it at once to a host that waits. Repeatable: a queued job keeps its place. */
  offer(offer: Offer): void {
    this.#dispatch.offer(offer);
  }

  /**
   * The next job that this host can do; waits up to `waitMs` for one. Null when none came, or the poll has left; a host
   * that gets none is told why where it can hear it. A Worker of the version before names no host.
   */
  async next(
    pollId: string,
    able: Capability,
    waitMs: number,
    host: Claimant = { id: '', slots: Number.POSITIVE_INFINITY },
  ): Promise<Suggestion | Held | 'no_slot' | null> {
    const policy = this.#hosts.policyOf(host.id, host.policy ?? ANYBODY);
    const capability = { ...able, labels: policy.labels };
    this.#hosts.asked(host.id, capability);
    const slots = this.#hosts.slotsOf(host.id, host.slots);
    const isFull = !this.#dispatch.hasSlot(host.id, slots);
    const held = this.#hosts.heldBy(host.id, policy) ?? (isFull && slots < host.slots ? ON_TRIAL : null);
    if (held === null) {
      if (isFull) return 'no_slot';
      const suggestion = this.#dispatch.next(capability, host.id);
      if (suggestion !== null) return suggestion;
    }
    const nothing = host.policy === undefined ? null : held;
    if (waitMs <= 0) return nothing;
    return new Promise((resolve) => {
      const end = (answer: Suggestion | Held | null) => {
        clearTimeout(timer);
        this.#dispatch.stopWaiting(waiter);
        if (this.#polls.get(pollId)?.leave === leave) this.#polls.delete(pollId);
        resolve(answer);
      };
      const waiter: Waiter = { hostId: host.id, slots, capability, answer: end };
      const timer = setTimeout(end, waitMs, nothing);
      const leave = () => end(null);
      this.#polls.set(pollId, { hostId: host.id, leave });
      if (held === null) this.#dispatch.wait(waiter);
    });
  }

  /** A host works on the job: its place is free. */
  started(jobId: string, hostId?: string): void {
    this.#dispatch.started(jobId, hostId);
  }

  /**
   * The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up.
   * `end`: how its attempt ended, if a host had it.
   */
  settle(jobId: string, end?: AttemptEnd): void {
    if (end && this.#hosts.ended(jobId, end)) this.#endPolls(end.hostId);
    this.#dispatch.settle(jobId);
  }

  /** A suggested job turned out not to wait for a host. Nothing happens if it has offered itself since. */
  drop(suggestion: Suggestion): void {
    this.#dispatch.drop(suggestion);
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
  }

  /** What is known here of hosts, of each with so many of its jobs at most. */
  glance(hostIds: readonly string[], jobs: number): HostGlance[] {
    return hostIds.map((id) => ({
      lastSeen: this.#hosts.lastSeen(id),
      jobs: this.#dispatch.jobsOf(id, jobs),
      asideUntil: this.#hosts.asideUntil(id),
    }));
  }

  /** Whether a host that was here within a day could do this. */
  hasKindFor(need: Need): boolean {
    return this.#hosts.hasKindFor(need);
  }

  /** How many jobs wait. */
  size(): number {
    return this.#dispatch.size();
  }

  #endPolls(hostId: string): void {
    for (const poll of [...this.#polls.values()]) if (poll.hostId === hostId) poll.leave();
  }
}
