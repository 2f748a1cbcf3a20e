import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from './gateway-error.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

/** Returns the wait before try number `tries + 1`: doubling, with full jitter. */
export function backoffMs(tries: number, random: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS) * (0.5 + random / 2);
}

/** A longer wait than this is taken for a mistake. */
const LONGEST_ASKED_MS = 60_000;

/** Returns the wait after a failure: what the gateway asks for, at least the usual wait. */
export function waitMs(error: unknown, tries: number, random: number): number {
  const asked = error instanceof GatewayError ? error.retryAfterMs : 0;
  return Math.max(backoffMs(tries, random), Math.min(asked, LONGEST_ASKED_MS));
}

/** Repeats a call to the gateway while its error is transient. Rejects with the last error. */
export async function withRetries<T>(call: () => Promise<T>, attempts: number, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const isTransient = error instanceof GatewayError && error.isTransient;
      if (!isTransient || tries + 1 >= attempts || signal.aborted) throw error;
      await delay(waitMs(error, tries, Math.random()), undefined, { signal });
    }
  }
}
