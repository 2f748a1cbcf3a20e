import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PLAIN_KILLS_VIEW } from '#test/support/plain-order.ts';
import { createFakeGateway, JOB_ID } from './agent/fake-gateway.ts';
import { serve } from './download/serve.ts';

/** Real host processes that are stopped or killed while they work on a job. */
const MAIN = fileURLToPath(new URL('../../../packages/render-host/main.ts', import.meta.url));
let workDir: string;

beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'host-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
});

async function buildGateway() {
  const atWork = Promise.withResolvers<void>();
  // Never ends, so the host stays at work.
  const demoUrl = await serve((_request, response) => {
    response.writeHead(200).write('PBDEMS2\0');
    atWork.resolve();
  });
  const gateway = await createFakeGateway(undefined, null, {
    order: { demo_url: `${demoUrl}/match.dem` },
    lease: { fence: 7, ttl_s: 60, heartbeat_s: 0.2 },
  });
  onTestFinished(() => gateway.close());
  // A heartbeat may come before the job has a folder. Its demo is requested after that.
  return { ...gateway, atWork: atWork.promise };
}

interface Host {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  /** Returns the host's standard error so far. */
  said(): string;
}

/** Starts a host in `workDir` unless an option says otherwise. */
function startHost(url: string, where: Record<string, string> = { TICKREEL_WORK_DIR: workDir }): Host {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...bareEnvironment(),
      FFMPEG_PATH: process.env.FFMPEG_PATH,
      LOG_LEVEL: 'silent',
      TICKREEL_URL: url,
      TICKREEL_HOST_TOKEN: 'tr_host_test',
      ...where,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { child, ended: once(child, 'close'), said: () => said };
}

/** Returns the jobs that have files on this machine, each with the place it is worked on in. */
async function jobFolders(root = workDir): Promise<string[]> {
  const places = await readdir(root);
  const jobs = await Promise.all(
    places.map(async (place) => (await readdir(join(root, place))).map((job) => [place, job])),
  );
  return jobs.flatMap((found) => found.filter(([, job]) => job !== 'lock').map((pair) => pair.join('/'))).sort();
}

describe('the process of a render host', () => {
  it.each([
    ['SIGTERM when its time is up', { TICKREEL_DRAIN_S: '0.3' }, ['SIGTERM']],
    ['the second signal', { TICKREEL_DRAIN_S: '60' }, ['SIGTERM', 'SIGINT']],
  ] as const)('hands its job back on %s and ends well, with nothing left behind', async (_when, drain, signals) => {
    const gateway = await buildGateway();
    const settings = { TICKREEL_WORK_DIR: workDir, LOG_LEVEL: 'info', ...drain };
    const { child, ended, said } = startHost(gateway.url, settings);
    await gateway.next('heartbeat');
    for (const signal of signals) {
      child.kill(signal);
      // Waits for the effect of each signal, because the system chooses the order of two pending ones.
      await vi.waitFor(() => expect(said()).toContain('draining'), { timeout: 60_000, interval: 10 });
    }
    expect(await ended).toEqual([0, null]);
    expect(gateway.json('release')).toEqual([{ fence: 7 }]);
    expect(gateway.of('fail')).toEqual([]);
    expect(await jobFolders()).toEqual([]);
  });

  it('finishes its job on SIGTERM, asks for no other, and ends well', async () => {
    const match = composeMatch({
      rounds: [{ startTick: 64, endTick: 1200, winner: 'T' }],
      kills: [{ tick: 640, attacker: 1, victim: 6 }],
    });
    const { promise: isToldToStop, resolve: tell } = Promise.withResolvers<void>();
    const demo = Buffer.from(encodeDemo(match));
    // The demo comes once the host has got the signal, so that all work is after it.
    const demoUrl = await serve(async (_request, response) => {
      await isToldToStop;
      response.end(demo);
    });
    const gateway = await createFakeGateway(undefined, null, {
      order: {
        demo_url: `${demoUrl}/match.dem`,
        fps: 5,
        selection: {
          ...PLAIN_KILLS_VIEW,
          steam64_id: match.players[1]?.steamId ?? '',
          round: null,
          pre_kill_padding: 0.5,
          post_kill_padding: 0.5,
        },
      },
      lease: { fence: 7, ttl_s: 60, heartbeat_s: 0.2 },
    });
    onTestFinished(() => gateway.close());
    const { child, ended } = startHost(gateway.url);
    await gateway.next('heartbeat');
    child.kill('SIGTERM');
    tell();
    expect(await ended).toEqual([0, null]);
    expect(gateway.json('complete')).toHaveLength(1);
    expect(gateway.of('claim')).toHaveLength(1);
    expect([...gateway.of('release'), ...gateway.of('fail')]).toEqual([]);
    expect(await jobFolders()).toEqual([]);
  });

  it.each([
    ['unauthorized', /refuses this host's token: it was revoked, or replaced by another\. Ask its operator/],
    ['agent_outdated', /wants a newer render host\. it is agent_outdated Update this one and start it again\./],
  ] as const)('that is refused (%s) says why in a sentence and ends with status 2', async (problem, sentence) => {
    const gateway = await createFakeGateway(() => problem);
    onTestFinished(() => gateway.close());
    const { ended, said } = startHost(gateway.url);
    expect(await ended).toEqual([2, null]);
    expect(said()).toMatch(sentence);
    expect(said().trim().split('\n')).toHaveLength(1);
  });

  it('that is killed leaves its files, which the next one removes before it claims', async () => {
    const first = await buildGateway();
    const killed = startHost(first.url);
    await first.atWork;
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toEqual([null, 'SIGKILL']);
    expect(first.of('release')).toEqual([]);
    expect(await jobFolders()).toEqual([`host-1/${JOB_ID}.7`]);
    const left = join(workDir, 'host-1', `${JOB_ID}.7`);
    const second = await buildGateway();
    let leftAtClaim: boolean | null = null;
    void second.next('claim').then(() => {
      leftAtClaim = existsSync(left);
    });
    const next = startHost(second.url);
    await second.next('heartbeat');
    next.child.kill('SIGINT');
    await next.ended;
    expect(leftAtClaim).toBe(false);
    expect(await jobFolders()).toEqual([]);
  });

  it('refuses a link that somebody else put where its files belong', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
    await symlink(elsewhere, join(workDir, `tickreel-host-${process.getuid?.() ?? 'own'}`));
    const host = startHost('http://127.0.0.1:1', { TMPDIR: workDir });
    expect(await host.ended).toEqual([1, null]);
    expect(host.said()).toMatch(/^The work folder cannot be used\. .+ is a link, not a folder: remove it\.\n$/);
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('takes its settings from a file that --config names', async () => {
    const file = join(workDir, 'host.env');
    const gateway = await buildGateway();
    const lines = [`TICKREEL_URL=${gateway.url}`, 'TICKREEL_HOST_TOKEN=tr_host_file', 'TICKREEL_MAX_FPS=48'];
    await writeFile(file, lines.join('\n'));
    const env = { ...bareEnvironment(), TMPDIR: workDir, LOG_LEVEL: 'silent', TICKREEL_MAX_FPS: '30' };
    const child = spawn(process.execPath, [MAIN, '--config', file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await gateway.next('claim');
    expect(gateway.json('claim')).toMatchObject([{ capabilities: { max_fps: 30 } }]);
    child.kill('SIGINT');
    await once(child, 'close');
  });

  it('ends with 2 and names what is wrong when its environment is', async () => {
    const child = spawn(process.execPath, [MAIN], { env: bareEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(said).toContain('TICKREEL_URL');
    expect(said).toContain('TICKREEL_HOST_TOKEN');
  });
});
