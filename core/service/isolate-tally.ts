import type { AttemptOutcome, Tally } from '#rpc/dispatcher.ts';

export const ATTEMPT_OUTCOMES = ['delivered', 'refused', 'unanswered'] as const satisfies readonly AttemptOutcome[];

/** An isolate with open streams reports at least this often. One that is silent for longer has ended. */
const TALLY_TTL_MS = 60_000;
/** All objects of an isolate report their counts together, once in this time. */
const EVERY_MS = 5000;

const NONE: Tally['webhooks'] = { delivered: 0, refused: 0, unanswered: 0 };

let isolate: string | null = null;
let webhooks = NONE;
let followers = 0;
let reportedAt = Number.NEGATIVE_INFINITY;

/**
 * Counts of this isolate, from all of its objects and requests. No call waits for them and no row is written. The
 * counts of the last seconds are lost when the isolate ends.
 */
export const tally = {
  attempt(outcome: AttemptOutcome) {
    webhooks = { ...webhooks, [outcome]: webhooks[outcome] + 1 };
  },

  /** Counts a stream that begins or ends. */
  follow(change: 1 | -1) {
    followers += change;
  },

  /**
   * Reports to the first dispatcher, once in `EVERY_MS`. Never rejects: counts of a failed report are in the next one.
   */
  async report(dispatchers: { at(shard: number): { addTally(tally: Tally): Promise<unknown> } }) {
    if (Date.now() - reportedAt < EVERY_MS) return;
    reportedAt = Date.now();
    // Not created at module load: the platform has no randomness then.
    isolate ??= crypto.randomUUID();
    const reported = webhooks;
    webhooks = NONE;
    try {
      await dispatchers.at(0).addTally({ isolate, webhooks: reported, followers });
    } catch {
      webhooks = sumOf(webhooks, reported);
    }
  },
};

function sumOf(a: Tally['webhooks'], b: Tally['webhooks']): Tally['webhooks'] {
  const { delivered, refused, unanswered } = a;
  return {
    delivered: delivered + b.delivered,
    refused: refused + b.refused,
    unanswered: unanswered + b.unanswered,
  };
}

export interface TallySums {
  add(tally: Tally): void;
  totals(): Pick<Tally, 'webhooks' | 'followers'>;
}

/** Adds up the reports of all isolates in memory. */
export function createTallySums(now: () => number): TallySums {
  let sums = NONE;
  const following = new Map<string, { readonly followers: number; readonly at: number }>();
  return {
    add(reported) {
      sums = sumOf(sums, reported.webhooks);
      following.delete(reported.isolate);
      if (reported.followers > 0) following.set(reported.isolate, { followers: reported.followers, at: now() });
    },

    totals() {
      for (const [isolate, { at }] of following) if (now() - at > TALLY_TTL_MS) following.delete(isolate);
      return { webhooks: sums, followers: [...following.values()].reduce((sum, one) => sum + one.followers, 0) };
    },
  };
}
