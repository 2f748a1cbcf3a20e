/** How a push host has answered of late. */
export interface Circuit {
  /** Times in a row that it did not answer as it should. */
  readonly failures: number;
  /** Nothing is sent to it before, in milliseconds since the epoch; null if it does not rest. */
  readonly restUntil: number | null;
}

export const CLOSED: Circuit = { failures: 0, restUntil: null };

/** So often in a row, and it is tried with one job at a time until it takes one. */
const OPENS_AT = 3;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 5 * 60_000;
/** What a host may ask for. A typo must not keep it out for a year. */
const LONGEST_WISH_MS = 60 * 60_000;

/** How many jobs the host may have now, of as many as it has slots. */
export function openSlots({ failures, restUntil }: Circuit, slots: number): number {
  if (restUntil !== null) return 0;
  return failures >= OPENS_AT ? Math.min(1, slots) : slots;
}

/** The host took a job: it is well. A rest that it asked for stands. */
export function afterTaken({ restUntil }: Circuit): Circuit {
  return { failures: 0, restUntil };
}

/** The host said itself when to come again, in milliseconds from `now`. That is an answer, and no proof of health. */
export function afterBusy({ failures, restUntil }: Circuit, waitMs: number, now: number): Circuit {
  const wish = now + Math.min(Math.max(waitMs, FIRST_REST_MS), LONGEST_WISH_MS);
  return { failures, restUntil: Math.max(restUntil ?? 0, wish) };
}

/**
 * The host did not answer as it should. `before`: the circuit when it was called. What fails at one time counts once.
 * Rests double, with jitter in [0, 1) over the upper half, so that hosts that failed together do not return together.
 */
export function afterFailure(circuit: Circuit, before: Circuit, now: number, jitter: number): Circuit {
  if (circuit.failures > before.failures) return circuit;
  const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(circuit.failures, 20), LONGEST_REST_MS);
  const until = now + Math.round(rest * (0.5 + jitter / 2));
  return { failures: circuit.failures + 1, restUntil: Math.max(circuit.restUntil ?? 0, until) };
}

/** The rest is over, where it is. */
export function afterRest({ failures, restUntil }: Circuit, now: number): Circuit {
  return { failures, restUntil: restUntil !== null && restUntil <= now ? null : restUntil };
}
