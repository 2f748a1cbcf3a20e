import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { childrenOf, isRunning } from '#stack/processes.ts';
import { SHORT_CLIP, writeShortDemo } from '../../support/short-demo.ts';

/** Runs commands as typed: npm, its shell, the program and their children. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'npm-run-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

interface Run {
  readonly npm: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<unknown[]>;
  readonly out: string[];
  readonly err: string[];
}

function npmRun(script: string, args: readonly string[], environment: Record<string, string> = {}): Run {
  const npm = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: PROJECT_ROOT,
    env: { ...bareEnvironment(), PATH: process.env.PATH, HOME: folder, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that the remains of a failed test can be ended.
    detached: true,
  });
  const { pid } = npm;
  onTestFinished(() => {
    try {
      process.kill(-(pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // No process is left.
    }
  });
  const [out, err]: [string[], string[]] = [[], []];
  createInterface({ input: npm.stdout }).on('line', (line) => out.push(line));
  createInterface({ input: npm.stderr }).on('line', (line) => err.push(line));
  return { npm, ended: once(npm, 'close'), out, err };
}

function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid).map((child) => child.pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

/** Kills npm like `kill`, and checks that all that it started ends. */
async function endsWithNpm({ npm, ended }: Run, programs: number): Promise<unknown> {
  const started = descendantsOf(npm.pid ?? Number.NaN);
  expect(started.length).toBeGreaterThanOrEqual(programs);
  npm.kill('SIGTERM');
  const [status] = await ended;
  await vi.waitFor(() => expect(started.filter(isRunning)).toEqual([]), 10_000);
  return status;
}

const until = (check: () => boolean, timeout = 60_000) =>
  vi.waitFor(() => expect(check()).toBe(true), { timeout, interval: 20 });

describe('kill of npm run', () => {
  it('stops the stack with its runtime and its host', async () => {
    const stack = npmRun('stack', ['--port', '0', '--data', join(folder, 'data'), '--hosts', '1']);
    await until(() => stack.out.length > 0 && stack.err.some((line) => line.includes('host started')));
    // node, the runtime, a host.
    expect(await endsWithNpm(stack, 3)).toBe(0);
  });

  it('stops a stack that is only starting, at the first signal', async () => {
    const dataDir = join(folder, 'data');
    const stack = npmRun('stack', ['--port', '0', '--data', dataDir, '--hosts', '1']);
    await until(() => existsSync(join(dataDir, 'version.json')));
    expect(await endsWithNpm(stack, 1)).toBe(0);
    expect(stack.out).toEqual([]);
  });

  it('stops the demo, which leaves nothing behind', async () => {
    const demo = npmRun('demo', ['--once']);
    await until(() => demo.err.some((line) => line.includes('downloading') || line.includes('rendering')));
    await endsWithNpm(demo, 3);
    expect((await readdir(folder)).filter((name) => name.startsWith('tickreel-demo'))).toEqual([]);
  });

  it('stops dev, which has an account with keys, the console, a host at work, and the cron', async () => {
    const dev = npmRun('dev', ['--port', '0', '--data', join(folder, 'data')], { WRANGLER_SEND_METRICS: 'false' });
    const has = (words: string) => dev.err.some((line) => line.includes(words));
    await until(() => dev.out.at(-1) === '}' && has('host started') && has('upkeep done'), 150_000);
    const { base_url, console: page, metered_key, admin_token } = JSON.parse(dev.out.join('\n'));
    expect((await fetch(page)).status).toBe(200);
    // All users of the machine can read command lines.
    expect(execFileSync('ps', ['-ww', '-eo', 'args'], { encoding: 'utf8' })).not.toContain(admin_token);
    const asked = (path: string, token: string) =>
      fetch(base_url + path, { headers: { Authorization: `Bearer ${token}` } });
    expect(await (await asked('/api/jobs', metered_key)).json()).toEqual({ jobs: [], next_cursor: null });
    const seen = async () => (await asked('/admin/hosts', admin_token)).json();
    await vi.waitFor(async () => expect(await seen()).toMatchObject({ hosts: [{ state: 'idle' }] }), 20_000);
    // node, wrangler, its runtime, a host.
    expect(await endsWithNpm(dev, 4)).toBe(0);
  });

  it('stops a render host', async () => {
    const environment = { TICKREEL_URL: 'http://127.0.0.1:1', TICKREEL_HOST_TOKEN: 'tr_host_test' };
    const host = npmRun('render-host', [], environment);
    await until(() => host.err.some((line) => line.includes('host started')));
    expect(await endsWithNpm(host, 1)).toBe(0);
  });
});

it('the demo ends by itself once its file is saved, and names no page that is gone', async () => {
  const out = join(folder, 'clip.mp4');
  const which = ['--demo', await writeShortDemo(folder), '--player', SHORT_CLIP.steam64_id];
  const demo = npmRun('demo', [...which, '--fps', '5', '--out', out]);
  expect(await demo.ended).toEqual([0, null]);
  expect((await readFile(out)).subarray(4, 8).toString()).toBe('ftyp');
  expect(demo.out).toContain(`  Saved   ${out}`);
  expect(demo.out.join()).not.toContain('http');
});

it('no command takes the token of the operator as an option', async () => {
  const doctor = npmRun('doctor', ['--url', 'http://127.0.0.1:1', '--admin-token', 'a-token']);
  expect(await doctor.ended).toEqual([1, null]);
  expect(doctor.err[0]).toBe("error: unknown option '--admin-token'");
});
