import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { bundleWorker } from '../local/bundle-worker.ts';
import { RUNTIME } from '../local/service.ts';
import { open } from './load.ts';
import { heapOf } from './runtime.ts';

/**
 * Somebody tries one id after the other. The database has no tables and a fresh folder is kept for objects, so whatever
 * asks either is seen: in an answer of 500, in a file. Once with the limit of an address as it is, and once without:
 * then each guess is a read of storage, and what the isolate remembers must not grow with it.
 *
 *     npx node bench/guesses.bench.ts [--guesses 100000] [--connections 32]
 */
const { values } = parseArgs({
  options: { guesses: { type: 'string', default: '100000' }, connections: { type: 'string', default: '32' } },
});
const GUESSES = Number(values.guesses);
const CONNECTIONS = Number(values.connections);
const NAME = 'guessed';
const NO_LIMIT = '1000000000';

interface Found {
  readonly statuses: Record<string, number>;
  readonly heap: readonly { readonly found: number; readonly collected: number }[];
  readonly objects: number;
  readonly seconds: number;
}

async function guess(limit: string | undefined): Promise<Found> {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-guesses-'));
  const miniflare = new Miniflare({
    ...{ log: new Log(LogLevel.ERROR), cf: false, host: '127.0.0.1', port: 0, durableObjectsPersist: folder },
    ...{ name: NAME, inspectorPort: 0 },
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleWorker() }],
    ...RUNTIME,
    bindings: {
      ...{ BASE_URL: 'https://tickreel.test', ENVIRONMENT: 'local', LOG_LEVEL: 'error', LOG_SAMPLE: '0' },
      ...{ ACCEPTED_DEMO_DOMAINS: '*', CLIP_ID_SECRET: 'a-secret-for-the-ids-of-clips-in-a-bench' },
      ...(limit === undefined ? {} : { LIMIT_CLIP_GUESSES: limit }),
    },
  });
  try {
    await (await miniflare.getR2Bucket('CLIPS')).put('records-complete', '');
    const port = Number((await miniflare.ready).port);
    const statuses: Record<string, number> = {};
    // Without a request there is no isolate to be asked.
    await (await fetch(`http://127.0.0.1:${port}/robots.txt`)).text();
    const before = await heapOf(miniflare, NAME);
    const start = performance.now();
    let left = GUESSES;
    const guesser = async () => {
      let socket = await open(port);
      for (let turn = left--; turn > 0; turn = left--) {
        // A connection may end between two requests.
        if (socket.readyState !== 'open') socket = await open(port);
        const status = await statusOf(socket, `/clips/${randomUUID()}${turn % 2 ? '' : '/video.mp4'}`);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      socket.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, guesser));
    const files = await readdir(folder, { recursive: true });
    const objects = files.filter((name) => /RenderJob.*[0-9a-f]{64}\.sqlite$/.test(name)).length;
    const seconds = (performance.now() - start) / 1000;
    return { statuses, objects, seconds, heap: [before, await heapOf(miniflare, NAME)] };
  } finally {
    await miniflare.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of the answer to one request on a connection, which is read to its end. */
function statusOf(socket: Awaited<ReturnType<typeof open>>, path: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const lost = () => resolve('closed');
    socket.once('close', lost);
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
      if (end < 0 || text.length < end + 4 + length) return;
      socket.off('data', read).off('close', lost);
      resolve(text.slice(9, 12));
    };
    socket.on('data', read);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: tickreel.test\r\nAccept: application/json\r\n\r\n`);
  });
}

for (const [what, limit] of [
  ['as many as an address may', undefined],
  ['without a limit', NO_LIMIT],
] as const) {
  const { statuses, heap, objects, seconds } = await guess(limit);
  const mib = heap.map(({ collected }) => (collected / 2 ** 20).toFixed(1));
  console.log(`${GUESSES} guesses, ${what}: ${JSON.stringify(statuses)} in ${seconds.toFixed(0)} s`);
  console.log(`  what the isolate holds: ${mib.join(' MiB before, ')} MiB after; objects that were made: ${objects}`);
  if (statuses[500] || objects > 0) process.exitCode = 1;
}
