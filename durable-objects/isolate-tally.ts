/** What became of an attempt to deliver a webhook; `unanswered`: no connection, or no answer in time. */
export const ATTEMPT_OUTCOMES = ['delivered', 'refused', 'unanswered'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** What an isolate has counted since it said so last, and how many streams of events it holds now. */
export interface Tally {
  readonly isolate: string;
  readonly webhooks: Readonly<Record<AttemptOutcome, number>>;
  readonly followers: number;
}

/** Whom it is told. */
export interface Listeners {
  at(shard: number): { tally(told: Tally): Promise<unknown> };
}

/** An isolate that holds streams says so at least this often; one that is silent for longer is gone. */
export const TALLY_TTL_MS = 60_000;
/** Many objects share an isolate: their counts travel together, in one call in this time. */
const EVERY_MS = 5000;

const NONE: Tally['webhooks'] = { delivered: 0, refused: 0, unanswered: 0 };

export interface IsolateTally {
  attempt(outcome: AttemptOutcome): void;
  /** A stream begins or ends. */
  follow(change: 1 | -1): void;
  /** Tells the first dispatcher, unless it was told a moment ago. Never rejects: what failed is told the next time. */
  tell(dispatchers: Listeners): Promise<void>;
}

/**
 * Counts of an isolate, whichever of its objects and requests they come from: nothing waits for them and no row is
 * written. What was counted in the last seconds goes with an isolate that ends, or waits for the next event in it.
 */
function createTally(): IsolateTally {
  let isolate: string | null = null;
  let webhooks = NONE;
  let followers = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    attempt(outcome) {
      webhooks = { ...webhooks, [outcome]: webhooks[outcome] + 1 };
    },

    follow(change) {
      followers += change;
    },

    async tell(dispatchers) {
      if (Date.now() - toldAt < EVERY_MS) return;
      toldAt = Date.now();
      // Not made as the module is loaded: the platform has no randomness then.
      isolate ??= crypto.randomUUID();
      const told = webhooks;
      webhooks = NONE;
      try {
        await dispatchers.at(0).tally({ isolate, webhooks: told, followers });
      } catch {
        webhooks = sumOf(webhooks, told);
      }
    },
  };
}

export function sumOf(a: Tally['webhooks'], b: Tally['webhooks']): Tally['webhooks'] {
  const { delivered, refused, unanswered } = a;
  return {
    delivered: delivered + b.delivered,
    refused: refused + b.refused,
    unanswered: unanswered + b.unanswered,
  };
}

/** Of this isolate. */
export const tally = createTally();
