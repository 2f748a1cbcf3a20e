import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '../../client/index.ts';
import { PROJECT_ROOT } from '../../local/project-root.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import type { Grant } from '../../protocol/gateway.ts';
import type { HostCapabilities } from '../../protocol/host-capabilities.ts';
import { bareEnvironment } from '../../render-host/machine/child-environment.ts';

let dataDir: string;
let stack: Stack;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-drain-'));
  stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' });
});

afterAll(async () => {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** A render host as a process of its own, once it has asked for work. */
async function startWaitingHost(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'render-host/main.ts')], {
    env: {
      ...bareEnvironment(),
      PATH: process.env.PATH,
      TICKREEL_URL: stack.baseUrl,
      TICKREEL_HOST_TOKEN: stack.credentials.host_token,
      TICKREEL_WORK_DIR: join(dataDir, 'work'),
      LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (JSON.parse(line).msg === 'asking for work') resolve();
    });
  });
  // The service answers in order: once this is answered, the host's claim has been taken up.
  await claim(0);
  return child;
}

async function report(jobId: string, kind: string, body: object): Promise<void> {
  const response = await fetch(`${stack.baseUrl}/gateway/v1/jobs/${jobId}/${kind}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.credentials.host_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(204);
}

async function claim(wait_s: number): Promise<Grant | null> {
  const capabilities: HostCapabilities = {
    renderer: 'radar',
    max_resolution: 1440,
    max_fps: 120,
    game_build: null,
    agent_version: 'test',
  };
  const response = await fetch(`${stack.baseUrl}/gateway/v1/claim`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.credentials.host_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ capabilities, wait_s }),
  });
  return response.status === 204 ? null : (response.json() as Promise<Grant>);
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'a host that waits for work leaves on %s without taking the next job with it',
  async (signal) => {
    const host = await startWaitingHost();
    host.kill(signal);
    expect(await once(host, 'exit')).toEqual([0, null]);
    const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
    const { jobId } = await client.clips.submit({ demo_url: 'http://127.0.0.1:1/a.dem', steam64_id: '1' });
    const grant = await claim(30);
    expect(grant).toMatchObject({ job_id: jobId, lease: { fence: expect.any(Number) } });
    const { fence } = (grant as Grant).lease;
    // One that is not confirmed would come back amid the next test.
    await report(jobId, 'heartbeat', { fence, phase: 'prefetch', progress: 0 });
    await report(jobId, 'fail', { fence, code: 'demo_404', detail: 'It is not there.' });
  },
);
