import { get, type IncomingMessage } from 'node:http';
import { Miniflare } from 'miniflare';
import { migrate } from '#stack/migrate.ts';
import { bundleWorker, RUNTIME } from '#stack/service.ts';
import { clipRecord, QUIET, VARIABLES } from './clip-record.ts';
import { median, numbersOf, say } from './load.ts';

/**
 * Measures the first view of a file in a data centre against a Worker that streams the same range from the same bucket.
 * The bucket answers each read after 150 ms, at 10 MB/s. Each view has a clip of its own, whose page was loaded before.
 * Fails if a median takes more than `--most` times as long.
 *
 *     npx node tools/bench/cold-views.bench.ts [--rounds 15 --most 1.2]
 */
const { rounds: ROUNDS, most: MOST } = numbersOf({ rounds: 15, most: 1.2 });
const VIDEO_BYTES = 10_000_000;

/** Delays the bucket of a Worker. All clips have the same record and the same video. */
const SLOW_BUCKET = `
  import worker from './worker.mjs';
  export * from './worker.mjs';
  const FIRST_MS = 150, BYTES_A_MS = 10_000, CHUNK = 65_536;
  let reads = 0;
  async function paced(bytes, writer) {
    const begun = Date.now();
    for (let at = 0; at < bytes.byteLength; at += CHUNK) {
      await scheduler.wait(Math.max(0, begun + Math.min(at + CHUNK, bytes.byteLength) / BYTES_A_MS - Date.now()));
      await writer.write(bytes.slice(at, at + CHUNK));
    }
    await writer.close();
  }
  const slow = (bucket) => ({
    async get(key, options) {
      const [kind, id] = key.split('/');
      if (kind === 'records') return bucket.get('record').then(async (record) => ({
        text: async () => (await record.text()).replaceAll('ID', id.replace('.json', '')),
      }));
      reads++;
      await scheduler.wait(FIRST_MS);
      const bytes = new Uint8Array(await (await bucket.get('video', options)).arrayBuffer());
      const { readable, writable } = new FixedLengthStream(bytes.byteLength);
      paced(bytes, writable.getWriter()).catch(() => {});
      return { body: readable, arrayBuffer: () => new Response(readable).arrayBuffer() };
    },
  });
  export default {
    async fetch(request, env, context) {
      if (new URL(request.url).pathname === '/reads') return new Response(String(reads));
      return worker.fetch(request, { ...env, CLIPS: slow(env.CLIPS) }, context);
    },
  };`;

/** Streams a range from the bucket. */
const PLAIN = `export default {
  async fetch(request, { CLIPS }) {
    const [, first, last] = /bytes=(\\d+)-(\\d+)/.exec(request.headers.get('Range')).map(Number);
    const length = last - first + 1;
    const { body } = await CLIPS.get('clips/x', { range: { offset: first, length } });
    return new Response(body, { status: 206, headers: { 'Content-Length': String(length) } });
  },
};`;

async function start(worker: string): Promise<Miniflare> {
  const miniflare = new Miniflare({
    ...QUIET,
    modules: [
      { type: 'ESModule', path: 'slow.mjs', contents: SLOW_BUCKET },
      { type: 'ESModule', path: 'worker.mjs', contents: worker },
    ],
    ...RUNTIME,
    ...(worker === PLAIN ? { durableObjects: {} } : {}),
    bindings: VARIABLES,
  });
  const bucket = await miniflare.getR2Bucket('CLIPS');
  await bucket.put('record', JSON.stringify(clipRecord('ID', VIDEO_BYTES, 'ID')));
  await bucket.put('video', new Uint8Array(VIDEO_BYTES));
  return miniflare;
}

interface Times {
  readonly first: number;
  readonly last: number;
}

/** Loads a range. Returns the milliseconds to its first and to its last byte. */
async function load(origin: URL, path: string, [from, to]: readonly [number, number]): Promise<Times> {
  const begun = performance.now();
  const headers = { Host: 'tickreel.test', Range: `bytes=${from}-${to - 1}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL(path, origin), { headers }, resolve).once('error', reject);
  });
  let [first, bytes] = [0, 0];
  for await (const chunk of response) {
    if (bytes === 0) first = performance.now() - begun;
    bytes += chunk.length;
  }
  if (bytes !== to - from) throw new Error(`${bytes} bytes instead of ${to - from}: ${response.statusCode}`);
  return { first, last: performance.now() - begun };
}

const service = await start(await bundleWorker());
const plain = await start(PLAIN);
await migrate(await service.getD1Database('DB'));
const [ours, floor] = [await service.ready, await plain.ready];
const reads = async () => Number(await (await fetch(new URL('/reads', ours))).text());

/** Returns the URL of a clip that no cache has, after its page was loaded. */
async function coldVideo(): Promise<string> {
  const page = `/clips/${crypto.randomUUID()}`;
  await (await fetch(new URL(page, ours), { headers: { Accept: 'text/html' } })).arrayBuffer();
  return `${page}/video.mp4`;
}

const CASES: Readonly<Record<string, readonly [number, number]>> = {
  '64 kB in a slice': [1_000_000, 1_065_536],
  '1 MB in a slice': [2_000_000, 3_000_000],
  '1 MB over two slices': [4_000_000, 5_000_000],
  'a whole slice': [0, 4_194_304],
  'the whole file of 10 MB': [0, VIDEO_BYTES],
};
const worst: number[] = [];
try {
  await load(ours, await coldVideo(), [0, 100]);
  await load(floor, '/', [0, 100]);
  say(`medians of ${ROUNDS}, ms:     first byte: plain, cold, ratio   last byte: plain, cold, ratio`);
  for (const [what, range] of Object.entries(CASES)) {
    const [cold, least]: [Times[], Times[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      cold.push(await load(ours, await coldVideo(), range));
      least.push(await load(floor, '/', range));
    }
    const columns = (['first', 'last'] as const).map((byte) => {
      const [theirs, mine] = [least, cold].map((times) => median(times.map((one) => one[byte]))) as [number, number];
      worst.push(mine / theirs);
      return `${theirs.toFixed(0).padStart(8)} ${mine.toFixed(0).padStart(8)}   × ${(mine / theirs).toFixed(2)}`;
    });
    say(`  ${what.padEnd(26)} ${columns.join('   ')}`);
  }
  const before = await reads();
  const path = await coldVideo();
  const together = await Promise.all(Array.from({ length: 20 }, () => load(ours, path, [0, VIDEO_BYTES])));
  const slowest = Math.max(...together.map(({ last }) => last));
  say(
    `  20 viewers of one file at once: the last has it after ${slowest.toFixed(0)} ms; ${(await reads()) - before} reads`,
  );
} finally {
  await service.dispose();
  await plain.dispose();
}
if (Math.max(...worst) > MOST) {
  say(`more than ${MOST} times as long as a plain stream`);
  process.exitCode = 1;
}
