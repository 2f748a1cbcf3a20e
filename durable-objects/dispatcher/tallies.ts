import { sumOf, TALLY_TTL_MS, type Tally } from '../isolate-tally.ts';

export interface Tallies {
  add(told: Tally): void;
  totals(): Pick<Tally, 'webhooks' | 'followers'>;
}

/** What isolates have told, added up in memory. */
export function createTallies(now: () => number): Tallies {
  let webhooks: Tally['webhooks'] = { delivered: 0, refused: 0, unanswered: 0 };
  const following = new Map<string, { readonly followers: number; readonly at: number }>();
  return {
    add(told) {
      webhooks = sumOf(webhooks, told.webhooks);
      following.delete(told.isolate);
      if (told.followers > 0) following.set(told.isolate, { followers: told.followers, at: now() });
    },

    totals() {
      for (const [isolate, { at }] of following) if (now() - at > TALLY_TTL_MS) following.delete(isolate);
      return { webhooks, followers: [...following.values()].reduce((sum, one) => sum + one.followers, 0) };
    },
  };
}
