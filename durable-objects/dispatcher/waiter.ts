import type { Capability } from '#domain/need.ts';

/** A job that a host may claim. `token` names this suggestion among all that were made of the job. */
export interface Suggestion {
  readonly jobId: string;
  readonly token: string;
  /** The dispatcher that the job waits in, where that is not the host's home. */
  readonly shard?: number;
}

/** A host that found no work and waits for some. */
export interface Waiter {
  readonly hostId: string;
  /** How many jobs the host may have at a time. */
  readonly slots: number;
  readonly capability: Capability;
  /** Demos that the host has. */
  readonly demoKeys?: readonly string[] | undefined;
  readonly answer: (suggestion: Suggestion) => void;
}

/** Among how many hosts that wait one is looked for that has the demo. */
const LOOK_FOR_HOST = 8;

/** Hosts that wait, in their order, but for one close to the head that has the demo. */
export function* inOrder(waiters: ReadonlySet<Waiter>, demoKey: string | undefined): Generator<Waiter> {
  let first: Waiter | null = null;
  if (demoKey !== undefined) {
    let looked = 0;
    for (const waiter of waiters) {
      if (first !== null || looked++ === LOOK_FOR_HOST) break;
      if (waiter.demoKeys?.includes(demoKey)) first = waiter;
    }
  }
  if (first !== null) yield first;
  for (const waiter of waiters) if (waiter !== first) yield waiter;
}
