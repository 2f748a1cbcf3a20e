import type { RatePolicy } from '#domain/lib/rate-buckets.ts';
import { ProblemError } from './problem.ts';

/**
 * Creates a 429 problem with the headers of the IETF's draft (draft-ietf-httpapi-ratelimit-headers). `remaining` is
 * known only if one object counts.
 */
export function rateLimited(policy: RatePolicy, waitMs: number, remaining?: number): ProblemError {
  const detail = `At most ${policy.limit} ${policy.name.replace('-', ' ')} in ${seconds(policy.windowMs)} seconds are taken.`;
  return new ProblemError('rate_limited', detail, {
    headers: { 'Retry-After': String(Math.max(1, seconds(waitMs))), ...rateHeaders(policy, waitMs, remaining) },
  });
}

export function rateHeaders(policy: RatePolicy, resetMs: number, remaining?: number): Record<string, string> {
  const name = `"${policy.name}"`;
  return {
    'RateLimit-Policy': `${name};q=${policy.limit};w=${seconds(policy.windowMs)}`,
    ...(remaining === undefined ? {} : { RateLimit: `${name};r=${remaining};t=${seconds(resetMs)}` }),
  };
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/** Creates a 429 problem for a limit of what exists at a time. It may be free again after something ends. */
export function limitReached(detail: string, retryAfterS = 10): ProblemError {
  return new ProblemError('limit_reached', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}

/**
 * Returns the address of the client, as a key for counters. It uses only the configured header, which the platform or a
 * proxy writes, because clients can forge any other. Without one all clients share a counter. IPv6 counts by the upper
 * 64 bits, because a customer often has all of the lower ones.
 */
export function addressOf({ headers }: Request, { addressHeader }: { readonly addressHeader: string | null }): string {
  const address = addressHeader === null ? null : headers.get(addressHeader);
  if (!address) return 'somebody';
  return address.includes(':') ? address.split('::')[0]?.split(':').slice(0, 4).join(':') || address : address;
}
