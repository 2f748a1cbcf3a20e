import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Miniflare } from 'miniflare';
import { migrate } from '#stack/migrate.ts';
import { bundleWorker, RUNTIME } from '#stack/service.ts';
import { clipRecord, QUIET, VARIABLES } from './clip-record.ts';
import { MACHINE, median, numbersOf, rate, say } from './load.ts';

/**
 * Measures a view against the least that the platform can do: a Worker that answers the same bytes from memory, and one
 * that reads the same range from its cache. Both and the service have a runtime of their own on the same machine. Each
 * round asks one after the other. The ratios of a round are compared, of answers and of processor time for an answer,
 * which does not depend on what else the machine does.
 *
 *     npx node tools/bench/viewers.bench.ts [-- --rounds 31 --seconds 0.3 --connections 32]
 */
const { rounds: ROUNDS, ...LOAD } = numbersOf({ rounds: 31, seconds: 0.3, connections: 32 });

const ID = '11111111-2222-4333-8444-555555555555';
const VIDEO_BYTES = 6_000_000;
const video = Uint8Array.from({ length: VIDEO_BYTES }, (_, i) => (i * 31) & 0xff);
const RECORD = clipRecord(ID, VIDEO_BYTES, 'a'.repeat(64));

/** Starts the service, with the clip in storage. */
async function startService(): Promise<Miniflare> {
  const miniflare = new Miniflare({
    ...QUIET,
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleWorker() }],
    ...RUNTIME,
    bindings: VARIABLES,
  });
  const bucket = await miniflare.getR2Bucket('CLIPS');
  await bucket.put(`records/${ID}.json`, JSON.stringify(RECORD), { customMetadata: { version: '7' } });
  await bucket.put(RECORD.clip.video.key, video);
  await migrate(await miniflare.getD1Database('DB'));
  return miniflare;
}

/** Answers a page from memory, and ranges of a file from the cache. */
function floorWorker(pages: Record<string, Buffer>) {
  const encoded = Object.fromEntries(Object.entries(pages).map(([path, bytes]) => [path, bytes.toString('base64')]));
  const contents = `
    const pages = Object.entries(${JSON.stringify(encoded)}).map(([path, text]) =>
      [path, Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
    const headers = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' };
    const key = 'https://floor.test/video';
    export default {
      async fetch(request) {
        const { pathname } = new URL(request.url);
        const page = pages.find(([path]) => path === pathname);
        if (page && request.method === 'GET') return new Response(page[1], { headers, encodeBody: 'manual' });
        if (request.method === 'PUT') {
          const bytes = await request.arrayBuffer();
          const kept = { 'Content-Length': String(bytes.byteLength), 'Cache-Control': 'public, max-age=86400' };
          await caches.default.put(key, new Response(bytes, { headers: kept }));
          return new Response(null);
        }
        return caches.default.match(new Request(key, { headers: { Range: request.headers.get('Range') } }));
      },
    };`;
  const modules = [{ type: 'ESModule' as const, path: 'floor.mjs', contents }];
  return { compatibilityDate: RUNTIME.compatibilityDate, modules };
}

/** Returns the runtime that Miniflare started last: the newest child of this process. */
function newestChild(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
  return Math.max(...children);
}

/** Returns the processor time of a process in clock ticks, which does not include other processes. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

const service = await startService();
const servicePort = Number((await service.ready).port);
const servicePid = newestChild();
const GZIP = ['Accept-Encoding: gzip'];
const PATHS = { page: `/clips/${ID}`, embed: `/clips/${ID}/embed`, video: `/clips/${ID}/video.mp4?v=7` };
const pages: Record<string, Buffer> = {};
for (const path of [PATHS.page, PATHS.embed]) {
  const response = await service.dispatchFetch(`https://tickreel.test${path}`, {
    headers: { 'Accept-Encoding': 'gzip' },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const gzip = bytes[0] === 0x1f ? bytes : gzipSync(bytes);
  if (!gunzipSync(gzip).includes('<video')) throw new Error('the page has no video');
  pages[path] = gzip;
}
const floor = new Miniflare({ ...QUIET, ...floorWorker(pages) });
const floorPort = Number((await floor.ready).port);
const floorPid = newestChild();
await floor.dispatchFetch('https://floor.test/', { method: 'PUT', body: video });
for (const from of [0, 4_200_000]) {
  const headers = { Range: `bytes=${from}-${from + 9}` };
  await (await service.dispatchFetch(`https://tickreel.test${PATHS.video}`, { headers })).arrayBuffer();
}

const CASES: readonly { what: string; path: string; headers: readonly string[] }[] = [
  { what: 'hot page', path: PATHS.page, headers: GZIP },
  { what: 'hot embed', path: PATHS.embed, headers: GZIP },
  { what: 'hot range of 64 kB', path: PATHS.video, headers: ['Range: bytes=1000000-1065535'] },
  { what: 'hot range of 1 MB', path: PATHS.video, headers: ['Range: bytes=2000000-2999999'] },
  { what: 'hot range over two slices', path: PATHS.video, headers: ['Range: bytes=4000000-4999999'] },
  { what: '  its part in the first', path: PATHS.video, headers: ['Range: bytes=4000000-4194303'] },
  { what: '  its part in the second', path: PATHS.video, headers: ['Range: bytes=4194304-4999999'] },
];
say(`${MACHINE}, ${new Date().toISOString()}`);
say(`load ${loadavg()[0]?.toFixed(1)}; ${LOAD.connections} connections, ${ROUNDS} rounds of ${LOAD.seconds} s each`);
/** Processor time of the service for an answer, in clock ticks. */
const costs: number[] = [];
say('answers a second:                 service     floor   ratio, median of rounds   ratio by processor time');
try {
  for (const { what, path, headers } of CASES) {
    const before = [ticksOf(servicePid), ticksOf(floorPid)] as const;
    const rates: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = await rate({ port: servicePort, path, headers, ...LOAD });
      rates.push([ours, await rate({ port: floorPort, path, headers, ...LOAD })]);
    }
    const sum = (i: 0 | 1) => rates.reduce((total, pair) => total + pair[i], 0);
    const ratio = median(rates.map(([ours, least]) => ours / least));
    const [ours, least] = [(ticksOf(servicePid) - before[0]) / sum(0), (ticksOf(floorPid) - before[1]) / sum(1)];
    costs.push(ours);
    const column = (i: 0 | 1) =>
      median(rates.map((pair) => pair[i]))
        .toFixed(0)
        .padStart(9);
    say(
      `  ${what.padEnd(28)} ${column(0)} ${column(1)}   × ${ratio.toFixed(2).padEnd(22)} × ${(least / ours).toFixed(2)}`,
    );
  }
  const [whole = 0, ...parts] = costs.slice(-3);
  const apart = parts.reduce((sum, cost) => sum + cost, 0);
  say(`processor time of the range over two slices, of that of its two parts: × ${(whole / apart).toFixed(2)}`);
} finally {
  await service.dispose();
  await floor.dispose();
}
