import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeGateway, JOB_ID } from '../agent/fake-gateway.ts';
import { serve } from '../download/serve.ts';

/** Real hosts, as processes, told to stop or killed while they work on a job. */
const MAIN = fileURLToPath(new URL('../../../render-host/main.ts', import.meta.url));
let workDir: string;

beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'host-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
});

async function buildGateway() {
  // Never ends, so the host is at work for as long as it takes.
  const demoUrl = await serve((_request, response) => void response.writeHead(200).write('PBDEMS2\0'));
  const gateway = await createFakeGateway(undefined, null, {
    order: { demo_url: `${demoUrl}/match.dem` },
    lease: { fence: 7, ttl_s: 60, heartbeat_s: 0.2 },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

function startHost(url: string): { child: ChildProcess; ended: Promise<unknown[]> } {
  const environment = { TICKREEL_URL: url, TICKREEL_HOST_TOKEN: 'tr_host_test', TICKREEL_WORK_DIR: workDir };
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: once(child, 'exit') };
}

describe('the process of a render host', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'hands its job back on %s and ends well, with nothing left behind',
    async (signal) => {
      const gateway = await buildGateway();
      const { child, ended } = startHost(gateway.url);
      await gateway.next('heartbeat');
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(gateway.json('release')).toEqual([{ fence: 7 }]);
      expect(gateway.of('fail')).toEqual([]);
      expect(await readdir(workDir)).toEqual([]);
    },
  );

  it('that is killed leaves its files, which the next one removes before it claims', async () => {
    const first = await buildGateway();
    const killed = startHost(first.url);
    await first.next('heartbeat');
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toEqual([null, 'SIGKILL']);
    expect(first.of('release')).toEqual([]);
    expect(await readdir(workDir)).toEqual([`${JOB_ID}.7`]);
    const second = await buildGateway();
    let leftAtClaim: boolean | null = null;
    void second.next('claim').then(() => {
      leftAtClaim = existsSync(join(workDir, `${JOB_ID}.7`, 'download'));
    });
    const next = startHost(second.url);
    await second.next('heartbeat');
    next.child.kill('SIGTERM');
    await next.ended;
    expect(leftAtClaim).toBe(false);
    expect(await readdir(workDir)).toEqual([]);
  });

  it('ends with 2 and names what is wrong when its environment is', async () => {
    const child = spawn(process.execPath, [MAIN], { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(said).toContain('TICKREEL_URL');
    expect(said).toContain('TICKREEL_HOST_TOKEN');
  });
});
