import type { AttemptResult } from '../../domain/delivery.ts';
import { type AddressPolicy, isCallableUrl } from '../../protocol/demo-url.ts';
import { ATTEMPT_HEADER, DELIVERY_ID_HEADER } from '../../protocol/webhook.ts';
import type { StoredDelivery } from './job-store.ts';

/** Spec 6.2. */
const ATTEMPT_TIMEOUT_MS = 10_000;

/**
 * Makes one attempt of a delivery (spec 6.2) and says what came of it; never throws. The address is checked again at
 * every attempt, and a redirect is an answer like any other that is not 2xx: it is not followed.
 */
export async function sendWebhook(
  delivery: StoredDelivery,
  policy: Pick<AddressPolicy, 'allowPrivateAddresses'>,
): Promise<AttemptResult> {
  if (!isCallableUrl(delivery.url, policy)) return { status: null, error: 'the address is not public' };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Tickreel-Webhook/1',
    [DELIVERY_ID_HEADER]: delivery.id,
    [ATTEMPT_HEADER]: String(delivery.attempts),
  };
  if (delivery.authHeader !== null) headers.Authorization = delivery.authHeader;
  try {
    const response = await fetch(delivery.url, {
      method: 'POST',
      headers,
      body: delivery.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `the receiver answered ${response.status}` };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return { status: null, error: timedOut ? 'no answer within 10 seconds' : 'the connection failed' };
  }
}
