import { type ChildProcess, spawn } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Miniflare } from 'miniflare';
import { expect, it, onTestFinished } from 'vitest';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { createApi } from '../../conformance/support/api.ts';
import { createRandom } from '../../soak/random.ts';
import { startProxy } from '../../support/cut-line.ts';
import { writeShortDemo } from '../../support/short-demo.ts';
import { startTestStack } from '../../support/test-stack.ts';

/** In units of 1,048,576 bytes. `npx node test/soak/cli.ts relay` sends 400. */
const MB = Number(process.env.RELAY_MB ?? 64);
const BYTES = MB * 1024 * 1024;
/** In proportion to the bytes: each part that makes no progress doubles the relay's wait. */
const CUTS = Math.ceil(MB / 8);
const KILLS = Math.ceil(MB / 20);
const SEED = 32;

/** Writes a demo, and behind it bytes that nothing compresses. Returns their SHA-256. */
async function writeLargeDemo(folder: string, scratch: string): Promise<string> {
  const path = join(folder, 'large.dem');
  await copyFile(await writeShortDemo(scratch), path);
  const zeros = Readable.from(Array.from({ length: BYTES >> 20 }, () => Buffer.alloc(1 << 20)));
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, SEED), Buffer.alloc(16));
  await pipeline(zeros, noise, createWriteStream(path, { flags: 'a' }));
  // A demo that goes on after its end is sent when it has not changed for ten minutes.
  await utimes(path, 0, 0);
  return hashOf(createReadStream(path));
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** A fault happens when the relay has sent so many bytes in all. */
interface Fault {
  readonly at: number;
  readonly kind: 'cut' | 'kill';
}

/** The last of each kind happens when the relay asks to complete the upload. */
function drawFaults(): Fault[] {
  const random = createRandom(SEED);
  const draw = (kind: Fault['kind'], length: number) =>
    Array.from({ length }, () => ({ at: Math.floor(random() * BYTES), kind }));
  return [...draw('cut', CUTS - 1), ...draw('kill', KILLS - 1)].sort((a, b) => a.at - b.at);
}

const RELAY = join(PROJECT_ROOT, 'packages/relay/main.ts');

it(`sends ${MB} MB as one demo, though its line is cut ${CUTS} times and it is killed ${KILLS} times`, async () => {
  const stack = await startTestStack();
  const dir = await mkdtemp(join(tmpdir(), 'relay-'));
  onTestFinished(async () => {
    await stack.remove();
    await rm(dir, { recursive: true });
  });
  const sha256 = await writeLargeDemo(dir, stack.dataDir);
  const { admin_token, account_id } = stack.credentials;
  const wanted = { kind: 'metered', scope: 'ingest' };
  const key = await createApi(stack.baseUrl, admin_token).post(`/admin/accounts/${account_id}/keys`, wanted);

  const faults = drawFaults();
  const happened = { cut: 0, kill: 0 };
  let relay: ChildProcess | null = null;
  let sent = 0;
  const port = await startProxy(Number(new URL(stack.baseUrl).port), (chunk) => {
    sent += chunk.length;
    // What a killed relay had sent before still arrives.
    if (relay?.killed) return 'forward';
    const atEnd = happened.cut < CUTS ? 'cut' : happened.kill < KILLS ? 'kill' : null;
    const isDue = (faults[0]?.at ?? Infinity) <= sent;
    const kind = chunk.includes('/complete HTTP/1.1') ? atEnd : isDue ? faults.shift()?.kind : null;
    if (kind) happened[kind]++;
    if (kind === 'kill') relay?.kill('SIGKILL');
    return kind === 'cut' ? 'cut' : 'forward';
  });
  const launch = (...more: string[]) => {
    const TICKREEL_URL = `http://127.0.0.1:${port}`;
    const env = { ...bareEnvironment(), TICKREEL_URL, TICKREEL_API_KEY: String(key.body.key) };
    const args = [RELAY, dir, '--rest', '1', '--tag', 'cup', ...more];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const done = Promise.withResolvers<void>();
  const run = () => {
    const child = launch();
    relay = child;
    createInterface({ input: child.stderr }).on('line', (line) => line.includes('"msg":"sent"') && done.resolve());
    child.once('exit', (code, signal) => (signal === 'SIGKILL' ? run() : done.reject(new Error(`it ended: ${code}`))));
  };
  run();
  await done.promise;
  expect(happened).toEqual({ cut: CUTS, kill: KILLS });

  const runtime = stack.runtime as Miniflare;
  const rows = await (await runtime.getD1Database('DB')).prepare('SELECT * FROM uploads').all();
  const row = { sha256, source: 'ingest', tag: 'cup', name: 'large.dem', completed_at: expect.any(Number) };
  expect(rows.results).toMatchObject([row]);
  const bucket = await runtime.getR2Bucket('ASSETS');
  const { objects } = await bucket.list({ prefix: 'demos/' });
  expect(objects).toHaveLength(1);
  const stored = await bucket.get(objects[0]?.key ?? '');
  expect(await hashOf(stored?.body as AsyncIterable<Uint8Array>)).toBe(sha256);
  expect(await hashOf(createReadStream(join(dir, 'large.dem')))).toBe(sha256);

  // A restart sends nothing.
  const last = relay as ChildProcess | null;
  last?.removeAllListeners('exit');
  last?.kill('SIGTERM');
  expect(await once(last as ChildProcess, 'exit')).toEqual([0, null]);
  sent = 0;
  expect(await once(launch('--once'), 'exit')).toEqual([0, null]);
  expect(sent).toBe(0);
}, 600_000);
