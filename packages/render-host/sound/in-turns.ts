import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds until the event loop gets a turn. */
const SLICE_MS = 10;

/**
 * Runs a long computation that yields where it may pause, and returns its result. Timers, heartbeats and requests run
 * in between.
 *
 * @throws the signal's reason if aborted.
 */
export async function inTurns<Result>(steps: Generator<void, Result>, signal?: AbortSignal): Promise<Result> {
  let begun = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() - begun < SLICE_MS) continue;
    await nextTurn();
    signal?.throwIfAborted();
    begun = performance.now();
  }
}
