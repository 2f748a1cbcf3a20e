import type { AddressPolicy } from '#domain/address-policy.ts';
import type { AttemptResult, Delivery } from '#domain/delivery.ts';
import { signedHeaders } from '#protocol/signed-message.ts';
import { ATTEMPT_HEADER, DELIVERY_ID_HEADER } from '#protocol/webhook.ts';
import { callOut } from './call-out.ts';

/** A webhook to send. The header is a secret, which only the job stores. */
export interface WebhookMessage {
  readonly url: string;
  readonly body: string;
  readonly authHeader: string | null;
}

/** Contract 6.2. */
const ATTEMPT_TIMEOUT_MS = 10_000;

const NO_ANSWER = {
  address: 'the address is not one that webhooks may go to',
  timeout: 'no answer within 10 seconds',
  connection: 'the connection failed',
} as const;

/**
 * Prepares one attempt of a delivery (contract 6.2), and signs it if the account has secrets. Resolves with a function
 * that calls `fetch` synchronously and resolves with the outcome. Neither rejects. A redirect is not followed: it
 * counts as a failure, as any answer that is not 2xx.
 */
export async function prepareWebhook(
  delivery: Pick<Delivery, 'id' | 'attempts'>,
  { url, authHeader, body }: WebhookMessage,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
  secrets: readonly string[] = [],
): Promise<() => Promise<AttemptResult>> {
  const headers: Record<string, string> = {
    'User-Agent': 'Tickreel-Webhook/1',
    [DELIVERY_ID_HEADER]: delivery.id,
    [ATTEMPT_HEADER]: String(delivery.attempts),
    ...(secrets.length === 0 ? {} : await signedHeaders(secrets, { id: delivery.id, body, now: Date.now() })),
  };
  if (authHeader !== null) headers.Authorization = authHeader;
  return async () => {
    const answered = await callOut({ url, headers, body, timeoutMs: ATTEMPT_TIMEOUT_MS, hop: 'webhook' }, policy);
    if (answered.status === null) return { status: null, error: NO_ANSWER[answered.why] };
    const isTaken = answered.status >= 200 && answered.status < 300;
    return { status: answered.status, error: isTaken ? null : `the receiver answered ${answered.status}` };
  };
}
