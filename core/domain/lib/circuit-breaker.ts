/** The recent answers of a push host. */
export interface Circuit {
  /** Failures in a row. */
  readonly failures: number;
  /** No job is sent before this time, in milliseconds since the epoch; null if the host does not rest. */
  readonly restUntil: number | null;
}

export const CLOSED: Circuit = { failures: 0, restUntil: null };

/** How many failures in a row limit the host to one job at a time, until it takes one. */
const OPENS_AT = 3;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 5 * 60_000;
/** The longest rest that a host may ask for. A typo must not stop it for a year. */
const LONGEST_WISH_MS = 60 * 60_000;

/** How many jobs may be sent to the host now, up to its slots. */
export function openSlots({ failures, restUntil }: Circuit, slots: number): number {
  if (restUntil !== null) return 0;
  return failures >= OPENS_AT ? Math.min(1, slots) : slots;
}

/** Resets the failures after the host took a job. A rest that the host asked for stays. */
export function afterTaken({ restUntil }: Circuit): Circuit {
  return { failures: 0, restUntil };
}

/**
 * Starts the rest that the host asked for, `waitMs` milliseconds from `now`. It neither counts as a failure nor resets
 * them.
 */
export function afterBusy({ failures, restUntil }: Circuit, waitMs: number, now: number): Circuit {
  const wish = now + Math.min(Math.max(waitMs, FIRST_REST_MS), LONGEST_WISH_MS);
  return { failures, restUntil: Math.max(restUntil ?? 0, wish) };
}

/**
 * Counts a failure. `before`: the circuit when the call began; failures of concurrent calls count once. Rests double.
 * Jitter in [0, 1) applies to the upper half, so that hosts that failed together do not return together.
 */
export function afterFailure(circuit: Circuit, before: Circuit, now: number, jitter: number): Circuit {
  if (circuit.failures > before.failures) return circuit;
  const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(circuit.failures, 20), LONGEST_REST_MS);
  const until = now + Math.round(rest * (0.5 + jitter / 2));
  return { failures: circuit.failures + 1, restUntil: Math.max(circuit.restUntil ?? 0, until) };
}

/** Ends the rest if its time has passed. */
export function afterRest({ failures, restUntil }: Circuit, now: number): Circuit {
  return { failures, restUntil: restUntil !== null && restUntil <= now ? null : restUntil };
}
