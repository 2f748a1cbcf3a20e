import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { PUSH_ANSWERS } from '#protocol/host/push.ts';
import { CLOCK_TOLERANCE_S, clockText, signedHeaders } from '#protocol/lib/signed-message.ts';
import { callOut, type OutsideCall } from '#service/lib/call-out.ts';

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
  | { readonly kind: 'busy'; readonly waitMs: number; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Sends a host its grant; never throws. `now` in milliseconds since the epoch. */
export async function sendGrant(
  host: { readonly url: string; readonly secret: string; readonly headers?: OutsideCall['headers'] | undefined },
  grant: Grant,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
  now: number,
): Promise<PushAnswer> {
  const body = JSON.stringify(grant);
  const { url, secret } = host;
  const signed = await signedHeaders(secret, { id: `${grant.job_id}.${grant.lease.fence}`, body, now });
  const headers = { ...host.headers, 'User-Agent': 'Tickreel-Push/1', ...signed };
  const answered = await callOut({ url, headers, body, timeoutMs: ANSWER_TIMEOUT_MS, hop: 'push' }, policy);
  if (answered.status === null) return { kind: 'failed', why: answered.why };
  const { status, retryAfter } = answered;
  if (status === PUSH_ANSWERS.taken) return { kind: 'taken' };
  const waitMs = status === PUSH_ANSWERS.full || status === PUSH_ANSWERS.away ? readRetryAfter(retryAfter, now) : null;
  if (waitMs !== null) return { kind: 'busy', waitMs, why: `it answered ${status}` };
  const offS = Math.round((Date.parse(answered.date ?? '') - now) / 1000);
  const clock = Math.abs(offS) > CLOCK_TOLERANCE_S ? `, and its clock is ${clockText(offS)} ours` : '';
  return { kind: 'failed', why: `it answered ${status}${clock}` };
}

/** Parses `Retry-After` to milliseconds from now: seconds, or a date (RFC 9110 section 10.2.3). Null for neither. */
function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date - now;
}
