import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formatSecret } from '#domain/account/secret-key.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { publicVariables } from '#stack/public-variables.ts';
import { freePort } from '#stack/service.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { createApi, send } from '../../conformance/support/api.ts';
import { PICTURES } from '../../support/pictures.ts';
import { hostAt, VIDEO } from '../../support/test-host.ts';

const GUESSES = 3;
const CADDY = '/usr/bin/caddy';
const isMissing = !existsSync(CADDY);
if (isMissing && process.env.CI) throw new Error(`There is no ${CADDY}: apt-get install caddy.`);

/** The first example of Caddy's manual, and our sample. PORT is Caddy's own port, 8787 the stack's. */
const SITES = {
  plain: ':PORT\nreverse_proxy 127.0.0.1:8787\n',
  sample: readFileSync(join(PROJECT_ROOT, 'tools/deploy/one-machine/Caddyfile'), 'utf8')
    .replace('{$TICKREEL_DOMAIN:clips.your-domain.dev} {', ':PORT {')
    .replace('/var/log/caddy', 'FOLDER'),
};

let folder: string;
let port: number;
let stack: Stack;
/** The path at which the runtime's development server serves a private image to anybody. */
let image: string;
const beforeReady: (number | 'closed')[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-proxies-'));
  port = await freePort(0);
  const variables = {
    ...publicVariables('https://clips.somebody.dev', { demoDomains: '*' }),
    LOG_LEVEL: 'error',
    LIMIT_KEY_GUESSES: String(GUESSES),
  };
  const options = { port, dataDir: join(folder, 'data'), hosts: 0, timeScale: 1, logLevel: 'silent', variables };
  let isReady = false;
  const starting = startStack(options).finally(() => {
    isReady = true;
  });
  while (!isReady) {
    const asked = fetch(`http://127.0.0.1:${port}/api/jobs`, { headers: { Authorization: `Bearer ${noKey(1)}` } });
    beforeReady.push(
      await asked.then(
        ({ status }) => status,
        () => 'closed',
      ),
    );
  }
  stack = await starting;
  const { metered_key, account_id } = stack.credentials;
  const headers = { Authorization: `Bearer ${metered_key}`, 'Content-Type': 'image/png' };
  const url = `${stack.baseUrl}/api/assets?kind=watermark`;
  const { body } = await send(url, { method: 'POST', headers, body: PICTURES.png });
  image = `local/r2/public/tickreel-assets/assets/${account_id}/${body.id}`;
});

afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns a well-formed key that does not exist. */
const noKey = (seed: number) => formatSecret('metered', new Uint8Array(64).fill(seed)) ?? '';

/** The service remembers which keys do not exist: each guess needs a new one. */
let nextSeed = 2;

/** Sends the path unchanged: `fetch` would normalize it and set its own `Host`. */
function ask(through: number, path: string, headers: Record<string, string> = {}, from = '127.0.0.1') {
  return new Promise<[number, Buffer]>((resolve, reject) => {
    const whole = { Host: 'localhost', ...headers };
    const asked = request({ port: through, path, headers: whole, agent: false, localAddress: from });
    asked.once('error', reject).once('response', async (response) => {
      resolve([response.statusCode ?? 0, Buffer.concat(await response.toArray())]);
    });
    asked.end();
  });
}

async function startCaddy(kind: keyof typeof SITES) {
  const home = join(folder, kind);
  await mkdir(home);
  const own = await freePort(0);
  const text = `{\n\tadmin off\n\tauto_https off\n}\n${SITES[kind]}`
    .replace('PORT', String(own))
    .replace('FOLDER', home)
    .replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`);
  const config = join(home, 'config');
  await writeFile(config, text);
  const child = spawn(CADDY, ['run', '--adapter', 'caddyfile', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`Caddy ended: ${output}`);
      const socket = connect(own, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    },
    { timeout: 30_000, interval: 20 },
  );
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { baseUrl: `http://127.0.0.1:${own}`, port: own, stop };
}

it('nothing is answered before the database is migrated', () => {
  expect(new Set(beforeReady).has('closed')).toBe(true);
  expect(beforeReady.filter((status) => status !== 'closed' && status >= 500)).toEqual([]);
});

describe.skipIf(isMissing).each(['plain', 'sample'] as const)('behind Caddy with a %s configuration', (kind) => {
  let proxy: Awaited<ReturnType<typeof startCaddy>>;
  beforeAll(async () => {
    proxy = await startCaddy(kind);
  });
  afterAll(() => proxy?.stop());

  it('no request reaches the development server of the runtime', async () => {
    const spellings = ['/cdn-cgi', '//cdn-cgi', '/%63dn-cgi', '/CDN-CGI', '/x/../cdn-cgi', '/x/%2e%2e/cdn-cgi'];
    for (const start of [...spellings, '/cdn-cgi//../cdn-cgi', '/%2563dn-cgi', '/x\\..\\cdn-cgi']) {
      const [status, body] = await ask(proxy.port, `${start}/${image}`);
      expect([400, 404], `${start}: ${body.subarray(0, 80)}`).toContain(status);
    }
    const robots = await ask(proxy.port, '/robots.txt');
    expect(robots[0]).toBe(200);
    for (const headers of [{ 'MF-Original-URL': 'http://x/admin/overview' }, { 'mf-cf-blob': '{' }]) {
      expect(await ask(proxy.port, '/robots.txt', headers)).toEqual(robots);
    }
    const moved = { 'MF-Original-URL': `http://127.0.0.1/cdn-cgi/${image}` };
    expect(await ask(proxy.port, '/robots.txt', moved)).toEqual(robots);
  });

  it('a job is submitted, followed and claimed, its files are uploaded, and a range of its video is played', async () => {
    const api = createApi(proxy.baseUrl, stack.credentials.metered_key);
    const host = hostAt(proxy.baseUrl, stack.credentials.host_token);
    const held = host.claim({}, 20);
    const jobId = await api.submit({ demo_url: 'https://faceit.com/a.dem', steam64_id: '76561198000000001' });
    const headers = { Authorization: `Bearer ${api.key}` };
    const following = await fetch(`${proxy.baseUrl}/api/jobs/${jobId}/events`, { headers });
    const events = following.body?.pipeThrough(new TextDecoderStream()).getReader();
    // The first event comes long before the job ends.
    expect((await events?.read())?.value).toContain('data: ');
    const grant = (await held) ?? (await host.claim({}, 20));
    if (grant?.job_id !== jobId) throw new Error(`${grant?.job_id} was granted instead of ${jobId}`);
    await host.begin(grant);
    await host.complete(grant);
    let text = '';
    for (let next = await events?.read(); next && !next.done; next = await events?.read()) text += next.value;
    expect(text).toContain('"status":"done"');
    const { clip_id } = await api.job(jobId);
    const range = { Range: 'bytes=1000-20999' };
    const answer = await fetch(`${proxy.baseUrl}/clips/${clip_id}/video.mp4`, { headers: range });
    expect([answer.status, answer.headers.get('Content-Range')]).toEqual([206, `bytes 1000-20999/${VIDEO.byteLength}`]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(VIDEO.subarray(1000, 21_000)));
  });

  // The sample sets X-Real-IP; a plain configuration passes on the client's own.
  const outcome = kind === 'sample' ? 'is limited by the address that the proxy sees' : 'chooses an address each time';
  it(`a client that guesses at keys ${outcome}`, async () => {
    const statuses: number[] = [];
    for (let guess = 0; guess <= GUESSES; guess++) {
      const headers = { Authorization: `Bearer ${noKey(nextSeed++)}`, 'X-Real-IP': `192.0.2.${guess}` };
      statuses.push((await ask(proxy.port, '/api/jobs', headers, '127.0.0.2'))[0]);
    }
    expect(statuses.at(-1)).toBe(kind === 'sample' ? 429 : 401);
  });
});
