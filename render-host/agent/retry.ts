import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from './gateway-client.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

/** The wait before try number `tries + 1`, doubling, with full jitter. */
export function backoffMs(tries: number, random: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS) * (0.5 + random / 2);
}

/** Repeats a call to the gateway while it fails in a way that may pass. Rejects with the last error. */
export async function withRetries<T>(call: () => Promise<T>, attempts: number, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const mayPass = error instanceof GatewayError && error.isTransient;
      if (!mayPass || tries + 1 >= attempts || signal.aborted) throw error;
      await delay(backoffMs(tries, Math.random()), undefined, { signal });
    }
  }
}
