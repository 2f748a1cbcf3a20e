import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '../../domain/fair-queue.ts';
import { type Capability, createReadyQueue, type ReadyQueue } from './ready-queue.ts';

/** A job that a host may claim. `token` names this suggestion among all that were made of the job. */
export interface Suggestion {
  readonly jobId: string;
  readonly token: string;
}

/** Who asks for work, and how many jobs it may have at a time. */
export interface Claimant {
  readonly id: string;
  readonly slots: number;
}

interface Waiter {
  readonly host: Claimant;
  readonly pollId: string;
  readonly capability: Capability;
  readonly answer: (suggestion: Suggestion | null) => void;
}

/** Longer than a grant waits for its host's word: by then the job has started, or has offered itself again. */
const SUGGESTED_FOR_MS = 10_000;

/**
 * Suggests which job a host should claim next. It grants nothing: the job's own object does. A suggested job keeps its
 * place until it says that it has started, and is meanwhile suggested to nobody else. So a suggestion that comes to
 * nothing (a claim that was cut off, a grant into the void) costs the job seconds and not its place.
 */
export class Dispatcher extends DurableObject {
  readonly #queue: ReadyQueue;
  /** Hosts that found no work and wait for some, in the order they came. */
  readonly #waiters = new Set<Waiter>();
  /** Jobs that were suggested a moment ago. Forgotten with the object, they are only suggested once more. */
  readonly #suggested = new Map<string, { readonly token: string; readonly until: number; readonly hostId: string }>();

  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#queue = createReadyQueue(ctx.storage);
  }

  /** Queues a job, and hands it at once to a host that waits. Repeatable: a queued job keeps its place. */
  offer(offer: Offer): void {
    this.#suggested.delete(offer.jobId);
    this.ctx.storage.transactionSync(() => this.#queue.add(offer));
    this.#serveWaiters();
  }

  /**
   * The next job that this host can do; waits up to `waitMs` for one. Null when none came, or the poll has left. A host
   * that has a job in each of its slots, or as many polls, gets nothing.
   */
  async next(
    pollId: string,
    capability: Capability,
    waitMs: number,
    host: Claimant = { id: pollId, slots: Number.POSITIVE_INFINITY },
  ): Promise<Suggestion | 'no_slot' | null> {
    const polls = [...this.#waiters].filter((waiter) => waiter.host.id === host.id).length;
    if (polls >= host.slots || !this.#hasSlot(host)) return 'no_slot';
    const suggestion = this.#suggest(capability, host);
    if (suggestion !== null || waitMs <= 0) return suggestion;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        pollId,
        host,
        capability,
        answer: (answer) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(answer);
        },
      };
      const timer = setTimeout(() => waiter.answer(null), waitMs);
      this.#waiters.add(waiter);
      this.#lookAgain();
    });
  }

  /** A host works on the job: its place is free. */
  started(jobId: string, hostId?: string): void {
    this.#suggested.delete(jobId);
    this.ctx.storage.transactionSync(() => this.#queue.start(jobId, hostId));
  }

  /** The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up. */
  settle(jobId: string): void {
    this.#suggested.delete(jobId);
    this.ctx.storage.transactionSync(() => this.#queue.settle(jobId));
    // Its host may wait for the slot.
    this.#serveWaiters();
  }

  /** A suggested job turned out not to wait for a host. Nothing happens if it has offered itself since. */
  drop({ jobId, token }: Suggestion): void {
    if (this.#suggested.get(jobId)?.token === token) this.settle(jobId);
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
    // Where there is nothing for one host, there is nothing for others that can do as much.
    const idle = new Set<string>();
    for (const waiter of this.#waiters) {
      const { maxResolution, maxFps } = waiter.capability;
      const ability = `${maxResolution} ${maxFps}`;
      if (idle.has(ability) || !this.#hasSlot(waiter.host)) continue;
      const suggestion = this.#suggest(waiter.capability, waiter.host);
      if (suggestion === null) idle.add(ability);
      else waiter.answer(suggestion);
    }
  }

  #suggest(capability: Capability, { id: hostId }: Claimant): Suggestion | null {
    const now = Date.now();
    this.#forgetOldSuggestions(now);
    const jobId = this.ctx.storage.transactionSync(() => this.#queue.next(capability, this.#suggested));
    if (jobId === null) return null;
    const suggestion = { jobId, token: crypto.randomUUID() };
    this.#suggested.set(jobId, { token: suggestion.token, until: now + SUGGESTED_FOR_MS, hostId });
    this.#lookAgain();
    return suggestion;
  }

  /** What was suggested to a host a moment ago counts as if the host had it. */
  #hasSlot({ id, slots }: Claimant): boolean {
    this.#forgetOldSuggestions(Date.now());
    const suggested = [...this.#suggested.values()].filter(({ hostId }) => hostId === id).length;
    return suggested + this.#queue.leases(id) < slots;
  }

  #forgetOldSuggestions(now: number): void {
    for (const [jobId, { until }] of this.#suggested) if (until <= now) this.#suggested.delete(jobId);
  }

  /** A suggestion that came to nothing falls to a host that waits, even if nothing else happens. */
  #lookAgain(): void {
    const [oldest] = this.#suggested.values();
    if (this.#timer !== null || this.#waiters.size === 0 || !oldest) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#serveWaiters();
        this.#lookAgain();
      },
      Math.max(1, oldest.until - Date.now() + 1),
    );
  }
}
