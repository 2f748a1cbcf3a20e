import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { formatSecret } from '#domain/account/secret-key.ts';
import { CAPABILITIES } from '../support/test-host.ts';

/**
 * Does with one account of `npm run stack` what could hurt others, and prints what got through, by how much memory and
 * disk grew, and how another account fared meanwhile. The argument is the checkout whose stack runs: the present one by
 * default. Reads /proc, so it needs Linux.
 */
const [root = process.cwd()] = process.argv.slice(2);
const MIB = 1024 * 1024;
const data = await mkdtemp(join(tmpdir(), 'tickreel-account-'));
const args = ['--port', '0', '--data', data, '--hosts', '0', '--time-scale', '0.001'];
const child = spawn(process.execPath, [join(root, 'packages/stack/stack-cli.ts'), ...args], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [ready] = await once(createInterface({ input: child.stdout }), 'line');
const { base_url: url, admin_token, host_token } = JSON.parse(String(ready));
const { hostname, port } = new URL(url);

let received = { posts: 0, bytes: 0 };
const stranger = createServer(async (request, response) => {
  for await (const chunk of request) received.bytes += chunk.length;
  received.posts++;
  response.writeHead(500).end();
}).listen(0, '127.0.0.1');
await once(stranger, 'listening');
const address = stranger.address();
const hook = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}/hook`;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
async function call(
  token: string,
  method: string,
  path: string,
  body?: object | Uint8Array<ArrayBuffer>,
  headers = {},
) {
  const isBytes = body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(isBytes ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body ? { body: isBytes ? body : JSON.stringify(body) } : {}),
  });
  return { status: response.status, json: await response.json().catch(() => null) };
}

/** Creates an account. Returns its id, and makers of keys. */
async function newAccount(limits?: object) {
  const { json } = await call(admin_token, 'POST', '/admin/accounts', { name: 'soak' });
  const id: string = json.account_id;
  if (limits) await call(admin_token, 'PATCH', `/admin/accounts/${id}`, { limits });
  const key = async (more: object = {}) =>
    (await call(admin_token, 'POST', `/admin/accounts/${id}/keys`, { kind: 'metered', ...more })).json.key as string;
  return { id, key };
}

/** Dials a request, and sends some bytes of its body. Keeps the connection open. */
const held: Socket[] = [];
async function dial(token: string, line: string, headers: object, body: string | Uint8Array = ''): Promise<string> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  held.push(socket);
  const all = { Host: `${hostname}:${port}`, Authorization: `Bearer ${token}`, ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`);
  socket.write(body);
  return Promise.race([
    once(socket, 'data').then(([bytes]) => String(bytes).split(' ')[1] ?? ''),
    once(socket, 'close').then(() => 'closed'),
    pause(4000).then(() => 'held'),
  ]);
}
const hangUp = () => void held.splice(0).forEach((socket) => void socket.destroy());

function countOf(statuses: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
}
const many = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
async function inTurn<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let i = 0; i < count; i++) all.push(await work(i));
  return all;
}

const failing = (more: object = {}) => ({
  demo_url: `https://demo.test/demo_404.dem?${randomUUID()}`,
  steam64_id: '76561198000000001',
  ...more,
});
const refused = (more: object = {}) => ({ ...failing(more), demo_url: `${url}/match.dem` });
const waiting = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001', fps: 119 };
const blob = { blob: 'x'.repeat(250_000) };

/** Waits until the stranger gets nothing more for a while. */
async function settled(): Promise<string> {
  for (let before = -1; before !== received.posts; await pause(3000)) before = received.posts;
  const { posts, bytes } = received;
  received = { posts: 0, bytes: 0 };
  return `the stranger got ${posts} POSTs, ${(bytes / 1e6).toFixed(1)} MB`;
}

/** Returns the headers and the body of a call of a tool. */
function rpc(name: string, args: object): [headers: object, body: string] {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  const headers = { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2025-11-25' };
  return [{ ...headers, 'Content-Length': body.length }, body];
}

const ABUSES: Readonly<Record<string, () => Promise<string>>> = {
  async '1. a batch of a test key, 50 jobs, 250 kB of extras each by `defaults`'() {
    const key = await (await newAccount()).key({ kind: 'test' });
    const clips = Array.from({ length: 50 }, () => failing());
    const { status } = await call(key, 'POST', '/api/clips/batch', {
      defaults: { extras: blob, webhook_url: hook },
      clips,
    });
    return `${status}; ${await settled()}`;
  },
  async '1. 50 jobs of a test key alone, the same extras'() {
    const key = await (await newAccount()).key({ kind: 'test' });
    const sent = await many(50, () => call(key, 'POST', '/api/clips', failing({ extras: blob, webhook_url: hook })));
    return `${countOf(sent.map(({ status }) => status))}; ${await settled()}`;
  },
  async '1. 200 resends of an outcome with 250 kB of extras; 200 tests of a receiver'() {
    const key = await (await newAccount()).key();
    const jobs = await many(4, () => call(key, 'POST', '/api/clips', refused({ extras: blob, webhook_url: hook })));
    await settled();
    const resend = (i: number) => call(key, 'POST', `/api/jobs/${jobs[i % 4]?.json.job_id}/resend-webhook`);
    const resends = await inTurn(200, resend);
    const tests = await inTurn(200, () => call(key, 'POST', '/api/webhooks/test', { webhook_url: hook }));
    return `${[resends, tests].map((all) => countOf(all.map(({ status }) => status))).join('; ')}; ${await settled()}`;
  },
  async '2. 60 jobs of 250 kB, where 10 MiB are allowed'() {
    const key = await (await newAccount({ jobs_mib: 10 })).key();
    const sent = await inTurn(60, (i) =>
      call(key, 'POST', '/api/clips', refused({ extras: blob, idempotency_key: `k${i}` })),
    );
    return countOf(sent.map(({ status }) => status));
  },
  async '3. 400 event streams of a `read` key'() {
    const account = await newAccount();
    const [key, reader] = [await account.key(), await account.key({ scope: 'read' })];
    const jobs = await inTurn(40, () => call(key, 'POST', '/api/clips', waiting));
    const statuses = await many(400, (i) => dial(reader, `GET /api/jobs/${jobs[i % 40]?.json.job_id}/events`, {}));
    await call(admin_token, 'POST', `/admin/accounts/${account.id}/cancel`, {});
    return countOf(statuses);
  },
  async '3. 200 held polls of one host'() {
    const body = JSON.stringify({ capabilities: CAPABILITIES, wait_s: 20 });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    return countOf(await many(200, () => dial(host_token, 'POST /gateway/v1/claim', headers, body)));
  },
  async '3. 50 waiting calls of tools'() {
    const key = await (await newAccount()).key();
    const { json } = await call(key, 'POST', '/api/clips', waiting);
    const answers = await many(50, () =>
      dial(key, 'POST /mcp', ...rpc('watch', { job_id: json.job_id, wait_seconds: 20 })),
    );
    return countOf(answers);
  },
  async '4. 30 uploads of music of 20 MiB that stop before their end'() {
    const key = await (await newAccount()).key();
    const headers = { 'Content-Type': 'audio/mpeg', 'Content-Length': 20 * MIB };
    const answers = many(30, () => dial(key, 'POST /api/assets?kind=music', headers));
    for (let sent = 0; sent < 19; sent++) {
      for (const socket of held) socket.write(new Uint8Array(MIB));
      await pause(1000);
    }
    return countOf(await answers);
  },
  async '5. 70 inspections at once'() {
    const account = await newAccount();
    const key = await account.key();
    const sent = await many(70, () =>
      call(key, 'POST', '/api/demos', { demo_url: `https://demos.example.com/${randomUUID()}.dem` }),
    );
    await call(admin_token, 'POST', `/admin/accounts/${account.id}/cancel`, {});
    return countOf(sent.map(({ status }) => status));
  },
  async '6. one part 700 times; 40 changes of the viewing settings'() {
    const key = await (await newAccount()).key();
    const announced = { name: 'a.dem', bytes: 1000, sha256: randomBytes(32).toString('hex') };
    const { json } = await call(key, 'POST', '/api/uploads', announced);
    const part = () => call(key, 'PUT', `/api/uploads/${json.id}/part?part=1`, new Uint8Array(1000));
    const parts = await inTurn(700, part);
    const changes = await inTurn(40, () => call(key, 'PATCH', '/api/viewing', { show_views: true }));
    return [parts, changes].map((all) => countOf(all.map(({ status }) => status))).join('; ');
  },
  async '7. `inspect_demo` of an agent with a `read` key, of a demo of any address'() {
    const key = await (await newAccount()).key({ scope: 'read' });
    const [headers, body] = rpc('inspect_demo', {
      demo_url: `https://demos.example.com/${randomUUID()}.dem`,
      wait_seconds: 0,
    });
    const { json } = await call(key, 'POST', '/mcp', JSON.parse(body), headers);
    return JSON.stringify(json?.result?.structuredContent?.data ?? json)
      .slice(0, 120)
      .replaceAll('|', ' ');
  },
  async '10. a foreign cookie before that of the console'() {
    const origin = { Origin: url, Authorization: `Bearer ${admin_token}` };
    const begun = await fetch(`${url}/console/session`, { method: 'POST', headers: origin });
    const own = begun.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const foreign = `${own.split('=')[0]}=${'0'.repeat(64)}`;
    const read = await fetch(`${url}/console/session`, { headers: { Cookie: `${foreign}; ${own}` } });
    return String(read.status);
  },
  async '8. made-up keys from the address of the other account, for 40 s'() {
    const ends = Date.now() + 40_000;
    const statuses: number[] = [];
    while (Date.now() < ends) {
      const made = formatSecret('metered', randomBytes(64)) ?? '';
      statuses.push((await call(made, 'GET', '/api/jobs')).status);
      await pause(100);
    }
    return countOf(statuses);
  },
};

/** Returns the resident memory of the stack's processes, in MiB. */
function memory(): number {
  const all = readdirSync('/proc').flatMap((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
      return /^\d+$/.test(pid) ? [{ pid: Number(pid), parent: of('PPid'), kib: of('VmRSS') }] : [];
    } catch {
      return [];
    }
  });
  const own = new Set([child.pid ?? 0]);
  for (let size = 0; size !== own.size; ) {
    size = own.size;
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid);
  }
  return all.reduce((sum, { pid, kib }) => sum + (own.has(pid) ? kib : 0), 0) / 1024;
}
const disk = () =>
  readdirSync(data, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + (statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  ) / MIB;

/** Another account works, in a thread of its own: it reads its jobs and submits, until asked to stop. */
const other = await (await newAccount()).key();
function watch() {
  const begun = Date.now();
  const client = new Worker(new URL('./account-client.ts', import.meta.url), { workerData: { url, key: other } });
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 500);
  return async () => {
    // Long enough for a 95th percentile, and for what is held.
    await pause(Math.max(0, begun + 20_000 - Date.now()));
    clearInterval(looking);
    client.postMessage('end');
    const [{ p95, refused }] = await once(client, 'message');
    return { p95: Number(p95), refused: refused as number[], peak };
  };
}

const quiet = await watch()();
const say = (line: string) => void process.stdout.write(`${line}\n`);
say(`quiet: p95 ${quiet.p95.toFixed(1)} ms, ${quiet.peak.toFixed(0)} MiB\n`);
say('| with one account | what got through | memory | disk | p95 of another | refused to it |');
say('| --- | --- | --- | --- | --- | --- |');
for (const [name, abuse] of Object.entries(ABUSES)) {
  const before = { memory: memory(), disk: disk() };
  const end = watch();
  const through = await abuse().catch((error: unknown) => String(error));
  const { p95, refused: no, peak } = await end();
  hangUp();
  const grown = [peak - before.memory, disk() - before.disk].map((mib) => `+${Math.max(0, mib).toFixed(0)} MiB`);
  say(
    `| ${name} | ${through} | ${grown.join(' | ')} | ${(p95 / quiet.p95).toFixed(1)} × | ${countOf(no) || 'nothing'} |`,
  );
  await pause(2000);
}
stranger.close();
stranger.closeAllConnections();
child.kill('SIGTERM');
await once(child, 'exit');
await rm(data, { recursive: true, force: true });
