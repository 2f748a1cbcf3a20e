import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTickreel, type Tickreel } from '#client/index.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { backUp, paused } from '#stack/backup.ts';
import { backupTimes } from '#stack/backups.ts';
import { runtimesOn } from '#stack/data-lock.ts';
import { listenOn } from '#stack/listen.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { childrenOf, isStopped } from '#stack/processes.ts';
import { publicVariables } from '#stack/public-variables.ts';
import { restore } from '#stack/restore.ts';
import { OPERATOR, STRICT } from '#stack/service.ts';
import { startStack } from '#stack/stack.ts';
import { createApi } from '../../conformance/support/api.ts';
import { SHORT_CLIP, writeShortDemo } from '../../support/short-demo.ts';
import { hostAt } from '../../support/test-host.ts';

const PUBLIC_URL = 'https://clips.somebody.dev';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'one-machine-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the program of `npm run stack` as a process. */
function runStack(...args: readonly string[]) {
  const program = ['packages/stack/stack-cli.ts', '--port', '0', '--data', join(folder, 'data'), ...args];
  const child = spawn(process.execPath, program, { cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const err: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => err.push(line));
  return { child, err, ended: once(child, 'close'), line: once(createInterface({ input: child.stdout }), 'line') };
}

describe('a stack that serves others', () => {
  it('needs the domains of demos, and refuses settings for trying things out', async () => {
    const domains = { demoDomains: 'faceit.com' };
    expect(() => publicVariables(PUBLIC_URL, {})).toThrow('--public-url needs --demo-domains');
    expect(() => publicVariables('https://tickreel.example.com', domains)).toThrow('only an example');
    const file = join(folder, 'variables.env');
    await writeFile(file, '# kept for long\nCLIP_TTL_DAYS=7\nTICKREEL_HOSTS=2\n');
    expect(publicVariables(`${PUBLIC_URL}/`, { ...domains, file })).toMatchObject({
      ENVIRONMENT: 'production',
      BASE_URL: PUBLIC_URL,
      ACCEPTED_DEMO_DOMAINS: 'faceit.com',
      CLIP_TTL_DAYS: '7',
      CLIENT_ADDRESS_HEADER: 'X-Real-IP',
    });
    await writeFile(file, 'ADMIN_TOKEN=x\nENVIRONMENT=local\n');
    expect(() => publicVariables(PUBLIC_URL, { ...domains, file })).toThrow('sets ENVIRONMENT and ADMIN_TOKEN');
    const refused = runStack(
      '--public-url',
      PUBLIC_URL,
      '--demo-domains',
      'faceit.com',
      '--time-scale',
      '0.5',
      '--no-backups',
    );
    expect(await refused.ended).toEqual([1, null]);
    expect(refused.err).toEqual([expect.stringContaining('--time-scale and --lease-s are for trying things out')]);
  });

  it('never calls a name of this machine, which a local stack does', async () => {
    const server = createServer((_, response) => response.end('here'));
    const port = await listenOn(server);
    onTestFinished(() => void server.close());
    const scriptOf = (call: string) => `export default { async fetch(request, env) {
      return new Response(await ${call}('http://localhost:${port}/').then((r) => r.text(), (error) => 'refused: ' + error));
    } }`;
    const ask = async (more: object, call = 'fetch') => {
      const runtime = new Miniflare({
        modules: true,
        script: scriptOf(call),
        cf: false,
        compatibilityDate: '2026-07-01',
        ...more,
      });
      onTestFinished(() => runtime.dispose());
      return (await runtime.dispatchFetch('http://test/')).text();
    };
    expect(await ask({})).toBe('here');
    expect(await ask(STRICT)).toMatch(/^refused/);
    // An address that the operator has set is reachable.
    expect(await ask({ ...STRICT, serviceBindings: { OPERATOR } }, 'env.OPERATOR.fetch')).toBe('here');
  });

  it('revokes the keys of the second account of a folder that was used to try things out', async () => {
    const options = { port: 0, dataDir: join(folder, 'tried'), hosts: 0, timeScale: 1, logLevel: 'silent' };
    const local = await startStack(options);
    const { other_account_key: other = '', metered_key: mine } = local.credentials;
    const statusOf = async ({ baseUrl }: typeof local, key: string) =>
      (await createApi(baseUrl, key).get('/api/jobs')).status;
    expect([await statusOf(local, mine), await statusOf(local, other)]).toEqual([200, 200]);
    await local.stop();
    const stack = await startStack({
      ...options,
      variables: publicVariables(PUBLIC_URL, { demoDomains: 'faceit.com' }),
    });
    onTestFinished(stack.stop);
    expect([await statusOf(stack, mine), await statusOf(stack, other)]).toEqual([200, 401]);
    expect(await readFile(join(options.dataDir, 'credentials.json'), 'utf8')).not.toContain(other);
  });

  it('has one account, shows no secret and no clip of others, is backed up while it works, and ends with its runtime', async () => {
    const dataDir = join(folder, 'data');
    const variables = join(folder, 'metrics.env');
    await writeFile(variables, 'METRICS_TOKEN=a-token-for-scraping\n');
    const served = ['--public-url', PUBLIC_URL, '--demo-domains', 'faceit.com', '--variables', variables];
    const stack = runStack('--hosts', '1', ...served);
    const [line] = await stack.line;
    const kept = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    const { base_url: baseUrl, ...shown } = JSON.parse(line);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const secrets = join(dataDir, 'credentials.json');
    expect(shown).toEqual({ renderer: 'radar', public_url: PUBLIC_URL, account_id: kept.account_id, secrets });
    const client = createTickreel({ baseUrl, apiKey: kept.metered_key });
    // A new process has the stack's name until its own program begins.
    const rendering = () =>
      childrenOf(stack.child.pid ?? Number.NaN).filter(({ command }) => command === process.execPath);
    await expect.poll(rendering).toHaveLength(1);
    const [host] = rendering();
    // Its replacement renders the clip.
    process.kill(host?.pid ?? Number.NaN, 'SIGKILL');
    const content = await openAsBlob(await writeShortDemo(folder));
    const { demo_url } = await client.uploads.send({ name: 'match.dem', content });
    const request = { ...SHORT_CLIP, demo_url };

    const elsewhere = await client.clips.submit({ ...request, demo_url: 'https://demos.somebody.dev/a.dem' });
    expect(await client.jobs.get(elsewhere.job_id)).toMatchObject({ status: 'error', error_code: 'demo_url_rejected' });
    const clip = await client.clips.render(request);
    expect(await (await fetch(baseUrl)).text()).not.toContain(clip.id);

    // Its own backup was begun at the start.
    const metrics = async () =>
      (await fetch(`${baseUrl}/metrics`, { headers: { Authorization: 'Bearer a-token-for-scraping' } })).text();
    const newest = () => backupTimes(join(folder, 'data-backups')).then(([at = 0]) => at / 1000);
    await expect.poll(metrics).toMatch(/^tickreel_backup_done_seconds [1-9]/m);
    expect(await metrics()).toContain(`tickreel_backup_done_seconds ${await newest()}\n`);
    expect(await metrics()).toMatch(/^tickreel_disk_free_bytes [1-9]/m);
    expect(await metrics()).toMatch(/^tickreel_disk_reserve_bytes 536870912$/m);

    const operator = createApi(baseUrl, kept.admin_token);
    const { accounts } = (await operator.get('/admin/accounts')).body as { accounts: { id: string }[] };
    expect(accounts).toHaveLength(1);
    const { hosts } = (await operator.get('/admin/hosts')).body as { hosts: { host_id: string }[] };
    await operator.call('PATCH', `/admin/hosts/${hosts[0]?.host_id}`, { hold: 'paused' });
    const { body: made } = await operator.post('/admin/hosts', { name: 'test' });
    const erased = { name: 'erased-person.dem', bytes: 9, sha256: '0'.repeat(64) };
    const { id } = (await createApi(baseUrl, kept.metered_key).post('/api/uploads', erased)).body;
    expect((await createApi(baseUrl, kept.metered_key).delete(`/api/uploads/${id}`)).status).toBe(204);
    const early = await submitMany(client, request, 5);
    const to = join(folder, 'backup');
    const [late, report] = await Promise.all([submitMany(client, request, 20), backUp(dataDir, to)]);
    expect(report.pausedMs).toBeGreaterThan(0);
    expect(late).toHaveLength(20);
    await expect(backUp(dataDir, to)).rejects.toThrow('is there already');
    const old = await hostAt(baseUrl, String(made.token)).claim({ skills: ['uploads'] }, 20);
    if (old === null) throw new Error('nothing was granted');
    expect(early).toContain(old.job_id);
    expect(await hostAt(baseUrl, String(made.token)).begin(old)).toBe(true);
    const video = await bytesOf(baseUrl, clip.id);
    const [runtime = Number.NaN] = await runtimesOn(dataDir);
    expect(isStopped(runtime)).toBe(false);
    process.kill(runtime, 'SIGKILL');
    expect(await stack.ended).toEqual([1, null]);
    expect(stack.err.at(-1)).toBe('The stack could not run: its runtime has ended');
    expect(stack.err.filter((line) => line.includes('Warning'))).toEqual([]);

    const all = [elsewhere.job_id, ...early, ...late];
    await restores(to, { clipId: clip.id, video, early, all, old, hostToken: String(made.token) });
  });
});

interface BackedUp {
  readonly clipId: string;
  readonly video: Buffer;
  /** Jobs that were submitted before the backup. */
  readonly early: readonly string[];
  readonly all: readonly string[];
  /** A lease that was granted after the backup. */
  readonly old: Grant;
  readonly hostToken: string;
}

/**
 * Checks that everything from before the backup exists, that the index agrees with the jobs, and that work continues.
 */
async function restores(backup: string, was: BackedUp): Promise<void> {
  const dataDir = join(folder, 'restored');
  expect(await restore(backup, dataDir, false)).toMatchObject({ movedTo: null });
  expect((await readdir(dataDir)).sort()).toEqual(['credentials.json', 'd1', 'objects', 'r2', 'version.json']);
  const kept = await Promise.all((await filesBelow(backup)).map((path) => readFile(path, 'latin1')));
  expect(kept.some((text) => text.includes('erased-person'))).toBe(false);
  for (const path of [dataDir, join(dataDir, 'd1'), join(dataDir, 'objects')]) {
    expect((await stat(path)).mode & 0o777, path).toBe(0o700);
  }
  const alert = Promise.withResolvers<{ firing: Record<string, string> }>();
  const receiver = createServer(async (request, response) => {
    alert.resolve((await json(request)) as Awaited<typeof alert.promise>);
    response.end();
  });
  const alerts = `http://127.0.0.1:${await listenOn(receiver)}/`;
  onTestFinished(() => void receiver.close());
  const served = publicVariables(PUBLIC_URL, { demoDomains: 'faceit.com' });
  const variables = { ...served, LOG_LEVEL: 'error', ALERT_WEBHOOK_URL: alerts };
  const failure = Promise.withResolvers<string>();
  const write = process.stderr.write;
  vi.spyOn(process.stderr, 'write').mockImplementation((...args: Parameters<typeof write>) => {
    if (!String(args[0]).startsWith('There is no backup')) return write.apply(process.stderr, args);
    failure.resolve(String(args[0]));
    return true;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const backups = '/dev/null/backups';
  const options = { port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent', variables, backups };
  const stack = await startStack(options);
  onTestFinished(stack.stop);
  const { baseUrl, credentials } = stack;
  const client = createTickreel({ baseUrl, apiKey: credentials.metered_key });
  expect(await bytesOf(baseUrl, was.clipId)).toEqual(was.video);
  // A job writes its pending row now.
  const listed = await vi.waitFor(async () => {
    const { jobs } = await client.jobs.list({ limit: 100 }).page();
    for (const { id, status } of jobs) expect((await client.jobs.get(id)).status, id).toBe(status);
    const there = await Promise.all(was.all.map((id) => client.jobs.get(id).catch(() => null)));
    expect(there.filter((job) => job !== null)).toHaveLength(jobs.length - 1);
    return jobs.map(({ id }) => id);
  }, 90_000);
  expect(listed).toEqual(expect.arrayContaining([...was.early]));
  const worker = await (stack.runtime as Miniflare).getWorker();
  expect(await failure.promise).toContain('/dev/null/backups');
  expect(await worker.scheduled({})).toMatchObject({ outcome: 'ok' });
  const { firing } = await alert.promise;
  expect(Object.keys(firing)).toEqual(['NoHosts', 'BackupFailed']);
  expect(firing.BackupFailed).toContain('The last backup failed: There is no backup: ');

  const host = hostAt(baseUrl, was.hostToken);
  const now = await host.claim({ skills: ['uploads'] }, 20);
  expect(now?.job_id).toBe(was.old.job_id);
  expect(now?.lease.fence).toBeGreaterThan(was.old.lease.fence);
  expect(await host.begin(was.old)).toBe(false);
  expect(now && (await host.begin(now))).toBe(true);

  const operator = createApi(baseUrl, credentials.admin_token);
  const check = async () => (await operator.post('/admin/clips/check', {})).body;
  expect(await check()).toMatchObject({ checked: 1, lost: [] });
  for (const path of await filesBelow(join(dataDir, 'r2'))) if (path.includes('/blobs/')) await rm(path);
  const missing = ['video', 'thumbnail'];
  expect(await check()).toMatchObject({ checked: 1, lost: [{ clip_id: was.clipId, missing }] });
}

async function submitMany(client: Tickreel, request: Parameters<Tickreel['clips']['submit']>[0], count: number) {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await client.clips.submit(request)).job_id);
  return ids;
}

async function bytesOf(baseUrl: string, clipId: string): Promise<Buffer> {
  const response = await fetch(clipUrls(baseUrl, clipId).video);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function filesBelow(at: string): Promise<string[]> {
  const entries = await readdir(at, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

it('a backup of no stack is refused, and leaves nothing', async () => {
  const cli = (...args: string[]) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, ['packages/stack/backup-cli.ts', ...args], { cwd: PROJECT_ROOT }, (_, __, err) =>
        resolve(err),
      );
    });
  const to = join(folder, 'backups');
  expect(await cli('--data', join(folder, 'nowhere'), '--to', to)).toMatch(
    /^There is no backup: .* is no folder of a stack/,
  );
  await expect(readdir(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
});

it('a backup continues the runtime in time, and fails if it is not done by then', async () => {
  const runtime = spawn('sleep', ['1000']);
  onTestFinished(() => void runtime.kill('SIGKILL'));
  const { pid = Number.NaN } = runtime;
  const tooLong = () => vi.waitUntil(() => !isStopped(pid), 30_000).then(() => {});
  await expect(paused([pid], tooLong, 0.1)).rejects.toThrow('longer than the service may be paused, 0.1 s');
  // A service manager that ends the backup ends all that it has started.
  const before = new Set(childrenOf(process.pid).map((child) => child.pid));
  const ended = async () => {
    const [guard, ...others] = childrenOf(process.pid).filter((child) => !before.has(child.pid));
    expect([guard?.command, others]).toEqual(['sh', []]);
    process.kill(-(guard?.pid ?? Number.NaN), 'SIGTERM');
    await tooLong();
  };
  await expect(paused([pid], ended, 1000)).rejects.toThrow('longer than');
  expect(await paused([pid], async () => expect(isStopped(pid)).toBe(true))).toBeGreaterThan(0);
  await vi.waitUntil(() => !isStopped(pid), 30_000);
});
