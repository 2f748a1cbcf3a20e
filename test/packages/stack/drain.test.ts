import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { hostAt, type TestHost } from '../../support/test-host.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';

/** Starts a render host as a process and waits for its first claim. */
async function startWaitingHost(stack: TestStack, host: TestHost): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'packages/render-host/main.ts')], {
    env: {
      ...bareEnvironment(),
      PATH: process.env.PATH,
      TICKREEL_URL: stack.baseUrl,
      TICKREEL_HOST_TOKEN: stack.credentials.host_token,
      TICKREEL_WORK_DIR: join(stack.dataDir, 'work'),
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
  // The service answers in order, so the claim is registered before this answer.
  await host.claim();
  return child;
}

it('a host that waits for work ends on SIGTERM without the next job', async () => {
  const stack = await startTestStack();
  onTestFinished(stack.remove);
  const host = hostAt(stack.baseUrl, stack.credentials.host_token);
  const waiting = await startWaitingHost(stack, host);
  waiting.kill('SIGTERM');
  expect(await once(waiting, 'exit')).toEqual([0, null]);
  const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const { job_id: jobId } = await client.clips.submit({ demo_url: 'http://127.0.0.1:1/a.dem', steam64_id: '1' });
  const grant = await host.claimJob(jobId);
  expect(await host.begin(grant)).toBe(true);
});
