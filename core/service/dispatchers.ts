import type { Job } from '#domain/job.ts';
import { candidatesOf, PUSH_HOST_SHARD, placeOf, shardOfHost } from '#domain/shards.ts';
import type { Fleet, QueuedJob } from '#domain/wait.ts';
import type { ObjectsByName } from '#platform/placed-in.ts';
import type { Bound, DispatcherStub } from '#rpc/bindings.ts';
import type { DispatcherNumbers, DispatcherRpc, HostActivity, Suggestion } from '#rpc/dispatcher.ts';

/** How long a queue's length is used after the dispatcher has returned it. */
const KNOWN_FOR_MS = 5000;

/** How long the hosts of several dispatchers are used after they were read. */
const FLEET_KNOWN_MS = 2000;
let lastFleet: { readonly fleet: Fleet; readonly at: number } | null = null;

/** The known lengths of the queues, in this isolate. */
const lengths = new Map<number, { readonly length: number; readonly at: number }>();

/** Calls that are sent to all dispatchers, as if they were one. */
type OfAll = Pick<DispatcherRpc, 'hostActivity' | 'revise' | 'hasKindFor' | 'hasHostFor' | 'suspend'>;
type Async<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<R> : never };

/** The dispatchers of a deployment. A shard is one of them, by its number. */
export interface Dispatchers extends Async<OfAll> {
  /** Returns a new stub each time: a stub is broken for good once a call of it has failed. */
  at(shard: number): DispatcherStub;
  /** Returns the shard that a host polls. */
  shardOf(hostId: string): number;
  /** Returns the shard that a job waits in; `known`: those that may have it. */
  placeOf(job: Pick<Job, 'id' | 'accountId' | 'priority'>, known: readonly number[]): number;
  /** Stores the length of a queue as its dispatcher has returned it. */
  note(shard: number, length: number | null | undefined): void;
  /** Returns what the queues have on each job, without its place; null for a job in no queue. */
  findJobs(jobs: readonly Pick<Job, 'id' | 'accountId' | 'priority'>[]): Promise<(QueuedJob | null)[]>;
  /** Returns the hosts of all dispatchers. With several dispatchers they may be two seconds old. */
  fleet(): Promise<Fleet>;
  /** Returns the counts of each dispatcher, in the order of their numbers. */
  numbers(): Promise<DispatcherNumbers[]>;
  /** Returns the shards that the lease of a suggested job names (`Lease`). `shard`: the host's. */
  leaseShards(shard: number, suggestion: Suggestion): readonly number[] | undefined;
  /** Removes a suggested job that does not wait for a host. `shard`: the host's. */
  drop(shard: number, suggestion: Suggestion): Promise<void>;
  /** Cancels a suggestion. `shard`: the host's. */
  takeBack(shard: number, suggestion: Suggestion): Promise<void>;
}

export function createDispatchers(namespace: ObjectsByName<Bound<DispatcherRpc>>, shards: number): Dispatchers {
  const at = (shard: number) => dispatcherOf(namespace, shard);
  const lengthOf = (shard: number) => {
    const known = lengths.get(shard);
    return known && Date.now() - known.at < KNOWN_FOR_MS ? known.length : null;
  };
  const all = Array.from({ length: shards }, (_, shard) => shard);
  /** Rejects if a dispatcher has failed and no other one returns true. */
  const isAny = async (ask: (dispatcher: DispatcherStub) => Promise<boolean>) => {
    const answers = await Promise.allSettled(all.map(async (shard) => ask(at(shard))));
    if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    return false;
  };
  return {
    at,

    async hostActivity(hostIds, jobs, ended = 0) {
      const activities = await Promise.all(all.map((shard) => at(shard).hostActivity(hostIds, jobs, ended)));
      return hostIds.map((_, i) => {
        const ofHost = together(activities.flatMap((ofShard) => ofShard[i] ?? []));
        return { ...ofHost, ended: ofHost.ended.toSorted((a, b) => b.at - a.at).slice(0, ended) };
      });
    },

    async revise(hostId, policy, forgive) {
      // A host polls its own shard, or is a push host. Another one may have lost it when there were fewer dispatchers.
      const asked = forgive ? all : [...new Set([shardOfHost(hostId, shards), PUSH_HOST_SHARD])];
      await Promise.all(asked.map((shard) => at(shard).revise(hostId, policy, forgive)));
    },

    hasKindFor: (need) => isAny((dispatcher) => dispatcher.hasKindFor(need)),
    hasHostFor: (need, withinMs) => isAny((dispatcher) => dispatcher.hasHostFor(need, withinMs)),

    async suspend(accountId, isSuspended) {
      await Promise.all(all.map((shard) => at(shard).suspend(accountId, isSuspended)));
    },

    async findJobs(jobs) {
      const found = new Map<string, QueuedJob>();
      const ask = async (shard: number) => {
        const ids = jobs.filter((job) => candidatesOf(job, shards).includes(shard)).map(({ id }) => id);
        const answers = ids.length === 0 ? [] : await at(shard).findJobs(ids, false);
        for (const [i, job] of answers.entries()) if (job) found.set(ids[i] ?? '', job);
      };
      await Promise.all(all.map(ask));
      return jobs.map(({ id }) => found.get(id) ?? null);
    },

    async fleet() {
      if (shards > 1 && lastFleet && Date.now() - lastFleet.at < FLEET_KNOWN_MS) return lastFleet.fleet;
      const fleet = joinFleets(await Promise.all(all.map(async (shard) => await at(shard).fleet())));
      lastFleet = { fleet, at: Date.now() };
      return fleet;
    },

    numbers: () => Promise.all(all.map(async (shard) => await at(shard).numbers())),

    shardOf: (hostId) => shardOfHost(hostId, shards),
    placeOf: (job, known) => placeOf(job, shards, known, lengthOf),

    note(shard, length) {
      if (typeof length === 'number') lengths.set(shard, { length, at: Date.now() });
    },

    leaseShards(ofHost, { shard = ofHost }) {
      const known = [...new Set([ofHost, shard])];
      return known.length === 1 && known[0] === 0 ? undefined : known;
    },

    async drop(ofHost, { jobId, token, shard = ofHost }) {
      const dropped = at(shard).drop({ jobId, token });
      await (shard === ofHost ? dropped : Promise.all([dropped, at(ofHost).takeBack({ jobId, token })]));
    },

    async takeBack(ofHost, { jobId, token, shard = ofHost }) {
      await Promise.all([...new Set([ofHost, shard])].map((one) => at(one).takeBack({ jobId, token })));
    },
  };
}

/** Joins what dispatchers have on a host. It may have polled another one when there were more or fewer. */
function together(activities: readonly HostActivity[]): HostActivity {
  return activities.reduce((a, b) => {
    const last = (b.lastSeen ?? 0) > (a.lastSeen ?? 0) ? b : a;
    return {
      ...last,
      jobs: [...a.jobs, ...b.jobs],
      asideUntil: Math.max(a.asideUntil ?? 0, b.asideUntil ?? 0) || null,
      rest: a.rest ?? b.rest,
      ended: [...a.ended, ...b.ended],
    };
  });
}

export function joinFleets(fleets: readonly Fleet[]): Fleet {
  return {
    groups: fleets.flatMap(({ groups }) => groups),
    kinds: fleets.flatMap(({ kinds }) => kinds),
    isStarting: fleets.some(({ isStarting }) => isStarting),
  };
}

/** Returns a dispatcher by its number, 0 by default. */
export function dispatcherOf(namespace: ObjectsByName<Bound<DispatcherRpc>>, shard = 0): DispatcherStub {
  return namespace.getByName(`shard-${shard}`);
}
