import type { Job } from '#domain/job.ts';
import { canDo, classOf } from '#domain/need.ts';
import { traitsOf } from '#domain/work.ts';
import { createDispatch } from '#durable-objects/dispatcher/dispatch.ts';
import type { Waiter } from '#durable-objects/dispatcher/waiting-hosts.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { createQueueStorage } from '../support/queue-storage.ts';
import type { Agenda } from './agenda.ts';

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
