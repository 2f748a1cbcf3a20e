import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { startStack } from '../local/stack.ts';
import { answerOf, median, open, percentile, rate, requestFor } from './load.ts';

/**
 * Measures what the front of a stack costs (`local/front.ts`). Sends the same requests to the front and to the
 * runtime's development server, by turns. Compares the ratios of single rounds, so that a machine that slows down
 * meanwhile does not distort the result.
 *
 *     npx node bench/front.bench.ts [--rounds 15] [--seconds 0.5] [--connections 32] [--calls 100]
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.5' },
    connections: { type: 'string', default: '32' },
    calls: { type: 'string', default: '100' },
  },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
const [connections, calls] = [Number(values.connections), Number(values.calls)];

if (isMainThread) await serve();
else await measure(workerData);

interface Served {
  readonly key: string;
  /** For the front, and for the runtime. */
  readonly ports: readonly [number, number];
}

/** Runs the stack here, and the requests in another thread: a real client uses its own processor time as well. */
async function serve(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-front-'));
  const variables = { LOG_LEVEL: 'error', LIMIT_REQUESTS: '100000000' };
  const stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'error', variables });
  try {
    const ports = [Number(new URL(stack.baseUrl).port), Number((await stack.runtime.ready).port)] as const;
    const served: Served = { key: stack.credentials.metered_key, ports };
    await once(new Worker(new URL(import.meta.url), { workerData: served, argv: process.argv.slice(2) }), 'exit');
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure({ key, ports }: Served): Promise<void> {
  console.log(`${cpus().length} cores, a load of ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
  for (const path of ['/robots.txt', '/api/jobs', '/openapi.json']) {
    const ask = { path, headers: [`Authorization: Bearer ${key}`], connections, seconds };
    const rates: number[][] = [];
    const waits: number[][] = ports.map(() => []);
    for (let round = 0; round < rounds; round++) {
      const pair: number[] = [];
      for (const [i, port] of ports.entries()) {
        pair.push(await rate({ ...ask, port }));
        waits[i]?.push(...(await latencies(port, requestFor(ask))));
      }
      rates.push(pair);
    }
    const of = (i: number) =>
      `${median(rates.map((pair) => pair[i] ?? 0)).toFixed(0)} a second, ${told(waits[i] ?? [])}`;
    const ratio = median(rates.map(([front = 0, runtime = 1]) => front / runtime));
    console.log(`${path}: front ${of(0)}; runtime ${of(1)}; ratio ${ratio.toFixed(2)}`);
  }
}

/** Milliseconds of calls one after the other. */
async function latencies(port: number, head: string): Promise<number[]> {
  const socket = await open(port);
  const took: number[] = [];
  for (let call = 0; call < calls; call++) {
    const from = performance.now();
    await answerOf(socket, head);
    took.push(performance.now() - from);
  }
  socket.destroy();
  return took;
}

function told(waits: readonly number[]): string {
  return `p50 ${median(waits).toFixed(2)} ms, p95 ${percentile(waits, 0.95).toFixed(2)} ms`;
}
