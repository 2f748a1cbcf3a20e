import type { Offer } from '#domain/fair-queue.ts';
import type { HostPolicy } from '#domain/host-state.ts';
import type { Capability, Need } from '#domain/need.ts';
import type { Place } from '#domain/pace.ts';
import type { SuggestionTotals } from './numbers.ts';
import type { QueueStorage } from './queue-tables.ts';
import type { ReadyQueue } from './ready-queue.ts';
import type { Suggestion, Waiter } from './waiter.ts';

/** What it needs of the machine: the Dispatcher gives it the object's, a simulation its own. */
export interface DispatchWorld {
  readonly storage: QueueStorage;
  now(): number;
  newToken(): string;
  /** The share of the places that best-effort jobs of one account get while other accounts wait. */
  readonly share?: number;
  /** Has `look` called once more, after so many milliseconds. */
  wake(ms: number): void;
}

export interface Dispatch
  extends Pick<ReadyQueue, 'jobsOf' | 'suspend' | 'suspended' | 'size' | 'backlogs' | 'working'> {
  /** Queues a job, and hands it at once to a host that waits. Repeatable: a queued job keeps its place. */
  offer(offer: Offer): void;
  /**
   * The next job that this host can do, or the next one under a provisioned slot; null when there is none. `demoKeys`:
   * demos that it has.
   */
  next(capability: Capability, hostId: string, demoKeys?: readonly string[], onlyCovered?: boolean): Suggestion | null;
  /** Whether the host may have one more. What was suggested to it a moment ago counts as if it had it. */
  hasSlot(hostId: string, slots: number): boolean;
  /** Whether another host has asked for work of late, or is called: one that can do this, where a need is named. */
  hasOther(hostId: string, need?: Need): boolean;
  /** Answers this host as soon as there is work for it. */
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** Some of those that wait and may have one more, of each kind alike. */
  idle(most: number): Waiter[];
  isWaiting(waiter: Waiter): boolean;
  /** Answers a host with a job of another dispatcher; false where it may have none, or waits no longer. */
  handOver(waiter: Waiter, suggestion: Suggestion): boolean;
  /** A suggestion came to nothing at once. */
  takeBack(suggestion: Suggestion): void;
  /**
   * Answers this host with every job that it may have until it `sit`s: one that is called instead of calling. In the
   * place of what it said before. `look` then serves it.
   */
  stand(waiter: Waiter): void;
  sit(hostId: string): void;
  /** A host works on the job: its place is free. */
  started(jobId: string, hostId?: string): void;
  /** The job has ended, or waits for its retry: it holds no place and no slot, and the account's next one moves up. */
  settle(jobId: string): void;
  /** A suggested job turned out not to wait for a host. Nothing happens if it has offered itself since. */
  drop(suggestion: Suggestion): void;
  /** Waiting hosts take what they can, now that there may be more. */
  look(): void;
  /** What became of suggestions since this began. */
  totals(): SuggestionTotals;
  /** Where a job stands among all that wait, and when a host will take it; null where it does not wait. */
  placeOf(jobId: string): Place | null;
}

/** Who asks for work, and how many jobs it may have at a time. */
export interface Claimant {
  readonly id: string;
  readonly slots: number;
  /** Demos that it has. */
  readonly demoKeys?: readonly string[];
  /** What the operator wants of it. */
  readonly policy?: HostPolicy;
}

/** What is known here of a host. */
export interface HostGlance {
  /**
   * When it asked for work last, in milliseconds since the epoch: now, where it is called. Null where this object was
   * not there then.
   */
  readonly lastSeen: number | null;
  /** Jobs that it works on. */
  readonly jobs: readonly string[];
  /** Null where its faults have not set it aside. */
  readonly asideUntil: number | null;
}
