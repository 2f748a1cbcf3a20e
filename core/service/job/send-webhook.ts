import type { AttemptResult, AttemptWait, Delivery } from '#domain/job/delivery.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { createRecent } from '#domain/lib/rate-buckets.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { webhookSecretOf } from '#platform/digest.ts';
import { ATTEMPT_HEADER, DELIVERY_ID_HEADER, RENDERER_HEADER } from '#protocol/job/webhook.ts';
import { signedHeaders } from '#protocol/lib/signed-message.ts';
import { selectWebhookSecrets } from '#storage/account/webhook-secrets.ts';
import { reserve } from '#storage/lib/budgets.ts';
import type { Database } from '#storage/lib/database.ts';
import { callOut, type NoAnswer } from '../lib/call-out.ts';
import type { Service } from '../lib/service.ts';

/** A webhook to send. The header is a secret, which only the job stores. */
export interface WebhookMessage {
  readonly url: string;
  readonly body: string;
  readonly authHeader: string | null;
  /** Whether the radar made its clip. */
  readonly isDrawn?: boolean;
  /** Whether it is a test, whose answer names the cause of a failure. */
  readonly isTest?: boolean;
}

/** Contract 6.2. */
const ATTEMPT_TIMEOUT_MS = 10_000;

const NO_ANSWER: Record<NoAnswer, string> = {
  address: 'the address is not one that webhooks may go to',
  timeout: 'no answer within 10 seconds',
  name: 'DNS has no public address for the host',
  refused: 'the connection was refused',
  tls: 'TLS failed: the certificate is not valid for the host, or the port takes no TLS',
  connection: 'the connection failed',
};

/**
 * Prepares one attempt of a delivery (contract 6.2), and signs it if the account has secrets. Resolves with a function
 * that calls `fetch` synchronously and resolves with the outcome. Neither rejects. A redirect is not followed: it
 * counts as a failure, as any answer that is not 2xx.
 */
export async function prepareWebhook(
  delivery: Pick<Delivery, 'id' | 'attempts'>,
  { url, authHeader, body, isDrawn, isTest }: WebhookMessage,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
  secrets: readonly string[] = [],
): Promise<() => Promise<AttemptResult>> {
  const headers: Record<string, string> = {
    'User-Agent': 'Tickreel-Webhook/1',
    [DELIVERY_ID_HEADER]: delivery.id,
    [ATTEMPT_HEADER]: String(delivery.attempts),
    ...(isDrawn ? { [RENDERER_HEADER]: 'radar' } : {}),
    ...(secrets.length === 0 ? {} : await signedHeaders(secrets, { id: delivery.id, body, now: Date.now() })),
  };
  if (authHeader !== null) headers.Authorization = authHeader;
  return async () => {
    const call = { url, headers, body, timeoutMs: ATTEMPT_TIMEOUT_MS, hop: 'webhook', explains: isTest };
    const answered = await callOut(call, policy);
    if (answered.status === null) return { status: null, error: NO_ANSWER[answered.why] };
    const { status, location } = answered;
    if (status >= 200 && status < 300) return { status, error: null };
    const redirect = `, a redirect ${location === null ? 'without Location' : 'which is not followed'}`;
    const isRedirect = [301, 302, 303, 307, 308].includes(status);
    return { status, error: `the receiver answered ${status}${isRedirect ? redirect : ''}` };
  };
}

/** Milliseconds between attempts that wait for the same hour. */
const APART_MS = 10;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Counts an attempt towards the hourly webhook budget of its account. Returns null if it may be sent now. Otherwise
 * reserves a later time and returns it: then send without asking again. If `mayWait` is false, nothing is reserved. If
 * D1 fails, returns null.
 */
export async function waitOfAttempt(
  { database, settings, log, now }: Pick<Service, 'database' | 'settings' | 'log' | 'now'>,
  { accountId, isTest, bytes }: { readonly accountId: string; readonly isTest: boolean; readonly bytes: number },
  mayWait = true,
): Promise<AttemptWait | null> {
  const { webhook_attempts, webhook_attempt_kb } = isTest ? settings.limits.test : settings.limits;
  const uses = [
    { name: 'webhook_attempts', amount: 1, most: webhook_attempts },
    { name: 'webhook_attempt_kb', amount: bytes, most: 1000 * webhook_attempt_kb },
  ] as const;
  const at = now();
  try {
    const taken = await reserve(database, { owner: accountId, at, mayWait }, uses);
    if (taken && taken.at <= at) return null;
    const until = taken ? taken.at + APART_MS * taken.place : at - (at % HOUR_MS) + HOUR_MS;
    const most = `may send ${webhook_attempts} webhook attempts and ${webhook_attempt_kb} kB an hour`;
    const terms = isTest ? `Test keys ${most}` : `The account ${most}, besides the attempts for finished clips`;
    return { until, why: `${terms}. This hour's budget is used up.` };
  } catch (error) {
    log('a webhook attempt is not counted', { account: accountId, error: reasonOf(error) });
    return null;
  }
}

/** How long an isolate caches the secrets. After a change, webhooks may use the old ones for this long. */
const CACHED_MS = 30_000;
const MOST_KNOWN = 1000;

const known = createRecent<{ readonly secrets: readonly string[]; readonly at: number }>(MOST_KNOWN);

/**
 * Returns the secrets that sign an account's webhooks. If the database is unavailable, returns the last known ones, or
 * none: an account without secrets must not wait, and a receiver that checks refuses an unsigned webhook, which is then
 * retried.
 */
export async function liveSecrets(
  db: Database,
  deploymentSecret: string,
  accountId: string,
  now: number,
): Promise<readonly string[]> {
  const before = known.get(accountId);
  if (before && now - before.at < CACHED_MS && now >= before.at) return before.secrets;
  try {
    const secrets = await readSecrets(db, deploymentSecret, accountId);
    known.set(accountId, { secrets, at: now });
    return secrets;
  } catch {
    return before?.secrets ?? [];
  }
}

/** Reads the present secrets, without the cache. */
export async function readSecrets(
  db: Database,
  deploymentSecret: string,
  accountId: string,
): Promise<readonly string[]> {
  const rows = await selectWebhookSecrets(db, accountId);
  return Promise.all(rows.map(({ id }) => webhookSecretOf(deploymentSecret, accountId, id)));
}
