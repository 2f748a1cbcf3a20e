import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTickreel, type JobProgress, type Tickreel } from '#client/index.ts';
import { freePort } from '#stack/service.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { type HostProcess, startHost } from '../../soak/processes.ts';
import { serveShortDemo } from '../../support/short-demo.ts';
import { hostAt } from '../../support/test-host.ts';

const PATIENCE_MS = 60_000;

let folder: string;
let demo: Awaited<ReturnType<typeof serveShortDemo>>;
let port: number;
let stack: Stack;
let client: Tickreel;
const processes: HostProcess[] = [];
const registered: string[] = [];

const start = async () => {
  stack = await startStack({
    port,
    dataDir: join(folder, 'data'),
    hosts: 0,
    timeScale: 0.001,
    leaseSeconds: 10,
    logLevel: 'silent',
  });
  client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-push-'));
  demo = await serveShortDemo(folder);
  port = await freePort(0);
  await start();
});

afterEach(async () => {
  for (const id of registered.splice(0)) await admin('DELETE', `/admin/hosts/${id}`);
  await Promise.all(processes.splice(0).map((host) => host.end('SIGKILL')));
});

afterAll(async () => {
  await stack.stop();
  await demo.stop();
  await rm(folder, { recursive: true, force: true });
});

function admin(method: string, path: string, body?: object): Promise<Response> {
  return fetch(stack.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${stack.credentials.admin_token}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

/** Completes a job like a polling host. */
async function completeByPolling(jobId: string): Promise<void> {
  const host = hostAt(stack.baseUrl, stack.credentials.host_token);
  const grant = await host.claimJob(jobId);
  expect(await host.begin(grant)).toBe(true);
  await host.complete(grant);
}

/** Starts a push host as a process and waits until it listens. */
async function runServing(): Promise<HostProcess> {
  const servePort = await freePort(0);
  const capabilities = { renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null };
  const push = { url: `http://127.0.0.1:${servePort}/grants`, slots: 1, capabilities };
  const answer = await admin('POST', '/admin/hosts', { name: 'serving', push });
  const { host_id, token, push_secret } = (await answer.json()) as Record<string, string>;
  registered.push(host_id ?? '');
  const host = startHost({
    TICKREEL_URL: stack.baseUrl,
    TICKREEL_WORK_DIR: join(folder, 'work'),
    TICKREEL_SERVE: String(servePort),
    TICKREEL_SERVE_ADDRESS: '127.0.0.1',
    TICKREEL_HOST_TOKEN: token ?? '',
    TICKREEL_PUSH_SECRET: push_secret ?? '',
  });
  processes.push(host);
  expect(await host.reach('waiting', PATIENCE_MS)).toBe(true);
  return host;
}

const submit = async (fps = demo.request.fps) => (await client.clips.submit({ ...demo.request, fps })).job_id;

/** Follows a job until it is in that state or has ended, and returns the last event. */
async function until(jobId: string, status: string): Promise<JobProgress | undefined> {
  let last: JobProgress | undefined;
  for await (const notice of client.jobs.watch(jobId)) {
    last = notice;
    if (last.status === status) break;
  }
  return last;
}

it('a host that is sent its jobs makes clips, also after the service was restarted', async () => {
  await runServing();
  const first = await submit();
  expect(await until(first, 'done')).toMatchObject({ status: 'done', attempt: 1 });
  await stack.stop();
  await start();
  const second = await submit();
  expect(await until(second, 'done')).toMatchObject({ status: 'done', attempt: 1 });
  expect(await client.clips.get((await client.jobs.get(second)).clip_id ?? '')).toMatchObject({ state: 'ready' });
});

it('a host that dies before it answers has had no job, and another makes the clip', async () => {
  const host = await runServing();
  host.freeze();
  const job = await submit();
  expect(await until(job, 'prefetch')).toMatchObject({ status: 'prefetch', attempt: 1 });
  await host.end('SIGKILL');
  await completeByPolling(job);
  expect(await until(job, 'done')).toMatchObject({ status: 'done', attempt: 1 });
});

/** Each takes a lease term: `npx node test/soak/cli.ts push` kills in all of them. */
const PHASES = process.env.KILL_IN === 'all' ? (['prefetch', 'render', 'upload'] as const) : (['render'] as const);

it.each(PHASES)(
  'a host that took its job and dies in %s is waited for one term, and another makes the clip',
  async (phase) => {
    const host = await runServing();
    // Too many frames to finish before the signal.
    const job = await submit(30);
    expect(await host.reach(phase, PATIENCE_MS)).toBe(true);
    await host.end('SIGKILL');
    await completeByPolling(job);
    const last = await until(job, 'done');
    expect(last).toMatchObject({ status: 'done', error_code: null });
    // Its 202 may still be in transit at the signal, and the upload may finish.
    if (phase === 'render') expect(last?.attempt).toBe(2);
  },
);
