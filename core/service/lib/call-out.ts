import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { callUrlFault } from '#protocol/demo/demos.ts';
import { HOP_HEADER } from '#protocol/job/webhook.ts';

export interface OutsideCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `POST` by default. */
  readonly method?: string;
  readonly body?: BodyInit | null;
  readonly timeoutMs: number;
  /** The kind of call. The service refuses one that leads back to it. */
  readonly hop: string;
  /** Whether the answer has its body. */
  readonly readsJson?: boolean;
  /** Whether to open a second connection after a failed one, to find the cause. */
  readonly explains?: boolean | undefined;
}

/** Why a call has no answer. `connection`: a fault that no other word names. */
export type NoAnswer = 'address' | 'timeout' | 'name' | 'refused' | 'tls' | 'connection';

/** The response to a call, or why there is none. `json`: its body, if it was asked for and is JSON. */
export type Answered =
  | {
      readonly status: number;
      readonly retryAfter: string | null;
      readonly date: string | null;
      readonly location: string | null;
      readonly json: unknown;
    }
  | { readonly status: null; readonly why: NoAnswer };

/**
 * Statuses that the platform returns if it cannot reach a receiver (no connection, name or TLS), where other runtimes
 * throw. https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const UNREACHABLE: Readonly<Record<number, NoAnswer | undefined>> = {
  520: 'connection',
  521: 'refused',
  522: 'timeout',
  523: 'connection',
  524: 'timeout',
  525: 'tls',
  526: 'tls',
  527: 'connection',
  530: 'name',
};

/**
 * Calls an external address, by default with JSON. Never throws. Checks the address at every call, does not follow
 * redirects, and does not read the response body unless asked to.
 */
export async function callOut(
  { url, method = 'POST', headers, body = null, timeoutMs, hop, readsJson, explains }: OutsideCall,
  policy: Omit<AddressPolicy, 'acceptedDomains'>,
): Promise<Answered> {
  if (callUrlFault(url, policy) !== null) return { status: null, why: 'address' };
  // Cleared at once: a pending timer keeps the object in memory, which is billed.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers: { 'Content-Type': 'application/json', [HOP_HEADER]: hop, ...headers },
      body,
      redirect: 'manual',
      signal: timeout.signal,
    });
    const json = readsJson ? await response.json().catch(() => null) : await response.body?.cancel();
    const why = UNREACHABLE[response.status];
    if (why !== undefined) return { status: null, why };
    const header = (name: string) => response.headers.get(name);
    return {
      status: response.status,
      retryAfter: header('Retry-After'),
      date: header('Date'),
      location: header('Location'),
      json,
    };
  } catch (error) {
    if (timeout.signal.aborted) return { status: null, why: 'timeout' };
    return { status: null, why: explains ? await causeOf(url, error, timeout.signal) : 'connection' };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns why workerd could not make a call. workerd's error only says whether a connection was lost: it is the same
 * for a name without an address and for TLS. So this opens a second connection, and sends nothing.
 */
async function causeOf(url: string, error: unknown, signal: AbortSignal): Promise<NoAnswer> {
  const late = new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false)));
  // Node, which writes the API document, has no such module.
  const { connect } = await import('cloudflare:sockets');
  const { hostname, port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const socket = connect({ hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isTls ? 443 : 80) });
  socket.closed.catch(() => {});
  const opened = socket.opened.then(
    () => true,
    () => false,
  );
  const isOpen = await Promise.race([opened, late]);
  socket.close().catch(() => {});
  if (signal.aborted) return 'timeout';
  if (reasonOf(error).includes('Network connection lost')) return isOpen ? 'connection' : 'refused';
  if (!isOpen) return 'name';
  return isTls ? 'tls' : 'connection';
}
