import type { Job } from '#domain/job.ts';
import { canDo, classOf } from '#domain/need.ts';
import { knownTo, type OutsideEffect } from '#domain/outbox.ts';
import { PUSH_HOST_SHARD, placeOf, shardOfHost } from '#domain/shards.ts';
import { traitsOf } from '#domain/work.ts';
import { createDispatch, type Dispatch } from '#durable-objects/dispatcher/dispatch.ts';
import { createNeighbours, lend, type Neighbours } from '#durable-objects/dispatcher/neighbours.ts';
import { COVERED } from '#durable-objects/dispatcher/queue-tables.ts';
import type { Waiter } from '#durable-objects/dispatcher/waiting-hosts.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { createQueueStorage } from '../support/queue-storage.ts';
import type { Agenda } from './agenda.ts';

/** Isolates that contain jobs, each with its known lengths of the queues. */
const ISOLATES = 20;
const CACHED_MS = 5000;
/** A failed suggestion is not tracked for longer. */
const SUGGESTED_FOR_MS = 10_000;

export interface ShardsOptions {
  readonly shards: number;
  readonly agenda: Agenda;
  readonly random: () => number;
  /** The duration of a call between objects. */
  readonly callMs: () => number;
  /** The share of calls between dispatchers that fail; half of them lose only the answer. */
  readonly callsLost?: number;
}

export type Shards = ReturnType<typeof createShards>;

type Waiting = Pick<Job, 'id' | 'accountId' | 'priority' | 'work' | 'avoidHost'>;

/**
 * Creates the deployed dispatchers, and simulates the Worker, the jobs and the objects that call them. Checks each
 * suggestion: no job to two hosts at once, and covered jobs first on each dispatcher.
 */
export function createShards({ shards, agenda, random, callMs, callsLost = 0 }: ShardsOptions) {
  const { now } = agenda;
  const seen = { calls: new Array<number>(shards).fill(0), asked: 0, lent: 0, inversions: 0, suggestedTwice: 0 };
  const lengths = Array.from({ length: ISOLATES }, () => new Map<number, { length: number; at: number }>());
  const storages = Array.from({ length: shards }, () => createQueueStorage());
  /** Covered jobs: all of them, and those that each dispatcher may suggest. */
  const reserved = new Map<string, Waiting>();
  const covered = Array.from({ length: shards }, () => new Map<string, Waiting>());
  const out = new Map<string, { readonly hostId: string; readonly until: number }>();
  let tokens = 0;
  let all = storages.map((_, shard) => start(shard));

  function start(shard: number): { dispatch: Dispatch; neighbours: Neighbours | null } {
    const isCurrent = () => all[shard]?.dispatch === dispatch;
    const dispatch: Dispatch = createDispatch({
      storage: storages[shard] ?? createQueueStorage(),
      now,
      newToken: () => String(tokens++),
      wake: (ms) => agenda.in(ms, () => isCurrent() && dispatch.look()),
    });
    const neighbours =
      shards === 1
        ? null
        : createNeighbours(dispatch, {
            shard,
            shards,
            now,
            later: (ms, work) => agenda.in(ms, () => isCurrent() && work()),
            lend(other, askers, length, answer) {
              seen.asked++;
              const isLost = random() < callsLost;
              agenda.in(callMs(), () => {
                if (isLost && random() < 0.5) return agenda.in(callMs(), () => answer([]));
                const lent = lend(call(other), askers, length);
                for (const [i, suggestion] of lent.entries()) {
                  if (suggestion) note(other, askers[i] as (typeof askers)[number], suggestion);
                }
                agenda.in(callMs(), () => answer(isLost ? [] : lent));
              });
            },
            takeBack: (other, { jobId, token }) => {
              agenda.in(callMs(), () => {
                out.delete(jobId);
                const job = reserved.get(jobId);
                if (job) covered[other]?.set(jobId, job);
                call(other).takeBack({ jobId, token });
              });
            },
          });
    return { dispatch, neighbours };
  }

  function at(shard: number) {
    return all[shard] as (typeof all)[number];
  }

  function call(shard: number): Dispatch {
    seen.calls[shard] = (seen.calls[shard] ?? 0) + 1;
    return at(shard).dispatch;
  }

  const shardOf = (hostId: string) => shardOfHost(hostId, shards);

  /** Checks a suggestion of a dispatcher. */
  function note(shard: number, { hostId, capability }: Pick<Waiter, 'hostId' | 'capability'>, { jobId }: Suggestion) {
    const before = out.get(jobId);
    if (before && before.until > now()) seen.suggestedTwice++;
    out.set(jobId, { hostId, until: now() + SUGGESTED_FOR_MS });
    const waiting = covered[shard] ?? new Map();
    waiting.delete(jobId);
    if (reserved.has(jobId)) return;
    for (const { work, avoidHost } of waiting.values()) {
      const need = classOf({ ...traitsOf(work).picture, renderer: null, refusedBuilds: [] });
      if (avoidHost !== hostId && canDo(capability, need)) seen.inversions++;
    }
  }

  function watched(shard: number, waiter: Waiter): Waiter {
    const answer = (suggestion: Suggestion) => {
      if (suggestion.shard === undefined) note(shard, waiter, suggestion);
      else seen.lent++;
      waiter.answer(suggestion);
    };
    return { ...waiter, answer };
  }

  return {
    seen,
    shardOf,
    size: () => all.reduce((sum, { dispatch }) => sum + dispatch.size(), 0),

    /** A host polls its dispatcher, and is answered at once or later. */
    ask(waiter: Waiter): Waiter {
      const shard = shardOf(waiter.hostId);
      const held = watched(shard, waiter);
      const dispatch = call(shard);
      const { neighbours } = at(shard);
      const asksFirst = neighbours?.isDue() === true;
      const suggestion = dispatch.next(
        waiter.capability,
        waiter.hostId,
        waiter.demoKeys,
        asksFirst ? [COVERED] : undefined,
      );
      if (suggestion) {
        held.answer(suggestion);
        return held;
      }
      dispatch.wait(held);
      if (asksFirst) neighbours?.askFor(held, () => dispatch.look());
      else neighbours?.wake();
      return held;
    },

    stop(waiter: Waiter): void {
      at(shardOf(waiter.hostId)).dispatch.stopWaiting(waiter);
    },

    registerPushHost(waiter: Waiter): void {
      call(PUSH_HOST_SHARD).registerPushHost(watched(PUSH_HOST_SHARD, waiter));
      at(PUSH_HOST_SHARD).dispatch.look();
      at(PUSH_HOST_SHARD).neighbours?.wake();
    },

    unregisterPushHost(hostId: string): void {
      call(PUSH_HOST_SHARD).unregisterPushHost(hostId);
    },

    /** The dispatchers that may have a job that was suggested to a host. */
    leaseShards(ofHost: number, { shard = ofHost }: Suggestion): readonly number[] {
      return [...new Set([ofHost, shard])];
    },

    drop(ofHost: number, { jobId, token, shard = ofHost }: Suggestion): void {
      out.delete(jobId);
      call(shard).drop({ jobId, token });
      if (shard !== ofHost) call(ofHost).takeBack({ jobId, token });
    },

    /** A job offers itself, and returns where it waits now. */
    offer(job: Waiting, known: readonly number[], avoidMs: number): number {
      const cached = lengths[Math.floor(random() * ISOLATES)] as (typeof lengths)[number];
      const lengthOf = (shard: number) => {
        const length = cached.get(shard);
        return length && now() - length.at < CACHED_MS ? length.length : null;
      };
      const shard = placeOf(job, shards, known.toReversed(), lengthOf);
      for (const other of known) if (other !== shard) call(other).settle(job.id);
      const { id: jobId, accountId, priority, work, avoidHost } = job;
      const tier = priority ? 'reserved' : 'metered';
      out.delete(jobId);
      if (priority) {
        reserved.set(jobId, job);
        covered[shard]?.set(jobId, job);
      }
      call(shard).offer({ jobId, accountId, tier, ...traitsOf(work).picture, slots: null, avoidHost, avoidMs });
      cached.set(shard, { length: at(shard).dispatch.size(), at: now() });
      return shard;
    },

    started(jobId: string, hostId: string | undefined, effect: OutsideEffect): void {
      const known = knownTo(effect);
      out.delete(jobId);
      for (const shard of known) {
        covered[shard]?.delete(jobId);
        call(shard).started(jobId, shard === known[0] ? hostId : undefined);
      }
    },

    settle(jobId: string, effect: OutsideEffect): void {
      out.delete(jobId);
      for (const shard of knownTo(effect)) {
        covered[shard]?.delete(jobId);
        call(shard).settle(jobId);
        at(shard).neighbours?.wake();
      }
    },

    /** A dispatcher is evicted: its held polls are lost, and its suggested jobs are suggested again. */
    restart(shard: number): void {
      all = all.with(shard, start(shard));
      out.clear();
    },

    /** Returns the number of a host's jobs at its dispatcher, and the rows of waiting and running jobs. */
    leasesOf: (hostId: string) =>
      storages[shardOf(hostId)]?.sql
        .exec<{ n: number }>('SELECT COUNT(*) AS n FROM leases WHERE host_id = ?', hostId)
        .one().n ?? 0,
    left: () =>
      storages.reduce((sum, { sql }) => {
        const count = (table: string) => sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n;
        return sum + count('ready') + count('running') + count('leases');
      }, 0),
  };
}
