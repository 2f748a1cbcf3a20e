import { href, type Method, methodOf, type ParamsIfAny, type RouteLine } from '#protocol/lib/routes.ts';
import { errorOf, TickreelError } from './errors.ts';
import { sleep } from './sleep.ts';

/** Options of each call. */
export interface RequestOptions {
  /** Ends the call and the waits between its attempts. */
  readonly signal?: AbortSignal | undefined;
  /** The timeout of one attempt in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is retried after a temporary failure; `Infinity` retries until the service answers or refuses. */
  readonly maxRetries?: number | undefined;
}

/** One request: a row of the table of routes with its parameters. */
export interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  /** Sent as JSON; a `Blob` is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it can be repeated without harm. */
  readonly isRepeatable: boolean;
}

export interface TransportOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string | null;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
}

export interface Transport {
  readonly baseUrl: string;
  /** Repeats a request until it succeeds, and reads the answer. Rejects with a `TickreelError`. */
  send<T>(request: ApiRequest, read: (response: Response) => Promise<T>, options?: RequestOptions): Promise<T>;
}

/** Values of a query. Undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `requestTo(API_ROUTES.getJob, { id })`. */
export function requestTo<Line extends RouteLine>(line: Line, ...params: ParamsIfAny<Line>): ApiRequest {
  const method = methodOf(line);
  return { method, path: href(line, ...params), isRepeatable: method !== 'POST' };
}

export function withQuery(request: ApiRequest, query: Query = {}): ApiRequest {
  const values = Object.entries(query).filter(([, value]) => value !== undefined);
  if (values.length === 0) return request;
  const search = new URLSearchParams(values.map(([name, value]) => [name, String(value)]));
  return { ...request, path: `${request.path}?${search}` };
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** The longest wait that a service may ask for. After a longer one a call rejects, unless its retries are unlimited. */
const LONGEST_RETRY_AFTER = 120_000;

export function createTransport(defaults: TransportOptions): Transport {
  return {
    baseUrl: defaults.baseUrl,
    async send(request, read, options = {}) {
      const maxRetries = options.maxRetries ?? defaults.maxRetries;
      for (let retries = 0; ; retries++) {
        try {
          return await attempt(defaults, request, read, options);
        } catch (error) {
          options.signal?.throwIfAborted();
          if (!(error instanceof TickreelError) || retries >= maxRetries || !mayRetry(request, error)) throw error;
          if (maxRetries !== Infinity && (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER) throw error;
          await sleep(Math.max(error.retryAfterMs ?? 0, backOff(retries)), options.signal);
        }
      }
    },
  };
}

/** Random over half of its length, so that many clients do not return at the same time. */
export function backOff(retries: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** retries) * (0.5 + Math.random() / 2);
}

/** A request that was refused with 429 has done nothing. Other errors may come after the work. */
function mayRetry({ isRepeatable }: ApiRequest, { isTransient, status, retryAfterMs }: TickreelError): boolean {
  return isTransient && (isRepeatable || (status === 429 && retryAfterMs !== null));
}

async function attempt<T>(
  defaults: TransportOptions,
  { method, path, body, headers }: ApiRequest,
  read: (response: Response) => Promise<T>,
  options: RequestOptions,
): Promise<T> {
  options.signal?.throwIfAborted();
  const timeoutMs = options.timeoutMs ?? defaults.timeoutMs;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const response = await defaults.fetch(`${defaults.baseUrl}${path}`, {
      method,
      headers: { ...headersOf(defaults.token, body), ...headers },
      body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
      // A redirected POST would become a GET.
      redirect: 'manual',
      signal: options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal,
    });
    if (!response.ok) throw await errorOf(response);
    return await read(response);
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (late.signal.aborted) {
      throw new TickreelError('timed_out', `The service did not answer within ${timeoutMs / 1000} s.`, { cause });
    }
    if (cause instanceof TickreelError) throw cause;
    throw new TickreelError('not_reached', `${defaults.baseUrl} cannot be reached: ${reasonOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

function headersOf(token: string | null, body: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (body instanceof Blob) headers['Content-Type'] = body.type;
  else if (body !== undefined) headers['Content-Type'] = 'application/json';
  return headers;
}

/** The message of `fetch` is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

/** Makes an idempotency key: 128 random bits in hexadecimal. Pages over plain http have no `crypto.randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns undefined in browsers and, unless enabled, in Workers. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
