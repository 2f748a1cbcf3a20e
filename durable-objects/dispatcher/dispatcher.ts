import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '../../domain/fair-queue.ts';
import type { Capability } from '../../domain/need.ts';
import { createDispatch, type Dispatch, type Suggestion, type Waiter } from './dispatch.ts';

/** Who asks for work, and how many jobs it may have at a time. */
export interface Claimant {
  readonly id: string;
  readonly slots: number;
  /** Demos that it has. */
  readonly demoKeys?: readonly string[];
}

/** The object around `createDispatch`: holds the calls of hosts that wait. */
export class Dispatcher extends DurableObject {
  readonly #dispatch: Dispatch;
  readonly #polls = new Map<string, () => void>();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#dispatch = createDispatch({
      storage: ctx.storage,
      now: () => Date.now(),
      newToken: () => crypto.randomUUID(),
      wake: (ms) => void setTimeout(() => this.#dispatch.look(), ms),
    });
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
    const suggestion = this.#dispatch.next(capability, host.id, host.demoKeys);
    if (suggestion !== null || waitMs <= 0) return suggestion;
    return new Promise((resolve) => {
      const end = (answer: Suggestion | null) => {
        clearTimeout(timer);
        this.#dispatch.stopWaiting(waiter);
        if (this.#polls.get(pollId) === leave) this.#polls.delete(pollId);
        resolve(answer);
      };
      const { id: hostId, slots, demoKeys } = host;
      const waiter: Waiter = { hostId, slots, capability, demoKeys, answer: end };
      const timer = setTimeout(end, waitMs, null);
      const leave = () => end(null);
      this.#polls.set(pollId, leave);
      this.#dispatch.wait(waiter);
    });
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
}
