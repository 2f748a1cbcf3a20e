import { createExecutionContext } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import type { Bindings } from '#service/lib/service.ts';
import worker from '#src/worker.ts';

export const bindings = env as unknown as Bindings;
const runtime = exports as unknown as { default: Fetcher };

export const BASE_URL = 'https://tickreel.test';
export const ADMIN_TOKEN = 'an-admin-token-for-tests-of-32-chars';

/** Sends a request to the Worker, in the invocation of the test. */
export function send(path: string, init: RequestInit = {}, context = createExecutionContext()): Promise<Response> {
  const request = new Request(BASE_URL + path, init) as Request<unknown, IncomingRequestCfProperties>;
  return worker.fetch(request, bindings, context);
}

/** Sends a request through the runtime, in an invocation of its own. */
export function sendThrough(path: string, init: RequestInit = {}): Promise<Response> {
  return runtime.default.fetch(new Request(BASE_URL + path, init));
}

/** Sends a request with a bearer token and, if given, a JSON body. */
export function sendJson(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (body === undefined) return send(path, { method, headers });
  headers['Content-Type'] = 'application/json';
  return send(path, { method, headers, body: JSON.stringify(body) });
}

export const PLAYER = '76561198000000001';

/** Returns a valid round-mode request. */
export function roundRequest(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { demo_url: 'https://demos.example.com/match.dem', steam64_id: PLAYER, ...overrides };
}

/** Submits a request and returns the id of the job. */
export async function submit(key: string, overrides: Record<string, unknown> = {}): Promise<string> {
  const response = await sendJson(key, 'POST', '/api/clips', roundRequest(overrides));
  if (response.status !== 201) throw new Error(`submit answered ${response.status}: ${await response.text()}`);
  return (await response.json<{ job_id: string }>()).job_id;
}

export async function readJob<T = Record<string, unknown>>(key: string, jobId: string): Promise<T> {
  return (await sendJson(key, 'GET', `/api/jobs/${jobId}`)).json<T>();
}
