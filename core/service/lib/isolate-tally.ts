import type { AttemptOutcome, DispatcherNumbers, Tally } from '#rpc/dispatcher.ts';

export const ATTEMPT_OUTCOMES = ['delivered', 'refused', 'unanswered'] as const satisfies readonly AttemptOutcome[];

/** An isolate with open streams reports at least this often. One that is silent for longer has ended. */
const TALLY_TTL_MS = 60_000;
/** All objects of an isolate report their counts together, once in this time. */
const EVERY_MS = 5000;
/** For how long refused requests are counted. */
const REFUSED_MS = 10 * 60_000;
const REFUSED_SHOWN = 10;

const NONE: Tally['webhooks'] = { delivered: 0, refused: 0, unanswered: 0 };

let isolate: string | null = null;
let webhooks = NONE;
let followers = 0;
let refused: Record<string, number> = {};
let reportedAt = Number.NEGATIVE_INFINITY;

/**
 * Counts of this isolate, from all of its objects and requests. No call waits for them and no row is written. The
 * counts of the last seconds are lost when the isolate ends.
 */
export const tally = {
  attempt(outcome: AttemptOutcome) {
    webhooks = { ...webhooks, [outcome]: webhooks[outcome] + 1 };
  },

  /** Counts a request that a limit of its account refused. The next report of the isolate has it. */
  refuse(accountId: string) {
    refused[accountId] = (refused[accountId] ?? 0) + 1;
  },

  /** Returns whether a report would have refusals. */
  hasRefused: () => Object.keys(refused).length > 0,

  /** Counts a stream that begins or ends. */
  follow(change: 1 | -1) {
    followers += change;
  },

  /** Reports to the dispatcher, once in `EVERY_MS`. Never rejects: counts of a failed report are in the next one. */
  async report(dispatcher: { addTally(tally: Tally): Promise<unknown> }) {
    if (Date.now() - reportedAt < EVERY_MS) return;
    reportedAt = Date.now();
    // Not created at module load: the platform has no randomness then.
    isolate ??= crypto.randomUUID();
    const reported = { webhooks, refused };
    webhooks = NONE;
    refused = {};
    try {
      await dispatcher.addTally({ isolate, followers, ...reported });
    } catch {
      webhooks = sumOf(webhooks, reported.webhooks);
      addCounts(refused, reported.refused);
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

function addCounts(to: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) to[name] = (to[name] ?? 0) + count;
}

export interface TallySums {
  add(tally: Tally): void;
  totals(): Pick<DispatcherNumbers, 'webhooks' | 'followers' | 'refused'>;
}

/** Adds up the reports of all isolates in memory. */
export function createTallySums(now: () => number): TallySums {
  let sums = NONE;
  let refusals: { readonly at: number; readonly refused: Tally['refused'] }[] = [];
  const following = new Map<string, { readonly followers: number; readonly at: number }>();
  return {
    add(reported) {
      sums = sumOf(sums, reported.webhooks);
      if (Object.keys(reported.refused).length > 0) refusals.push({ at: now(), refused: reported.refused });
      following.delete(reported.isolate);
      if (reported.followers > 0) following.set(reported.isolate, { followers: reported.followers, at: now() });
    },

    totals() {
      for (const [isolate, { at }] of following) if (now() - at > TALLY_TTL_MS) following.delete(isolate);
      refusals = refusals.filter(({ at }) => now() - at <= REFUSED_MS);
      const counts: Record<string, number> = {};
      for (const { refused } of refusals) addCounts(counts, refused);
      const most = Object.entries(counts).sort(([, a], [, b]) => b - a);
      const top = most.slice(0, REFUSED_SHOWN).map(([accountId, count]) => ({ accountId, count }));
      return {
        refused: top,
        webhooks: sums,
        followers: [...following.values()].reduce((sum, one) => sum + one.followers, 0),
      };
    },
  };
}
