import type { AddressPolicy } from '../../domain/address-policy.ts';
import type { AttemptResult, Delivery } from '../../domain/delivery.ts';
import { isCallableUrl } from '../../protocol/demo-url.ts';
import { ATTEMPT_HEADER, DELIVERY_ID_HEADER, HOP_HEADER } from '../../protocol/webhook.ts';
import type { WebhookMessage } from './deliveries.ts';

/** Contract 6.2. */
const ATTEMPT_TIMEOUT_MS = 10_000;

/**
 * What the platform answers in the place of a receiver that it cannot reach, where other runtimes throw: no connection,
 * no name, no TLS. https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const UNREACHABLE: ReadonlySet<number> = new Set([520, 521, 522, 523, 524, 525, 526, 527, 530]);
const UNREACHED: AttemptResult = { status: null, error: 'the connection failed' };

/**
 * Makes one attempt of a delivery (contract 6.2) and says what came of it; never throws. The address is checked again
 * at every attempt, and a redirect is an answer like any other that is not 2xx: it is not followed.
 */
export async function sendWebhook(
  delivery: Pick<Delivery, 'id' | 'attempts'>,
  { url, authHeader, body }: WebhookMessage,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
): Promise<AttemptResult> {
  if (!isCallableUrl(url, policy)) return { status: null, error: 'the address is not one that webhooks may go to' };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Tickreel-Webhook/1',
    [DELIVERY_ID_HEADER]: delivery.id,
    [ATTEMPT_HEADER]: String(delivery.attempts),
    [HOP_HEADER]: 'webhook',
  };
  if (authHeader !== null) headers.Authorization = authHeader;
  // Cleared at once: a timer that stands keeps the object in memory, where it is paid for.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ATTEMPT_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: timeout.signal,
    });
    await response.body?.cancel();
    if (UNREACHABLE.has(response.status)) return UNREACHED;
    return { status: response.status, error: response.ok ? null : `the receiver answered ${response.status}` };
  } catch {
    return timeout.signal.aborted ? { status: null, error: 'no answer within 10 seconds' } : UNREACHED;
  } finally {
    clearTimeout(timer);
  }
}
