import { createCipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTickreelOperator } from '#client/operator.ts';
import { freePort } from '#stack/service.ts';
import { createStackProcess, descendants } from './processes.ts';

/**
 * Sends one large demo to `npm run stack` in one request, as MatchZy does, and prints by how much the memory of all its
 * processes grew. The argument is its size in MB. Reads /proc, so it needs Linux.
 */
const [mb = '400'] = process.argv.slice(2);
const BYTES = Number(mb) * 1_000_000;
const PIECE = 1 << 20;

/** Returns the resident bytes of this process's descendants, shared pages in equal parts. */
function memory(): number {
  let kib = 0;
  for (const pid of descendants()) {
    try {
      kib += Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended.
    }
  }
  return kib * 1024;
}

const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-ingest-'));
const port = await freePort(0);
const stack = createStackProcess({ dataDir, port, leaseSeconds: null });
const { admin_token: adminToken, account_id: id } = await stack.start();
const baseUrl = `http://127.0.0.1:${port}`;
try {
  const operator = createTickreelOperator({ baseUrl, adminToken });
  const body = { kind: 'metered', scope: 'ingest' } as const;
  const { key } = await operator.call('createKey', { params: { id }, body });
  const idle = memory();
  let peak = idle;
  const watch = setInterval(() => (peak = Math.max(peak, memory())), 100);
  const begun = performance.now();
  const sending = request(`${baseUrl}/api/ingest`, {
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Length': BYTES, 'MatchZy-FileName': 'large.dem' },
  });
  const hash = createHash('sha256');
  // Bytes that nothing compresses.
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  for (let sent = 0; sent < BYTES; sent += PIECE) {
    const piece = noise.update(Buffer.alloc(Math.min(PIECE, BYTES - sent)));
    if (sent === 0) piece.write('PBDEMS2\0');
    hash.update(piece);
    if (!sending.write(piece)) await once(sending, 'drain');
  }
  const [answer] = await once(sending.end(), 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  const seconds = (performance.now() - begun) / 1000;
  clearInterval(watch);
  const isSame = JSON.parse(text).sha256 === hash.digest('hex');
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  process.stdout.write(
    `${answer.statusCode}, ${isSame ? 'the same' : 'ANOTHER'} SHA-256, ${seconds.toFixed(1)} s; ` +
      `memory idle ${mib(idle)}, at most ${mib(peak - idle)} more\n`,
  );
  if (answer.statusCode !== 201 || !isSame || peak - idle > 300 * 2 ** 20) process.exitCode = 1;
} finally {
  await stack.end('SIGTERM');
  await rm(dataDir, { recursive: true });
}
