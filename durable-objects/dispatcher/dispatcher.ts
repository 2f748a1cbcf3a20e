import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '../../domain/fair-queue.ts';
import type { Bindings } from '../bindings.ts';
import { type Capability, createReadyQueue, type ReadyQueue } from './ready-queue.ts';

interface Waiter {
  readonly pollId: string;
  readonly capability: Capability;
  readonly answer: (jobId: string | null) => void;
}

/**
 * Suggests which job a host should claim next. It grants nothing: the job's own object does. A suggestion that comes
 * to nothing is no loss, because a job that still waits offers itself again.
 */
export class Dispatcher extends DurableObject<Bindings> {
  readonly #queue: ReadyQueue;
  /** Hosts that found no work and wait for some, in the order they came. */
  readonly #waiters = new Set<Waiter>();

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#queue = createReadyQueue(ctx.storage.sql);
  }

  /** Queues a job, and hands it at once to a host that waits. Repeatable. */
  offer(offer: Offer): void {
    const added = this.ctx.storage.transactionSync(() => this.#queue.add(offer));
    if (added) this.#serveWaiters();
  }

  /** The next job that this host can do; waits up to `waitMs` for one. Null when none came, or the poll has left. */
  async next(pollId: string, capability: Capability, waitMs: number): Promise<string | null> {
    const jobId = this.#take(capability);
    if (jobId !== null || waitMs <= 0) return jobId;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        pollId,
        capability,
        answer: (answer) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(answer);
        },
      };
      const timer = setTimeout(() => waiter.answer(null), waitMs);
      this.#waiters.add(waiter);
    });
  }

  /** A job that held one of its account's slots has ended, or waits for its retry: the next one moves up. */
  settle(jobId: string): void {
    this.ctx.storage.transactionSync(() => this.#queue.settle(jobId));
  }

  /** Ends a poll whose host has gone, so that no job is suggested into the void. */
  leave(pollId: string): void {
    for (const waiter of this.#waiters) if (waiter.pollId === pollId) waiter.answer(null);
  }

  /** How many jobs wait. */
  size(): number {
    return this.#queue.size();
  }

  #serveWaiters(): void {
    for (const waiter of this.#waiters) {
      const jobId = this.#take(waiter.capability);
      if (jobId !== null) waiter.answer(jobId);
    }
  }

  #take(capability: Capability): string | null {
    return this.ctx.storage.transactionSync(() => this.#queue.take(capability));
  }
}
