import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import * as z from 'zod';
import { bundleWorker } from '../local/bundle-worker.ts';
import { migrate } from '../local/migrate.ts';
import { freePort, RUNTIME } from '../local/service.ts';
import { PART_BYTES } from '../protocol/gateway.ts';
import { heapOf } from './runtime.ts';

/**
 * How much memory the isolate has while hosts send it twelve whole parts of 8 MiB at once. Each is held when all but
 * its last chunk is sent: what a Worker keeps of a part, it has then. A Worker of three lines that hands the body
 * straight to R2 is measured beside ours. The isolate is asked through its inspector, once as it is, and once when what
 * nobody holds any more is collected. Buffers of the runtime itself are no part of either.
 *
 *     npx node bench/uploads.bench.ts
 */
const PARTS = 12;
const CHUNK = 64 * 1024;
const CAPABILITIES = {
  renderer: 'radar',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'bench',
};
const PART = Buffer.alloc(PART_BYTES, 'tickreel');
const SHA256 = createHash('sha256').update(PART).digest('hex');

const BENCH = { name: 'bench', inspectorPort: 0, cf: false } as const;

const Grant = z.looseObject({ job_id: z.string(), lease: z.looseObject({ fence: z.number() }) });
const Begun = z.looseObject({ upload_id: z.string() });
const Account = z.looseObject({ account_id: z.string() });
const Key = z.looseObject({ key: z.string() });
const Host = z.looseObject({ token: z.string() });

/** A service that takes parts. */
interface Target {
  /** Begins an upload, and gives where its part goes. */
  begin(): Promise<string>;
  readonly token: string;
  readonly runtime: Miniflare;
}

const TARGETS: Record<string, (dataDir: string) => Promise<Target>> = {
  'three lines': bareWorker,
  'this service': service,
};
console.log('| Worker | with 1 part held | with 12 | with 12, collected | kept of each |');
console.log('| --- | --- | --- | --- | --- |');
for (const [name, start] of Object.entries(TARGETS)) {
  const [one, all] = [await heapWith(1, start), await heapWith(PARTS, start)];
  const each = (all.collected - one.collected) / (PARTS - 1);
  console.log(`| ${name} | ${mib(one.found)} | ${mib(all.found)} | ${mib(all.collected)} | ${mib(each)} |`);
}

/** Bytes of the isolate while so many parts are held: as found, and after a collection. */
async function heapWith(
  count: number,
  start: (dataDir: string) => Promise<Target>,
): Promise<{ found: number; collected: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-bench-'));
  const target = await start(dataDir);
  try {
    const urls = await Promise.all(Array.from({ length: count }, () => target.begin()));
    const requests = await Promise.all(urls.map((url) => sendAllButLast(url, target.token)));
    // What was sent is under way through sockets and pipes for a moment.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const { found, collected } = await heapOf(target.runtime, BENCH.name);
    await Promise.all(requests.map(finish));
    return { found, collected };
  } finally {
    await target.runtime.dispose();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function bareWorker(dataDir: string): Promise<Target> {
  const script = `export default { async fetch(request, { CLIPS }) {
    const id = new URL(request.url).searchParams.get('id');
    if (id === null) return new Response((await CLIPS.createMultipartUpload('clip')).uploadId);
    await CLIPS.resumeMultipartUpload('clip', id).uploadPart(1, request.body);
    return new Response('stored');
  } }`;
  const runtime = new Miniflare({ ...BENCH, modules: true, script, r2Buckets: ['CLIPS'], r2Persist: dataDir });
  const url = String(await runtime.ready);
  const begin = async () => `${url}?id=${encodeURIComponent(await (await fetch(url)).text())}`;
  return { token: '', begin, runtime };
}

async function service(dataDir: string): Promise<Target> {
  const port = await freePort(0);
  const baseUrl = `http://127.0.0.1:${port}`;
  const variables = { BASE_URL: baseUrl, ENVIRONMENT: 'local', ACCEPTED_DEMO_DOMAINS: '*', LOG_LEVEL: 'error' };
  const secrets = { ADMIN_TOKEN: 'a-token-for-this-bench-of-32-characters', CLIP_ID_SECRET: 'x'.repeat(32) };
  const runtime = new Miniflare({
    ...BENCH,
    port,
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleWorker() }],
    ...RUNTIME,
    bindings: { ...variables, ...secrets },
    d1Persist: join(dataDir, 'd1'),
    r2Persist: join(dataDir, 'r2'),
    durableObjectsPersist: join(dataDir, 'objects'),
  });
  await runtime.ready;
  await migrate(await runtime.getD1Database('DB'));
  const admin = (path: string, body: object) => post(`${baseUrl}/admin/${path}`, secrets.ADMIN_TOKEN, body);
  const { account_id } = Account.parse(await admin('accounts', { name: 'bench' }));
  const { key } = Key.parse(await admin(`accounts/${account_id}/keys`, { kind: 'metered' }));
  const { token } = Host.parse(await admin('hosts', { name: 'bench' }));
  return { token, begin: () => beginUpload(baseUrl, key, token), runtime };
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

async function beginUpload(baseUrl: string, key: string, token: string): Promise<string> {
  const gateway = (path: string, body: object) => post(`${baseUrl}/gateway/v1/${path}`, token, body);
  await post(`${baseUrl}/api/clips`, key, { demo_url: 'https://demos.example.com/a.dem', steam64_id: '1' });
  const { job_id, lease } = Grant.parse(await gateway('claim', { capabilities: CAPABILITIES, wait_s: 20 }));
  const { fence } = lease;
  await gateway(`jobs/${job_id}/heartbeat`, { fence, phase: 'render', progress: 0 });
  const { upload_id } = Begun.parse(await gateway(`jobs/${job_id}/uploads`, { fence, file: 'video' }));
  const query = new URLSearchParams({ fence: `${fence}`, file: 'video', upload_id, part: '1', sha256: SHA256 });
  return `${baseUrl}/gateway/v1/jobs/${job_id}/uploads/part?${query}`;
}

async function post(url: string, token: string, body: object): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
  return response.status === 204 ? null : response.json();
}

async function sendAllButLast(url: string, token: string): Promise<ClientRequest> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Length': PART_BYTES };
  const upload = request(url, { method: 'PUT', headers });
  // Where the runtime goes first, `finish` is not waited for.
  upload.on('error', () => {});
  for (let at = 0; at < PART_BYTES - CHUNK; at += CHUNK) {
    if (!upload.write(PART.subarray(at, at + CHUNK))) await new Promise((resolve) => upload.once('drain', resolve));
  }
  return upload;
}

function finish(upload: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    upload.on('error', reject).on('response', (response) => {
      response.resume();
      if (response.statusCode === 200) response.on('end', resolve);
      else reject(new Error(`a part was answered with ${response.statusCode}`));
    });
    upload.end(PART.subarray(PART_BYTES - CHUNK));
  });
}
