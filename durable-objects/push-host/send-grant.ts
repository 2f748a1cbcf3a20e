import type { AddressPolicy } from '#domain/address-policy.ts';
import type { Grant } from '#protocol/gateway.ts';
import { PUSH_ANSWERS } from '#protocol/push.ts';
import { signedHeaders } from '#protocol/signed-message.ts';
import { callOut } from '#service/call-out.ts';

/**
 * How long a grant waits for the host's answer. Shorter than its job stays suggested to that host
 * (dispatcher/dispatch.ts), so no other host gets it meanwhile. A container that starts more slowly was woken by the
 * call and takes the next grant.
 */
const ANSWER_TIMEOUT_MS = 8000;

/** A host's answer to a grant. */
export type PushAnswer =
  | { readonly kind: 'taken' }
  /** The host is full for this time. */
  | { readonly kind: 'busy'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly why: string };

/** Sends a host its grant; never throws. `now` in milliseconds since the epoch. */
export async function sendGrant(
  { url, secret }: { readonly url: string; readonly secret: string },
  grant: Grant,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
  now: number,
): Promise<PushAnswer> {
  const body = JSON.stringify(grant);
  const signed = await signedHeaders(secret, { id: `${grant.job_id}.${grant.lease.fence}`, body, now });
  const headers = { 'User-Agent': 'Tickreel-Push/1', ...signed };
  const answered = await callOut({ url, headers, body, timeoutMs: ANSWER_TIMEOUT_MS, hop: 'push' }, policy);
  if (answered.status === null) return { kind: 'failed', why: answered.why };
  const { status, retryAfter } = answered;
  if (status === PUSH_ANSWERS.taken) return { kind: 'taken' };
  const waitMs = status === PUSH_ANSWERS.full || status === PUSH_ANSWERS.away ? readRetryAfter(retryAfter, now) : null;
  return waitMs === null ? { kind: 'failed', why: `it answered ${status}` } : { kind: 'busy', waitMs };
}

/** Parses `Retry-After` to milliseconds from now: seconds, or a date (RFC 9110 section 10.2.3). Null for neither. */
function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date - now;
}
