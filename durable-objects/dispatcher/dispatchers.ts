import type { HostPolicy } from '#domain/host-state.ts';
import type { Job } from '#domain/job.ts';
import type { Need } from '#domain/need.ts';
import { HOME_OF_CALLED, homeOf, placeOf } from '#domain/shards.ts';
import type { ObjectsByName } from '#platform/placed-in.ts';
import type { HostGlance } from './dispatch-words.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { DispatcherNumbers } from './numbers.ts';
import type { Suggestion } from './waiter.ts';

/** How long the length of a queue is believed. */
const KNOWN_FOR_MS = 5000;

/** How long the queues are, as far as this isolate has heard of late. */
const lengths = new Map<number, { readonly length: number; readonly at: number }>();

/** The dispatchers of a deployment. */
export interface Dispatchers {
  /** Asked for anew each time: a stub is broken for good once a call of it has failed. */
  at(shard: number): DurableObjectStub<Dispatcher>;
  /** Where a host asks for work. */
  home(hostId: string): number;
  /** Where a job waits, or is to; `known`: those that may have it. */
  placeOf(job: Pick<Job, 'id' | 'accountId' | 'priority'>, known: readonly number[]): number;
  /** Notes what a dispatcher said of its queue. */
  note(shard: number, length: number | null | undefined): void;
  /** What is known of hosts, of each with so many of its jobs at most. */
  glance(hostIds: readonly string[], jobs: number): Promise<HostGlance[]>;
  /** The operator wants something else of a host. */
  revise(hostId: string, policy: HostPolicy, forgive: boolean): Promise<void>;
  /** Whether a host that was here within a day could do this. */
  hasKindFor(need: Need): Promise<boolean>;
  /** Jobs of an account wait until it is suspended no more. */
  suspend(accountId: string, isSuspended: boolean): Promise<void>;
  /** Of each dispatcher, in the order of their numbers. */
  numbers(): Promise<DispatcherNumbers[]>;
  /** The dispatchers that know of what was suggested to a host at its home, as its lease names them (`Lease`). */
  thatKnow(home: number, suggestion: Suggestion): readonly number[] | undefined;
  /** What was suggested to a host at its home turned out not to wait. */
  drop(home: number, suggestion: Suggestion): Promise<void>;
}

export function createDispatchers(namespace: ObjectsByName<Dispatcher>, shards: number): Dispatchers {
  const at = (shard: number) => dispatcherOf(namespace, shard);
  const lengthOf = (shard: number) => {
    const known = lengths.get(shard);
    return known && Date.now() - known.at < KNOWN_FOR_MS ? known.length : null;
  };
  const all = Array.from({ length: shards }, (_, shard) => shard);
  return {
    at,

    async glance(hostIds, jobs) {
      const glances = await Promise.all(all.map((shard) => at(shard).glance(hostIds, jobs)));
      return hostIds.map((_, i) => together(glances.flatMap((glance) => glance[i] ?? [])));
    },

    async revise(hostId, policy, forgive) {
      // A host may poll, or be called.
      const homes = [...new Set([homeOf(hostId, shards), HOME_OF_CALLED])];
      await Promise.all(homes.map((shard) => at(shard).revise(hostId, policy, forgive)));
    },

    async hasKindFor(need) {
      return (await Promise.all(all.map((shard) => at(shard).hasKindFor(need)))).includes(true);
    },

    async suspend(accountId, isSuspended) {
      await Promise.all(all.map((shard) => at(shard).suspend(accountId, isSuspended)));
    },

    numbers: () => Promise.all(all.map(async (shard) => await at(shard).numbers())),

    home: (hostId) => homeOf(hostId, shards),
    placeOf: (job, known) => placeOf(job, shards, known, lengthOf),

    note(shard, length) {
      if (typeof length === 'number') lengths.set(shard, { length, at: Date.now() });
    },

    thatKnow(home, { shard = home }) {
      const known = [...new Set([home, shard])];
      return known.length === 1 && known[0] === 0 ? undefined : known;
    },

    async drop(home, { jobId, token, shard = home }) {
      const dropped = at(shard).drop({ jobId, token });
      await (shard === home ? dropped : Promise.all([dropped, at(home).takeBack({ jobId, token })]));
    },
  };
}

function together(glances: readonly HostGlance[]): HostGlance {
  const latest = (times: readonly (number | null)[]) =>
    times.reduce((a, b) => (a === null || (b ?? 0) > a ? b : a), null);
  return {
    lastSeen: latest(glances.map(({ lastSeen }) => lastSeen)),
    jobs: glances.flatMap(({ jobs }) => jobs),
    asideUntil: latest(glances.map(({ asideUntil }) => asideUntil)),
  };
}

/** A dispatcher by its number; where there is one, that is 0. */
export function dispatcherOf(namespace: ObjectsByName<Dispatcher>, shard = 0): DurableObjectStub<Dispatcher> {
  return namespace.getByName(`shard-${shard}`);
}
