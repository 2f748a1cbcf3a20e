import { expect } from 'vitest';
import { Problem } from '#protocol/lib/problem.ts';
import { CAPABILITIES } from '#test/support/test-host.ts';

/** An answer after its body was read. `body`: the parsed JSON, null for others. `text`: the text of the body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

/** Sends a request unchanged and reads the answer. Does not follow redirects. */
export async function send(url: string, { method = 'GET', headers = {}, body = null }: Call = {}): Promise<Answer> {
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers,
    body: body as BodyInit | null,
    redirect: 'manual',
  };
  if (body instanceof ReadableStream) init.duplex = 'half';
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = text !== '' && /[/+]json/.test(response.headers.get('Content-Type') ?? '');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

export type Api = ReturnType<typeof createApi>;

/** Creates the calls of one credential. A body that is a string is sent verbatim, anything else as JSON. */
export function createApi(baseUrl: string, key: string) {
  const call = (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
    if (body === undefined) return send(baseUrl + path, { method, headers });
    headers['Content-Type'] = 'application/json';
    return send(baseUrl + path, { method, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  };
  return {
    baseUrl,
    key,
    call,
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown) => call('POST', path, body),
    delete: (path: string) => call('DELETE', path),

    /** Submits a request that has to make a new job. Returns the id of the job. */
    async submit(request: unknown): Promise<string> {
      const answer = await call('POST', '/api/clips', request);
      expect(answer, answer.text).toMatchObject({ status: 201, body: { job_id: expect.any(String) } });
      return String(answer.body.job_id);
    },

    async job(jobId: string): Promise<Record<string, unknown>> {
      const answer = await call('GET', `/api/jobs/${jobId}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },

    async clip(clipId: string): Promise<Record<string, unknown>> {
      const answer = await call('GET', `/api/clips/${clipId}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}

/** Expects a problem (RFC 9457) with this status and returns it. */
export function expectProblem(answer: Answer, status: number): Problem {
  expect(answer, answer.text).toMatchObject({ status });
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
  const problem = Problem.parse(answer.body);
  const error = problem.detail;
  expect(problem).toMatchObject({ status, error, request_id: answer.headers.get('X-Request-Id') });
  return problem;
}

/** Expects a 400 that names exactly these fields, in any order; a field may be named once per broken rule. */
export function expectInvalid(answer: Answer, ...paths: string[]): void {
  const { errors = [] } = expectProblem(answer, 400);
  expect([...new Set(errors.map(({ path }) => path))].sort()).toEqual([...paths].sort());
  for (const { message } of errors) expect(message).not.toBe('');
}

export const PLAYER = '76561198000000001';
export const OTHER_PLAYER = '76561198000000002';
export const DEMO_URL = 'https://demos.example.com/match.dem.gz';

type Fields = Record<string, unknown>;

/** A valid request of each mode. A field that is undefined is not sent. */
export const roundRequest = (fields: Fields = {}): Fields => ({ demo_url: DEMO_URL, steam64_id: PLAYER, ...fields });
export const timelineRequest = (fields: Fields = {}): Fields => ({
  demo_url: DEMO_URL,
  timeline: [segment()],
  ...fields,
});

/** The switchboard never claims jobs of this frame rate, so they stay pending. */
export const PARKED_FPS = CAPABILITIES.max_fps;

/** A request whose job nobody claims. */
export const parkedRequest = (fields: Fields = {}): Fields => roundRequest({ fps: PARKED_FPS, ...fields });

export const segment = (fields: Fields = {}): Fields => ({
  steam64_id: PLAYER,
  start_tick: 1000,
  end_tick: 2000,
  ...fields,
});

/** A lower-case UUID of any version. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** ISO 8601, in UTC. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
