import type { RatePolicy } from '#domain/rate-buckets.ts';
import { ProblemError } from './problem.ts';

/**
 * A 429 problem with the headers of the IETF's draft (draft-ietf-httpapi-ratelimit-headers). `remaining` is told where
 * one object counts; elsewhere nobody knows it.
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

/** A 429 problem for what there is enough of already: waiting alone does not help, but something may end. */
export function limitReached(detail: string, retryAfterS = 10): ProblemError {
  return new ProblemError('limit_reached', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}

/**
 * Where a request came from, as a key to count by. Only the header that the settings name is believed, which the
 * platform or a proxy writes: a client can send any other. Without one, all count as one. A network that gives each
 * customer 64 bits of IPv6 counts by what is above them.
 */
export function addressOf({ headers }: Request, { addressHeader }: { readonly addressHeader: string | null }): string {
  const address = addressHeader === null ? null : headers.get(addressHeader);
  if (!address) return 'somebody';
  return address.includes(':') ? address.split('::')[0]?.split(':').slice(0, 4).join(':') || address : address;
}
