import type { Held, Suggestion, WorkQuery } from '#rpc/dispatcher.ts';
import type { Dispatch } from './dispatch.ts';
import { ANYBODY, type HostBook } from './host-book.ts';
import type { Waiter } from './waiting-hosts.ts';

/** A host on trial gets one job only; one with a barred build gets none. */
const SET_ASIDE: Held = { held: 'set aside', until: null };

export interface Polls {
  next(query: WorkQuery): Promise<Suggestion | Held | 'no_slot' | null>;
  end(pollId: string): void;
  endOf(hostId: string): void;
  /** Returns the hosts whose polls are held. */
  hosts(): Set<string>;
}

/** The held polls of hosts. */
export function createPolls(dispatch: Dispatch, hosts: HostBook): Polls {
  const polls = new Map<string, { readonly hostId: string; readonly end: () => void }>();
  return {
    async next({ pollId, hostId, slots: most, demoKeys, waitMs, ...query }) {
      const { isBarred = false, isClockOff = false, freeBytes = null } = query;
      const policy = hosts.policyOf(hostId, query.policy ?? ANYBODY);
      const capability = { ...query.capability, labels: policy.labels };
      hosts.asked({ hostId, capability, policy, isBarred, isClockOff, freeBytes });
      const slots = hosts.slotsOf(hostId, most);
      const isFull = !dispatch.hasSlot(hostId, slots);
      const isAside = isBarred || (isFull && slots < most);
      const held = hosts.heldBy(hostId, policy) ?? (isAside ? SET_ASIDE : null);
      if (held === null) {
        if (isFull) return 'no_slot';
        const suggestion = dispatch.next(capability, hostId, demoKeys);
        if (suggestion !== null) return suggestion;
      }
      const nothing = query.policy === undefined ? null : held;
      if (waitMs <= 0) return nothing;
      return new Promise((resolve) => {
        const answer = (work: Suggestion | Held | null) => {
          clearTimeout(timer);
          dispatch.stopWaiting(waiter);
          if (polls.get(pollId)?.end === end) polls.delete(pollId);
          resolve(work);
        };
        const waiter: Waiter = { hostId, slots, capability, demoKeys, answer };
        const timer = setTimeout(answer, waitMs, nothing);
        const end = () => answer(null);
        polls.set(pollId, { hostId, end });
        if (held === null) dispatch.wait(waiter);
      });
    },

    hosts: () => new Set([...polls.values()].map(({ hostId }) => hostId)),

    end: (pollId) => polls.get(pollId)?.end(),

    endOf(hostId) {
      for (const poll of [...polls.values()]) if (poll.hostId === hostId) poll.end();
    },
  };
}
