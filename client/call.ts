import { Problem } from '../protocol/problem.ts';
import { href, type Method, methodOf, type ParamsIfAny, type RouteLine } from '../protocol/routes.ts';

/** The service refused a request. `problem` is its RFC 9457 answer, null when it was none. */
export class TickreelError extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    const rules = problem?.errors?.map(({ path, message }) => `\n  ${path || 'the body'} ${message}`).join('');
    super(rules ? `${problem?.title}:${rules}` : (problem?.detail ?? `The service answered ${status}.`));
    this.status = status;
    this.problem = problem;
  }
}

/** Where the service is and the token to show it. */
export interface Access {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
}

/** One request of a service: a line of its table of routes, filled in. */
export interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
}

/** `requestTo(API_ROUTES.getJob, { id })`. */
export function requestTo<Line extends RouteLine>(line: Line, ...params: ParamsIfAny<Line>): ApiRequest {
  return { method: methodOf(line), path: href(line, ...params) };
}

export type Call = (request: ApiRequest, signal?: AbortSignal) => Promise<Response>;

/**
 * Sends requests with a bearer token. A body goes as JSON, a `Blob` as what it is. Rejects with a `TickreelError` for
 * every answer but 2xx.
 */
export function createCall({ baseUrl, token }: Access): Call {
  return async ({ method, path, body }, signal) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (body instanceof Blob) headers['Content-Type'] = body.type;
    else if (body !== undefined) headers['Content-Type'] = 'application/json';
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    const problem = Problem.safeParse(await response.json().catch(() => null));
    throw new TickreelError(response.status, problem.data ?? null);
  };
}
