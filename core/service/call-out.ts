import type { AddressPolicy } from '#domain/address-policy.ts';
import { callUrlFault } from '#protocol/demo-url.ts';
import { HOP_HEADER } from '#protocol/webhook.ts';

export interface OutsideCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyInit;
  readonly timeoutMs: number;
  /** The kind of call. The service refuses one that leads back to it. */
  readonly hop: string;
  /** Whether the answer has the body of a 429. */
  readonly readsLimit?: boolean;
}

/** The response to a call, or why there is none. `limit`: the body of a 429, if it was asked for and is JSON. */
export type Answered =
  | {
      readonly status: number;
      readonly retryAfter: string | null;
      readonly date: string | null;
      readonly limit: unknown;
    }
  | { readonly status: null; readonly why: 'address' | 'timeout' | 'connection' };

/**
 * Statuses that the platform returns if it cannot reach a receiver (no connection, name or TLS), where other runtimes
 * throw. https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const UNREACHABLE: ReadonlySet<number> = new Set([520, 521, 522, 523, 524, 525, 526, 527, 530]);

/**
 * POSTs to an external address, JSON by default. Never throws. Checks the address at every call, does not follow
 * redirects, and does not read the response body unless asked to.
 */
export async function callOut(
  { url, headers, body, timeoutMs, hop, readsLimit }: OutsideCall,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
): Promise<Answered> {
  if (callUrlFault(url, policy) !== null) return { status: null, why: 'address' };
  // Cleared at once: a pending timer keeps the object in memory, which is billed.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', [HOP_HEADER]: hop, ...headers },
      body,
      redirect: 'manual',
      signal: timeout.signal,
    });
    const isRead = readsLimit && response.status === 429;
    const limit = isRead ? await response.json().catch(() => null) : await response.body?.cancel();
    if (UNREACHABLE.has(response.status)) return { status: null, why: 'connection' };
    const header = (name: string) => response.headers.get(name);
    return { status: response.status, retryAfter: header('Retry-After'), date: header('Date'), limit };
  } catch {
    return { status: null, why: timeout.signal.aborted ? 'timeout' : 'connection' };
  } finally {
    clearTimeout(timer);
  }
}
