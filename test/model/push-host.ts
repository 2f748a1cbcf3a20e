import {
  afterBusy,
  afterFailure,
  afterRest,
  afterTaken,
  type Circuit,
  CLOSED,
  openSlots,
} from '#domain/circuit-breaker.ts';
import { type Job, leaseOf } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import type { Capability } from '#domain/need.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import type { Agenda } from './agenda.ts';
import type { WatchedDispatch } from './watched-dispatch.ts';

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
