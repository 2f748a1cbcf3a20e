import { setTimeout as delay } from 'node:timers/promises';
import type { WorkStage } from '#domain/job.ts';
import type { Grant } from '#protocol/gateway.ts';
import type { GatewayClient, LeaseRef } from './gateway-client.ts';
import { GatewayError } from './gateway-error.ts';
import { backoffMs } from './retry.ts';

export interface Progress {
  readonly phase: 'prefetch' | 'render';
  readonly stage?: WorkStage;
  /** 0 to 1, of the whole job. */
  readonly progress: number;
}

/** The timeout of a first heartbeat: an unanswered one is sent three times before the grant expires. */
const CONFIRM_TIMEOUT_MS = 1500;

/**
 * Keeps a lease alive until `signal` aborts, and calls `confirm` once its grant is confirmed. Resolves with why work
 * has to stop: `lost` when the gateway said that the lease is gone or was not reached for a whole term; `stopped` when
 * the gateway asked for it; the error when the gateway rejects the host's reports as wrong, as it would reject those of
 * each other attempt.
 */
export async function keepAlive(
  gateway: GatewayClient,
  lease: LeaseRef,
  terms: Grant['lease'],
  current: () => Progress,
  confirm: () => void,
  signal: AbortSignal,
): Promise<'lost' | 'stopped' | GatewayError> {
  let heardAt = Date.now();
  let isConfirmed = false;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await gateway.heartbeat(lease, current(), isConfirmed ? undefined : AbortSignal.timeout(CONFIRM_TIMEOUT_MS));
      heardAt = Date.now();
      isConfirmed = true;
      confirm();
    } catch (error) {
      if (error instanceof GatewayError && error.isRequestRefused) return error;
      const isLost = error instanceof GatewayError && (error.isLeaseLost || !error.isTransient);
      if (isLost || Date.now() - heardAt > terms.ttl_s * 1000) return 'lost';
    }
    // An unconfirmed grant expires within seconds, so one lost packet must not cost the job.
    const wait = isConfirmed ? terms.heartbeat_s * 1000 : backoffMs(failures++, Math.random());
    await delay(wait, undefined, { signal }).catch(() => {});
  }
  return 'stopped';
}
