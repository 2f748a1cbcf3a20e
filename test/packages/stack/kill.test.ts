import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTickreel, type Tickreel } from '#client/index.ts';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { childrenOf } from '#stack/processes.ts';
import { freePort } from '#stack/service.ts';
import { startStack } from '#stack/stack.ts';
import { runKillCycles } from '#test/soak/kill-cycles.ts';
import { runRollingRestart } from '#test/soak/rolling-restart.ts';
import { startTestStack, type TestStack } from '#test/support/test-stack.ts';
import { hostAt, type TestHost } from '../../support/test-host.ts';

interface Started {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly host: TestHost;
  readonly client: Tickreel;
}

let dataDir: string;
let running: ChildProcess | null = null;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-kill-'));
});

afterEach(async () => {
  if (running?.exitCode === null && running.signalCode === null) await end(running, 'SIGTERM');
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Starts the stack as a process. */
function launch(port: number) {
  const args = ['--port', String(port), '--data', dataDir, '--hosts', '0', '--time-scale', '0.2'];
  const program = join(PROJECT_ROOT, 'packages/stack/stack-cli.ts');
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  running = child;
  return child;
}

/** Starts it and waits for its line. */
async function start(port = 0): Promise<Started> {
  const child = launch(port);
  const [line] = await new Promise<string[]>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (text) => resolve([text]));
    child.once('exit', (code) => reject(new Error(`the stack ended with ${code}`)));
  });
  const ready = JSON.parse(line ?? '');
  const client = createTickreel({ baseUrl: ready.base_url, apiKey: ready.metered_key });
  return { process: child, baseUrl: ready.base_url, host: hostAt(ready.base_url, ready.host_token), client };
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });
}

describe('a stack that is killed', () => {
  it('goes on where it was: jobs wait, alarms ring, its old runtime is gone, and no second stack joins it', async () => {
    const first = await start();
    const request = { demo_url: 'http://127.0.0.1:1/a.dem', steam64_id: '1' };
    const retrying = await first.client.clips.submit(request);
    const grant = await first.host.claimJob(retrying.job_id);
    expect(await first.host.begin(grant)).toBe(true);
    await first.host.fail(grant, 'download_timeout');
    expect(await first.client.jobs.get(retrying.job_id)).toMatchObject({ status: 'retrying' });
    await end(first.process, 'SIGKILL');

    const second = await start();
    // The retry's alarm fires without a request for the job. Only the host's claim waits for it.
    const again = await second.host.claim({}, 30);
    expect(again?.job_id).toBe(retrying.job_id);
    expect(again?.lease.fence).toBeGreaterThan(grant.lease.fence);
    await expect(fetch(`${first.baseUrl}/api/jobs`)).rejects.toThrow();
    const another = { port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' };
    await expect(startStack(another)).rejects.toThrow(/already runs on/);
    expect(await end(second.process, 'SIGTERM')).toBe(0);
  });

  it('leaves no runtime that the next start does not find, also when it had not started yet', async () => {
    const port = await freePort(0);
    const first = launch(port);
    const isRuntime = ({ command }: { command: string }) => command.includes('workerd');
    const every = { timeout: 60_000, interval: 1 };
    await vi.waitFor(() => expect(childrenOf(first.pid ?? 0).some(isRuntime)).toBe(true), every);
    // By then it has its code and would run forever.
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), every);
    await end(first, 'SIGKILL');
    const second = await start(port);
    expect(await end(second.process, 'SIGTERM')).toBe(0);
  });
});

/** A short form of `npx node test/soak/cli.ts kill`: the stack dies at work. `push.test.ts` kills a host that renders. */
it('no job is lost, stuck, done twice or without a webhook when the stack is killed and no client polls', {
  timeout: 500_000,
}, async () => {
  const lines: string[] = [];
  const report = await runKillCycles({
    cycles: 1,
    // Long enough that a host on a busy machine keeps its lease.
    leaseSeconds: 10,
    realLeaseCycles: 0,
    seed: 74,
    load: 1,
    slackSeconds: 60,
    maxMinutes: 6,
    restSeconds: 0,
    say: (line) => lines.push(line),
  });
  const faults = Object.entries(report.violations).filter(([, whom]) => whom.length > 0);
  expect(faults, lines.join('\n')).toEqual([]);
  expect(report).toMatchObject({ cycles: 1, jobs: 1, deaths: { 'stack SIGKILL': 1 } });
});

/** A short form of `npx node test/soak/cli.ts rolling`. */
it('no job loses an attempt or its outcome, or sends two webhooks, while each host of a fleet restarts under load', {
  timeout: 500_000,
}, async () => {
  const say = () => {};
  const report = await runRollingRestart({ exampleHosts: 1, ownHosts: 1, atOnce: 1, load: 3, say });
  const faults = Object.entries(report.violations).filter(([, whom]) => whom.length > 0);
  expect(faults).toEqual([]);
  expect(report.restarts).toBe(2);
  expect(report.jobs).toBeGreaterThan(3);
  expect(report.arrived).toBe(report.jobs);
});

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
