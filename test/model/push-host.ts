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
import { PUSH_HOST_SHARD } from '#domain/shards.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import type { Agenda } from './agenda.ts';
import type { Shards } from './shards.ts';

export interface Host {
  readonly id: string;
  /** It is a push host: it does not poll. */
  readonly isPushed: boolean;
  capability: Capability;
  isAlive: boolean;
  freeAt: number;
  /** Its last life: what it was told in an earlier one does not count. */
  life: number;
}

/** What a push host reaches of the simulated fleet. */
export interface Surroundings {
  readonly agenda: Agenda;
  readonly shards: Shards;
  readonly random: () => number;
  readonly between: (range: readonly [number, number]) => number;
  readonly job: (id: string) => Job | undefined;
  readonly apply: (jobId: string, event: JobEvent) => boolean;
  /** The job's lease runs from now on. */
  readonly watchLease: (jobId: string) => void;
  /** The grant has reached the host. */
  readonly begin: (host: Host, life: number, jobId: string, fence: number) => void;
  readonly noteLost: () => void;
  /** Counts a grant that was sent, and whether the host took it as far as the service knows. */
  readonly noteCall: (isTaken: boolean) => void;
}

const NETWORK_MS = [10, 60] as const;
const OBJECT_MS = [2, 12] as const;
const COLD_START_MS = 3000;
const ANSWER_TIMEOUT_MS = 8000;
const FULL_FOR_MS = 20_000;
/** Of all calls: not answered at all, refused for a while, answered into the void, answered once a container is up. */
const SHARES = { silent: 0.001, full: 0.005, lost: 0.002, cold: 0.05 };

/** Sends jobs to one host, as the object of a push host does (durable-objects/push-host). */
export function createPushHost(host: Host, world: Surroundings): { register(): void } {
  const { agenda, shards, random, between, apply } = world;
  let circuit: Circuit = CLOSED;

  function change(next: Circuit): void {
    if (next.failures === circuit.failures && next.restUntil === circuit.restUntil) return;
    circuit = next;
    sync();
  }

  /** Registers the host with as many slots as it has now. */
  function sync(): void {
    agenda.in(between(OBJECT_MS), () => {
      const slots = openSlots(circuit, 1);
      if (slots > 0) shards.registerPushHost({ hostId: host.id, slots, capability: host.capability, answer: push });
      else shards.unregisterPushHost(host.id);
    });
    const { restUntil } = circuit;
    if (restUntil !== null) agenda.in(restUntil - agenda.now(), () => change(afterRest(circuit, agenda.now())));
  }

  function push(suggestion: Suggestion): void {
    const { jobId } = suggestion;
    agenda.in(between(OBJECT_MS), () => {
      if (openSlots(circuit, 1) === 0) return;
      const known = shards.leaseShards(PUSH_HOST_SHARD, suggestion);
      if (!apply(jobId, { type: 'claim', hostId: host.id, isSent: true, shards: known })) {
        const job = world.job(jobId);
        if (!job || !leaseOf(job)) shards.drop(PUSH_HOST_SHARD, suggestion);
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
      world.noteCall(true);
      change(afterTaken(circuit));
      apply(jobId, { type: 'heartbeat', fence, phase: 'prefetch' });
    };
    const refused = (next: Circuit) => {
      world.noteCall(false);
      change(next);
      agenda.in(between(OBJECT_MS), () => apply(jobId, { type: 'not-taken', fence }));
    };
    const failed = () => refused(afterFailure(circuit, before, agenda.now(), random()));
    agenda.in(there, () => {
      const back = between(NETWORK_MS);
      if (!host.isAlive) agenda.in(back, failed);
      else if (chance < SHARES.silent) agenda.in(ANSWER_TIMEOUT_MS - there, failed);
      else if (chance < SHARES.silent + SHARES.full) {
        // It said itself that it has no time.
        host.freeAt = agenda.now() + FULL_FOR_MS;
        agenda.in(back, () => refused(afterBusy(circuit, FULL_FOR_MS, agenda.now())));
      } else {
        const isLost = chance < SHARES.silent + SHARES.full + SHARES.lost;
        if (isLost) world.noteLost();
        world.begin(host, life, jobId, fence);
        agenda.in(back, isLost ? failed : taken);
      }
    });
  }

  return { register: sync };
}
