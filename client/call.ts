import { Problem } from '../protocol/problem.ts';

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

export type Call = (method: string, path: string, body?: unknown, signal?: AbortSignal) => Promise<Response>;

/**
 * Sends requests with a bearer token. A body goes as JSON, a `Blob` as what it is. Rejects with a `TickreelError` for
 * every answer but 2xx.
 */
export function createCall({ baseUrl, token }: Access): Call {
  return async (method, path, body, signal) => {
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
