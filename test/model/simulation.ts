import { type Capability, canDo, classOf } from '#domain/host/need.ts';
import type { JobEvent } from '#domain/job/event.ts';
import { type Job, leaseOf } from '#domain/job/job.ts';
import { traitsOf } from '#domain/job/work.ts';
import {
  afterBusy,
  afterFailure,
  afterRest,
  afterTaken,
  type Circuit,
  CLOSED,
  openSlots,
} from '#domain/lib/circuit-breaker.ts';
import { createDispatch } from '#durable-objects/dispatcher/dispatch.ts';
import type { Waiter } from '#durable-objects/dispatcher/waiting-hosts.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { createQueueStorage } from '#test/support/queue-storage.ts';

/** A virtual clock with a list of future work, ordered by time and then by insertion. */
export interface Agenda {
  now(): number;
  /** Schedules work after so many milliseconds. */
  in(ms: number, work: () => void): void;
  /** Runs until `isOver`, or until nothing is scheduled. */
  runUntil(isOver: () => boolean): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

export function createAgenda(): Agenda {
  const heap: Entry[] = [];
  let now = 0;
  let order = 0;
  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function push(entry: Entry): void {
    let place = heap.push(entry) - 1;
    for (;;) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (place === 0 || !above || !isBefore(entry, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = entry;
  }

  function pop(): Entry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let place = 0;
    for (;;) {
      const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
      const child = right && left && isBefore(right, left) ? 2 * place + 2 : 2 * place + 1;
      const lower = heap[child];
      if (!lower || !isBefore(lower, last)) break;
      heap[place] = lower;
      place = child;
    }
    heap[place] = last;
    return first;
  }

  return {
    now: () => now,
    in(ms, work) {
      push({ at: now + ms, order: order++, work });
    },
    runUntil(isOver) {
      while (!isOver()) {
        const next = pop();
        if (!next) return;
        now = next.at;
        next.work();
      }
    },
  };
}

/** A failed suggestion is not tracked for longer. */
const SUGGESTED_FOR_MS = 10_000;

export type WatchedDispatch = ReturnType<typeof createWatchedDispatch>;

type Waiting = Pick<Job, 'id' | 'accountId' | 'priority' | 'work' | 'avoidHost'>;

/**
 * Creates the deployed dispatcher, and checks each suggestion: no job to two hosts at once, and covered jobs before
 * best effort.
 */
export function createWatchedDispatch(agenda: Agenda) {
  const { now } = agenda;
  const seen = { inversions: 0, suggestedTwice: 0 };
  /** The ids of all covered jobs, and those that may be suggested. */
  const reserved = new Set<string>();
  const covered = new Map<string, Waiting>();
  const out = new Map<string, { readonly until: number }>();
  let tokens = 0;
  const dispatch = createDispatch({
    storage: createQueueStorage(),
    now,
    newToken: () => String(tokens++),
    wake: (ms) => agenda.in(ms, () => dispatch.look()),
  });

  /** Checks a suggestion. */
  function note({ hostId, capability }: Pick<Waiter, 'hostId' | 'capability'>, { jobId }: Suggestion): void {
    const before = out.get(jobId);
    if (before && before.until > now()) seen.suggestedTwice++;
    out.set(jobId, { until: now() + SUGGESTED_FOR_MS });
    covered.delete(jobId);
    if (reserved.has(jobId)) return;
    for (const { work, avoidHost } of covered.values()) {
      const need = classOf({ ...traitsOf(work).picture, renderer: null, refusedBuilds: [] });
      if (avoidHost !== hostId && canDo(capability, need)) seen.inversions++;
    }
  }

  function watched(waiter: Waiter): Waiter {
    const answer = (suggestion: Suggestion) => {
      note(waiter, suggestion);
      waiter.answer(suggestion);
    };
    return { ...waiter, answer };
  }

  return {
    seen,

    /** A host polls, and is answered at once or later. */
    ask(waiter: Waiter): Waiter {
      const held = watched(waiter);
      const suggestion = dispatch.next(waiter.capability, waiter.hostId, waiter.demoKeys);
      if (suggestion) held.answer(suggestion);
      else dispatch.wait(held);
      return held;
    },

    stop: dispatch.stopWaiting,

    registerPushHost(waiter: Waiter): void {
      dispatch.registerPushHost(watched(waiter));
      dispatch.look();
    },

    unregisterPushHost: dispatch.unregisterPushHost,

    drop(suggestion: Suggestion): void {
      out.delete(suggestion.jobId);
      dispatch.drop(suggestion);
    },

    offer(job: Waiting, avoidMs: number): void {
      const { id: jobId, accountId, priority, work, avoidHost } = job;
      out.delete(jobId);
      if (priority) {
        reserved.add(jobId);
        covered.set(jobId, job);
      }
      const tier = priority ? 'reserved' : 'metered';
      dispatch.offer({ jobId, accountId, tier, ...traitsOf(work).picture, slots: null, avoidHost, avoidMs });
    },

    started(jobId: string, hostId: string): void {
      out.delete(jobId);
      covered.delete(jobId);
      dispatch.started(jobId, hostId);
    },

    settle(jobId: string): void {
      out.delete(jobId);
      covered.delete(jobId);
      dispatch.settle(jobId);
    },
  };
}

export interface Host {
  readonly id: string;
  /** Whether it is a push host, which does not poll. */
  readonly isPushed: boolean;
  capability: Capability;
  isAlive: boolean;
  freeAt: number;
  /** The number of its last life: messages to an earlier life do not count. */
  life: number;
}

/** The parts of the simulated fleet that a push host calls. */
export interface Surroundings {
  readonly agenda: Agenda;
  readonly dispatch: WatchedDispatch;
  readonly random: () => number;
  readonly between: (range: readonly [number, number]) => number;
  readonly job: (id: string) => Job | undefined;
  readonly apply: (jobId: string, event: JobEvent) => boolean;
  /** Starts the job's lease. */
  readonly watchLease: (jobId: string) => void;
  /** The grant has reached the host. */
  readonly begin: (host: Host, life: number, jobId: string, fence: number) => void;
  /** Counts a sent grant that the host did not take. */
  readonly noteNotTaken: () => void;
}

const NETWORK_MS = [10, 60] as const;
const OBJECT_MS = [2, 12] as const;
const COLD_START_MS = 3000;
const ANSWER_TIMEOUT_MS = 8000;
const FULL_FOR_MS = 20_000;
/**
 * Shares of calls that get no answer, are refused for a while, lose their answer, or are answered after a container has
 * started.
 */
const SHARES = { silent: 0.001, full: 0.005, lost: 0.002, cold: 0.05 };

/** Creates the sender of jobs to one host, like the object of a push host (durable-objects/push-host). */
export function createPushHost(host: Host, world: Surroundings): { register(): void } {
  const { agenda, dispatch, random, between, apply } = world;
  let circuit: Circuit = CLOSED;

  function change(next: Circuit): void {
    if (next.failures === circuit.failures && next.restUntil === circuit.restUntil) return;
    circuit = next;
    sync();
  }

  /** Registers the host with its present slots. */
  function sync(): void {
    agenda.in(between(OBJECT_MS), () => {
      const slots = openSlots(circuit, 1);
      if (slots > 0) dispatch.registerPushHost({ hostId: host.id, slots, capability: host.capability, answer: push });
      else dispatch.unregisterPushHost(host.id);
    });
    const { restUntil } = circuit;
    if (restUntil !== null) agenda.in(restUntil - agenda.now(), () => change(afterRest(circuit, agenda.now())));
  }

  function push(suggestion: Suggestion): void {
    const { jobId } = suggestion;
    agenda.in(between(OBJECT_MS), () => {
      if (openSlots(circuit, 1) === 0) return;
      if (!apply(jobId, { type: 'claim', hostId: host.id, isSent: true })) {
        const job = world.job(jobId);
        if (!job || !leaseOf(job)) dispatch.drop(suggestion);
        return;
      }
      world.watchLease(jobId);
      call(jobId, world.job(jobId)?.fence ?? 0, circuit);
    });
  }

  function call(jobId: string, fence: number, before: Circuit): void {
    const { life } = host;
    const chance = random();
    const isCold = random() < SHARES.cold;
    const there = between(NETWORK_MS) + (isCold ? COLD_START_MS : 0);
    const taken = () => {
      change(afterTaken(circuit));
      apply(jobId, { type: 'heartbeat', fence, phase: 'prefetch' });
    };
    const refused = (next: Circuit) => {
      world.noteNotTaken();
      change(next);
      agenda.in(between(OBJECT_MS), () => apply(jobId, { type: 'not-taken', fence }));
    };
    const failed = () => refused(afterFailure(circuit, before, agenda.now(), random()));
    agenda.in(there, () => {
      const back = between(NETWORK_MS);
      if (!host.isAlive) agenda.in(back, failed);
      else if (chance < SHARES.silent) agenda.in(ANSWER_TIMEOUT_MS - there, failed);
      else if (chance < SHARES.silent + SHARES.full) {
        // The host itself has answered that it has no free slot.
        host.freeAt = agenda.now() + FULL_FOR_MS;
        agenda.in(back, () => refused(afterBusy(circuit, FULL_FOR_MS, agenda.now())));
      } else {
        const isLost = chance < SHARES.silent + SHARES.full + SHARES.lost;
        world.begin(host, life, jobId, fence);
        agenda.in(back, isLost ? failed : taken);
      }
    });
  }

  return { register: sync };
}
