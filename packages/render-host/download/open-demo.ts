import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { type Failure, failure } from '#domain/failure/codes.ts';
import { isPublicHost } from '#domain/lib/public-host.ts';
import { FactsShape } from '#protocol/job/job-view.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';

/**
 * Returns a URL for logs and error details: without query, fragment and credentials, which often contain a signature.
 */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? 'an unreadable URL' : `${url.origin}${url.pathname}`;
}

/** A name of an accepted domain resolved to a private address. */
class PrivateAddress extends Error {}

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for HTTP requests that refuses private addresses at the moment of the connection. Checking the URL is not
 * enough: the owner of the name decides what it resolves to, and may choose an address in the host's network.
 */
function publicOnlyLookup(hostname: string, options: LookupOptions, callback: Callback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const [first] = addresses;
    const hosts = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    if (first === undefined || !hosts.every(isPublicHost)) {
      callback(new PrivateAddress(`${hostname} has a private address`), []);
    } else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
}

export interface DemoSource {
  readonly url: string;
  /** Whether a URL may be downloaded from. Called for each URL outside of the gateway. */
  readonly accepts: (url: string) => boolean;
  /** Whether to connect to private and loopback addresses outside of the gateway, too. */
  readonly allowPrivateAddresses: boolean;
  /** Headers of the first request, which then goes to the gateway. They are not sent to a redirect's target. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Called after a failure if the source may be unavailable for a moment: waits, then resolves with whether to ask
   * again. `refusal` is null if no answer came or it broke off. `fruitless` is the number of tries in a row without a
   * byte.
   */
  readonly again?: (refusal: HttpRefusal | null, fruitless: number, signal: AbortSignal) => Promise<boolean>;
}

/** An answer without a demo. */
export type HttpRefusal = Pick<IncomingMessage, 'statusCode' | 'headers'>;

/** A resumption: the number of bytes on disk, and what identifies the file. */
export interface Resumption {
  readonly offset: number;
  /** A strong ETag or a Last-Modified date. */
  readonly validator: string;
}

/** The codes with which the gateway refuses a demo. */
const REFUSALS = ['demo_url_rejected', 'demo_404', 'download_error', 'decompress_failed'] as const;

export type DownloadFailure = Failure<
  (typeof REFUSALS)[number] | 'download_timeout' | 'demo_failed_parse' | 'cs2_unavailable'
>;

export type OpenResult =
  | { readonly ok: true; readonly response: IncomingMessage }
  | { readonly ok: false; readonly failed: DownloadFailure; readonly refusal: HttpRefusal | null };

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Requests the demo. Follows redirects itself, so that each target is checked like the first URL. Resolves with a
 * response whose body is unread: the whole file, or 206 to a resumption.
 *
 * @throws the error of the connection, and the signal's reason if aborted.
 */
export async function openDemo(
  source: DemoSource,
  resumption: Resumption | null,
  signal: AbortSignal,
): Promise<OpenResult> {
  let url = source.url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const headers = hop === 0 ? source.headers : undefined;
    const isHttp = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
    if (!isHttp || !(headers || source.accepts(url))) {
      const what = hop === 0 ? 'the demo URL' : `the redirect to ${redactUrl(url)}`;
      return failed(failure('demo_url_rejected', `${what} is not on an accepted domain`));
    }
    let response: IncomingMessage;
    try {
      response = await get(url, resumption, headers, headers !== undefined || source.allowPrivateAddresses, signal);
    } catch (error) {
      if (!(error instanceof PrivateAddress)) throw error;
      return failed(failure('demo_url_rejected', error.message));
    }
    const status = response.statusCode ?? 0;
    const isTold = headers && (status === DEMO_REFUSED || status === UNAVAILABLE);
    const why = isTold ? await readRefusal(response) : null;
    if (why) return failed(why, status === UNAVAILABLE ? response : null);
    if (!REDIRECTS.has(status)) return judgeStatus(response, status, resumption !== null, url);
    const target = URL.parse(response.headers.location ?? '', url);
    response.destroy();
    if (target === null || response.headers.location === undefined) {
      return failed(failure('download_error', `${redactUrl(url)} redirects to nowhere`));
    }
    url = target.href;
  }
  const detail = `${redactUrl(source.url)} redirects more than ${MAX_REDIRECTS} times`;
  return failed(failure('download_error', detail));
}

const DEMO_REFUSED = PROBLEMS.demo_refused.status;
const UNAVAILABLE = PROBLEMS.unavailable.status;
const Refusal = z.object({
  error_code: z.enum(REFUSALS).default('download_error'),
  detail: z.string(),
  facts: FactsShape.optional(),
});

/** Parses the gateway's problem. Returns null for any other body. */
async function readRefusal(response: IncomingMessage): Promise<DownloadFailure | null> {
  const { data } = Refusal.safeParse(await json(response).catch(() => null));
  return data ? failure(data.error_code, data.detail, data.facts) : null;
}

function failed(why: DownloadFailure, refusal: HttpRefusal | null = null): OpenResult {
  return { ok: false, failed: why, refusal };
}

function get(
  url: string,
  resumption: Resumption | null,
  headers: DemoSource['headers'],
  mayBePrivate: boolean,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const range = resumption && { range: `bytes=${resumption.offset}-`, 'if-range': resumption.validator };
  const options = {
    agent: false,
    signal,
    // Encoded bytes would match neither the length nor the offsets of a resumption.
    headers: {
      ...headers,
      'user-agent': 'tickreel-render-host',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...range,
    },
    ...(mayBePrivate ? {} : { lookup: publicOnlyLookup }),
  };
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? https.get(url, options, resolve) : http.get(url, options, resolve);
    request.on('error', reject);
  });
}

function judgeStatus(response: IncomingMessage, status: number, resuming: boolean, url: string): OpenResult {
  const isWhole = status === 200 || status === 203 || (status === 206 && isWholeRange(response.headers));
  if (isWhole || (status === 206 && resuming)) return { ok: true, response };
  response.destroy();
  if (status === 404 || status === 410) {
    return failed(failure('demo_404', `${redactUrl(url)} answered ${status}`, { http_status: status }), response);
  }
  const isRefused = status === 401 || status === 403;
  const detail = `${redactUrl(url)} answered ${status}${isRefused ? ': access refused, the link may have expired' : ''}`;
  return failed(failure('download_error', detail, { http_status: status }), response);
}

/** Returns the numbers of a `Content-Range`: first byte, last byte and length; none if it is absent or malformed. */
export function rangeOf({ 'content-range': range = '' }: IncomingMessage['headers']): number[] {
  return /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range)?.slice(1).map(Number) ?? [];
}

/** Some servers answer 206 with all bytes where no range was asked for. */
function isWholeRange(headers: IncomingMessage['headers']): boolean {
  const [start, end = 0, total] = rangeOf(headers);
  return start === 0 && end + 1 === total;
}
