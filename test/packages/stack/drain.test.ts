import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { bareEnvironment } from '#render-host/machine/child-environment.ts';
import { PROJECT_ROOT } from '#stack/project-root.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { hostAt, type TestHost } from '../../support/test-host.ts';

let dataDir: string;
let stack: Stack;
let host: TestHost;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-drain-'));
  stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' });
  host = hostAt(stack.baseUrl, stack.credentials.host_token);
});

afterAll(async () => {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** A render host as a process of its own, once it has asked for work. */
async function startWaitingHost(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'packages/render-host/main.ts')], {
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
  await host.claim();
  return child;
}

it('a host that waits for work leaves on SIGTERM without taking the next job with it', async () => {
  const waiting = await startWaitingHost();
  waiting.kill('SIGTERM');
  expect(await once(waiting, 'exit')).toEqual([0, null]);
  const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const { jobId } = await client.clips.submit({ demo_url: 'http://127.0.0.1:1/a.dem', steam64_id: '1' });
  const grant = await host.claimJob(jobId);
  expect(await host.begin(grant)).toBe(true);
});
