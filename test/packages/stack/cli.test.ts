import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { listenOn } from '#stack/listen.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { SOUNDS } from '../../support/sounds.ts';
import { TestHost, VIDEO } from '../../support/test-host.ts';
import { type CliRun, runCli } from './run-cli.ts';

const CLI = join(PROJECT_ROOT, 'packages/client/cli/operator-cli.ts');

let dataDir: string;
let stack: Stack;

const start = () => startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-cli-'));
  stack = await start();
});

afterAll(async () => {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const tickreel = (args: readonly string[], environment: Record<string, string> = {}) =>
  runCli(args, { ...settings(), ...environment });

const settings = () => ({
  XDG_CONFIG_HOME: dataDir,
  TICKREEL_URL: stack.baseUrl,
  TICKREEL_API_KEY: stack.credentials.metered_key,
  TICKREEL_ADMIN_TOKEN: stack.credentials.admin_token,
});

/** Runs it in a process of its own, where that makes a difference. */
function inProcess(args: readonly string[], environment: Record<string, string>, input = ''): Promise<CliRun> {
  const env = { ...bareEnvironment(), PATH: process.env.PATH ?? '', ...settings(), ...environment };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { env }, (error, out, err) => {
      resolve({ status: Number(error?.code ?? 0), out, err });
    });
    child.stdin?.end(input);
  });
}

async function json(args: readonly string[], environment?: Record<string, string>): Promise<Record<string, unknown>> {
  const run = await tickreel(args, environment);
  expect(run).toMatchObject({ status: 0, err: '' });
  return JSON.parse(run.out);
}

async function submitted(name: string): Promise<string> {
  const job = await json(['submit', `https://demos.example.com/${name}.dem`, '--player', '1']);
  return String(job.job_id);
}

describe('the command line', () => {
  it('registers a host, pauses, drains, labels and resumes it', async () => {
    const made = await json(['admin', 'registrations', 'create', 'rack 4', '--uses', '1', '--hours', '1']);
    const folder = await mkdtemp(join(tmpdir(), 'tickreel-host-'));
    const environment = {
      ...bareEnvironment(),
      TICKREEL_URL: stack.baseUrl,
      TICKREEL_WORK_DIR: folder,
      TICKREEL_REGISTRATION_TOKEN: String(made.token),
    };
    const register = () =>
      new Promise<string>((resolve) => {
        const main = join(PROJECT_ROOT, 'packages/render-host/main.ts');
        execFile(process.execPath, [main, 'register', '--name', 'gpu-17'], { env: environment }, (_, out) =>
          resolve(out),
        );
      });
    expect(await register()).toMatch(/^Registered as host .*; its token is in .*host-token\.\n$/);
    expect(await register()).toMatch(/^This machine is registered/);
    expect((await stat(join(folder, 'host-token'))).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });

    const only = async (...args: string[]) => {
      const { hosts } = (await json(['admin', 'hosts', ...args])) as { hosts: Record<string, unknown>[] };
      return hosts.find(({ name }) => name === 'gpu-17');
    };
    expect(await only('list')).toMatchObject({ state: 'gone', last_seen: null });
    expect(await only('label', 'gpu-17', 'eu', 'big')).toMatchObject({ labels: ['eu', 'big'] });
    expect(await only('pause', 'gpu-17', '--for', '2h', '--note', 'a driver')).toMatchObject({ note: 'a driver' });
    expect(await only('drain', '--label', 'eu')).toMatchObject({ note: null });
    expect(await only('resume', 'gpu-17')).toMatchObject({ held_until: null });
    expect((await tickreel(['admin', 'hosts', 'drain', '--build', '9'])).status).toBe(2);
    expect((await tickreel(['admin', 'hosts', 'pause', 'gpu-17', '--for', 'ever'])).status).toBe(2);
    expect(await json(['admin', 'registrations', 'list'])).toMatchObject({ registrations: [{ used: 1, uses: 1 }] });
    const called = ['--push-url', 'https://gpu.example.com/grants', '--max-fps', '60', '--max-resolution', '1080'];
    const sent = await json(['admin', 'hosts', 'create', 'called', ...called]);
    expect(sent).toMatchObject({ push_secret: expect.stringMatching(/^whsec_/) });
    await json(['admin', 'hosts', 'revoke', String(sent.host_id)]);
    await json(['admin', 'registrations', 'revoke', String(made.registration_id)]);
  });

  it('uploads a demo of this machine, once, and submits jobs of it', async () => {
    const file = join(dataDir, 'match.dem');
    await writeFile(file, Buffer.alloc(9 * 1024 * 1024, 'demo'));
    const { demo_url } = await json(['uploads', 'add', file]);
    const submitted = await json(['submit', file, '--player', '1']);
    expect(await json(['jobs', 'show', String(submitted.job_id)])).toMatchObject({ payload: { demo_url } });
    const { uploads } = (await json(['uploads', 'list'])) as { uploads: { id: string; state: string }[] };
    expect(uploads).toMatchObject([{ name: 'match.dem', state: 'complete', demo_url }]);
    await json(['uploads', 'delete', uploads[0]?.id ?? '']);
    const nowhere = await tickreel(['submit', 'no-such.dem', '--player', '1']);
    expect(nowhere).toMatchObject({ status: 2, err: expect.stringContaining('no-such.dem is no http(s) URL') });
  });

  it('uploads a watermark and music, and submits a job with both', async () => {
    const file = join(dataDir, 'logo.png');
    await writeFile(file, createCanvas(8, 4).toBuffer('image/png'));
    const asset = await json(['assets', 'upload', file]);
    expect(asset).toMatchObject({ kind: 'watermark', name: 'logo.png', width: 8, height: 4 });
    const id = String(asset.id);
    const song = join(dataDir, 'song.opus');
    await writeFile(song, SOUNDS.opus);
    const { id: music } = await json(['assets', 'upload', song, '--kind', 'music']);
    expect(await json(['assets', 'list'])).toMatchObject({ assets: [{ id: music, seconds: 0.5 }, { id }] });
    const named = ['--watermark', id, '--music', String(music)];
    const submitted = await json(['submit', 'https://demos.example.com/a.dem', '--player', '1', ...named]);
    expect(await json(['jobs', 'show', String(submitted.job_id)])).toMatchObject({
      payload: { watermark_image_id: id, music_asset_id: music },
    });
  });

  it('stores an address and a key that the service accepts, for later calls', async () => {
    const unset = { TICKREEL_URL: '', TICKREEL_API_KEY: '' };
    expect(await inProcess(['login'], unset, `${stack.baseUrl}\nwrong\n`)).toMatchObject({ status: 1 });
    const key = stack.credentials.metered_key;
    expect(await inProcess(['login'], unset, `${stack.baseUrl}\n${key}\n`)).toMatchObject({ status: 0, out: '' });
    expect((await stat(join(dataDir, 'tickreel/config.json'))).mode & 0o777).toBe(0o600);
    expect(await json(['jobs', 'list', '--limit', '1'], unset)).toMatchObject({ jobs: expect.any(Array) });
  });

  it('rebuilds an index after the stack was killed and its database replaced by an older one', async () => {
    const before = await submitted('before');
    const [d1, backup] = [join(dataDir, 'd1'), join(dataDir, 'd1-of-before')];
    await stack.stop();
    await cp(d1, backup, { recursive: true });
    stack = await start();
    const changed = [before, await submitted('one'), await submitted('two'), await submitted('three')];
    // An unfinished job would write its row itself.
    for (const id of changed) await json(['jobs', 'cancel', id]);
    const listed = async () => (await json(['jobs', 'list', '--status', 'error'])).jobs as { id: string }[];
    const ids = async () => (await listed()).map(({ id }) => id);
    await expect.poll(ids).toEqual(expect.arrayContaining(changed));
    await stack.stop();
    await rm(d1, { recursive: true });
    await cp(backup, d1, { recursive: true });
    stack = await start();
    expect((await ids()).filter((id) => changed.includes(id))).toEqual([]);
    const run = await tickreel(['admin', 'reindex', '--folder', dataDir]);
    expect(JSON.parse(run.out)).toMatchObject({ indexed: 4, failed: [] });
    expect(await ids()).toEqual(expect.arrayContaining(changed));
    expect(await json(['admin', 'reindex', '--folder', dataDir])).toMatchObject({ indexed: 0 });
    expect((await tickreel(['admin', 'reindex', '--folder', tmpdir()])).status).toBe(2);
    expect((await tickreel(['admin', 'reindex'])).status).toBe(2);
    expect(await json(['admin', 'clips', 'check'])).toEqual({ checked: 0, resubmitted: 0, lost: [] });
  });

  it('bills and exports an account, and leaves no half export', async () => {
    const { account_id } = await json(['admin', 'accounts', 'create', '=1+1']);
    const account = String(account_id);
    const asOwner = { TICKREEL_API_KEY: String((await json(['admin', 'keys', 'create', account, 'metered'])).key) };
    const logo = join(dataDir, 'export.png');
    await writeFile(logo, createCanvas(8, 4).toBuffer('image/png'));
    const asset = await json(['assets', 'upload', logo], asOwner);
    const demo = join(dataDir, 'export.dem');
    await writeFile(demo, 'a demo');
    const upload = await json(['uploads', 'add', demo], asOwner);
    const sent = await json(['submit', 'https://demos.example.com/a.dem', '--player', '1'], asOwner);
    const { token } = await json(['admin', 'hosts', 'create', 'made by hand']);
    const host = new TestHost(String(token), (path, init) => fetch(stack.baseUrl + path, init));
    await host.complete(await host.claimJob(String(sent.job_id)), { duration: 7.5 });

    const bill = ['admin', 'usage', '--from', '2026-01-01', '--account', account];
    const line = { account_id, account_name: '=1+1', rendered_seconds: 7.5, runs: 1, state: 'open' };
    await expect.poll(() => json(bill)).toMatchObject({ usage: [line], final_before: expect.any(String) });
    const { out } = await tickreel([...bill, '--csv']);
    expect(out).toMatch(new RegExp(`^day,account_id,.*\n.*,${account},'=1\\+1,metered,.*,7.5,1,open\n$`));
    expect((await tickreel(['admin', 'usage', '--to', 'tomorrow'])).status).toBe(1);

    const folder = join(dataDir, 'export');
    const exported = ['admin', 'accounts', 'export', account, '--out', folder];
    await stack.stop();
    expect(await tickreel(exported)).toMatchObject({ status: 3 });
    expect(await readdir(folder)).toEqual([]);
    stack = await start();
    const run = await tickreel([...exported, '--files']);
    const records = (await readFile(join(folder, 'account.jsonl'), 'utf8')).trimEnd().split('\n');
    const { id } = Object(records.map((one) => JSON.parse(one)).find(({ table }) => table === 'jobs')).clip;
    expect(JSON.parse(run.out)).toMatchObject({ records: records.length, files: 4 });
    expect(run.err).toContain(`${records.length} records, 4 files`);
    const uploaded = String(upload.demo_url).split('/').at(-1);
    const saved = [`assets/${asset.id}`, `clips/${id}.jpg`, `clips/${id}.mp4`, `uploads/${uploaded}`];
    const found = await readdir(folder, { recursive: true });
    expect(found.sort()).toEqual(['account.jsonl', 'assets', 'clips', 'uploads', ...saved].sort());
    expect(await readFile(join(folder, `assets/${asset.id}`))).toEqual(await readFile(logo));
    expect(new Uint8Array(await readFile(join(folder, `clips/${id}.mp4`)))).toEqual(VIDEO);
  });

  it('reads the platform’s list of objects page by page, from where it was interrupted', async () => {
    const asked: string[] = [];
    const pages: Record<string, unknown> = {
      '?page=1&per_page=100': { result: [{ id: 'other', class: 'RenderJob', script: 'other' }] },
      '?page=2&per_page=100': { result: [{ id: 'ours', class: 'RenderJob', script: 'clips' }] },
      '/ours/objects?limit=100&cursor=here': {
        result: [{ id: 'f'.repeat(64) }, { id: 'e'.repeat(64), hasStoredData: false }],
        result_info: { cursors: { after: 'there' } },
      },
      '/ours/objects?limit=100&cursor=there': { result: [], result_info: { cursors: {} } },
    };
    const platform = createServer(({ url = '', headers }, response) => {
      const path = url.replace('/accounts/mine/workers/durable_objects/namespaces', '');
      asked.push(`${headers.authorization} ${path}`);
      response.end(JSON.stringify(pages[path]));
    });
    const port = await listenOn(platform, 0);
    const environment = {
      CLOUDFLARE_ACCOUNT_ID: 'mine',
      CLOUDFLARE_API_TOKEN: 'a-token',
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
    };
    const run = await tickreel(['admin', 'reindex', '--script', 'clips', '--after', 'here'], environment);
    platform.close();
    // An id that this namespace did not assign.
    expect(JSON.parse(run.out)).toEqual({ indexed: 0, current: 0, empty: 0, failed: ['f'.repeat(64)] });
    expect(run.err).toContain('go on with --after there');
    expect(asked).toEqual(Object.keys(pages).map((path) => `Bearer a-token ${path}`));
  });

  it('has an exit status for each kind of error', async () => {
    expect((await tickreel(['submit', 'https://d.example/a.dem', '--player', '1', '--round', 'abc'])).status).toBe(2);
    expect((await tickreel(['jobs', 'show'])).status).toBe(2);
    expect((await tickreel(['usage'], { TICKREEL_API_KEY: '', TICKREEL_CONFIG: 'none' })).status).toBe(2);
    expect((await tickreel(['jobs', 'list'], { TICKREEL_API_KEY: 'wrong' })).status).toBe(1);
    expect((await tickreel(['jobs', 'list'], { TICKREEL_URL: 'http://127.0.0.1:1' })).status).toBe(3);
    expect((await tickreel(['jobs', 'watch', 'j'], { TICKREEL_URL: 'http://127.0.0.1:1' })).status).toBe(3);
    expect((await tickreel(['listen'], { TICKREEL_URL: 'http://127.0.0.1:1' })).status).toBe(3);
  });

  it.each([
    ['packages/client/cli/operator-cli.ts', 'completion', 'bash'],
    ['test/demo-writer/cli.ts', 'pipe.dem', '--rounds', '1'],
    ['packages/render-host/main.ts', 'doctor'],
  ])('%s ends without an error when its reader closes the pipe', async (file, ...args) => {
    const program = [join(PROJECT_ROOT, file), ...args];
    const child = spawn(process.execPath, program, { cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [err, [, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ err, signal }).toEqual({ err: '', signal: null });
  });

  it('an interrupted download leaves no partial file', async () => {
    const storage = createServer((_, response) => void response.writeHead(200).write('x'));
    const url = `http://127.0.0.1:${await listenOn(storage, 0)}`;
    const folder = await mkdtemp(join(tmpdir(), 'tickreel-download-'));
    const program = ['packages/client/cli/operator-cli.ts', 'clips', 'download', 'c', join(folder, 'clip.mp4')];
    const env = { ...process.env, TICKREEL_URL: url, TICKREEL_API_KEY: 'k' };
    const child = spawn(process.execPath, program, { cwd: PROJECT_ROOT, env });
    await expect.poll(() => readdir(folder)).toEqual([expect.stringMatching(/\.part$/)]);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
    expect(await readdir(folder)).toEqual([]);
    storage.close().closeAllConnections();
    await rm(folder, { recursive: true });
  });

  it('replaces a file only by a complete download', async () => {
    const clip = 'x'.repeat(100_000);
    let cutAfter = 50_000;
    const storage = createServer((_, response) => {
      response.writeHead(200, { 'Content-Length': clip.length });
      response.write(clip.slice(0, cutAfter), () => (cutAfter < clip.length ? response.destroy() : response.end()));
    });
    const environment = { TICKREEL_URL: `http://127.0.0.1:${await listenOn(storage, 0)}` };
    const folder = await mkdtemp(join(tmpdir(), 'tickreel-download-'));
    const file = join(folder, 'clip.mp4');
    await writeFile(file, 'what was there');
    await symlink(file, join(folder, 'link.mp4'));
    const download = (to: string) => inProcess(['clips', 'download', 'c', to], environment);
    expect(await download(file)).toMatchObject({ status: 3, err: expect.stringContaining('clip.mp4') });
    expect(await readdir(folder)).toEqual(['clip.mp4', 'link.mp4']);
    expect(await readFile(file, 'utf8')).toBe('what was there');
    cutAfter = clip.length;
    expect(await download(join(folder, 'link.mp4'))).toMatchObject({ status: 0 });
    expect(await readFile(file, 'utf8')).toBe(clip);
    expect(await readdir(folder)).toEqual(['clip.mp4', 'link.mp4']);
    storage.close();
    await rm(folder, { recursive: true });
  });
});
