import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { createRandom } from '../../soak/random.ts';
import { startProxy } from '../../support/cut-line.ts';
import { sendAsGet5, sendAsMatchZy } from '../../support/game-server.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';
import { haveRealDemos, realDemo } from '../render-host/match/real-demos.ts';

let stack: TestStack;
let url: string;
let key: string;
let operator: TickreelOperator;

beforeAll(async () => {
  stack = await startTestStack({ variables: { LIMIT_INGEST_MB: '6', LIMIT_UPLOADS: '2000' } });
  url = `${stack.baseUrl}/api/ingest`;
  operator = createTickreelOperator({ baseUrl: stack.baseUrl, adminToken: stack.credentials.admin_token });
  const params = { id: stack.credentials.account_id };
  key = (await operator.call('createKey', { params, body: { kind: 'metered', scope: 'ingest' } })).key;
});

afterAll(() => stack?.remove());

async function uploads() {
  const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const all = [];
  for await (const upload of client.uploads.list()) all.push(upload);
  return all;
}

it.runIf(haveRealDemos)('takes a recorded demo from MatchZy, and the same one from get5 as the same', async () => {
  const file = realDemo('14160.dem');
  const match = { file, matchId: 1842, mapNumber: 0 };
  const first = await sendAsMatchZy({ ...match, url, header: ['Authorization', `Bearer ${key}`], roundNumber: 24 });
  expect(first).toMatchObject({
    isSuccess: true,
    status: 201,
    log: expect.stringContaining('successful for matchId: 1842'),
  });
  const second = await sendAsGet5({ ...match, url: url.replace('http://', ''), header: ['X-Api-Key', key] });
  expect(second).toMatchObject({ isSuccess: true, status: 200 });
  expect(JSON.parse(second.body).id).toBe(JSON.parse(first.body).id);
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  expect(await uploads()).toMatchObject([{ sha256, name: '14160.dem', source: 'ingest', state: 'complete' }]);
});

it('says in the console of the server why it refuses a demo', async () => {
  const file = join(stack.dataDir, 'large.dem');
  await writeFile(file, Buffer.alloc(6_000_001, 'PBDEMS2\0'));
  const large = await sendAsMatchZy({ url, file, header: ['X-Api-Key', key] });
  expect(large).toMatchObject({ isSuccess: false, status: 413, body: expect.stringContaining('tickreel-relay') });
  // The header Authorization with the key alone, which both plugins send without a complaint.
  const bare = await sendAsGet5({ url, file, header: ['Authorization', key] });
  expect(bare).toMatchObject({ isSuccess: false, status: 401, body: expect.stringContaining('\\"Bearer\\", a space') });
  expect(await sendAsGet5({ url, file, header: ['X-Api-Key', key], usePut: true })).toMatchObject({ status: 405 });
  const named = await sendAsMatchZy({ url, file, fileName: 'Šiauliai.dem', header: ['X-Api-Key', key] });
  expect(named).toMatchObject({
    isSuccess: false,
    status: null,
    log: expect.stringContaining('only ASCII characters'),
  });
});

it('keeps nothing of a body without a length, and of one that is cut off', async () => {
  const before = (await uploads()).length;
  const demo = Buffer.alloc(500_000, 'PBDEMS2\0');
  const chunked = await fetch(url, {
    method: 'POST',
    headers: { 'X-Api-Key': key },
    body: new Blob([demo]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(411);

  const { hostname, port, host } = new URL(stack.baseUrl);
  for (let cut = 0; cut < 3; cut++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const head = [`Host: ${host}`, `X-Api-Key: ${key}`, `Content-Length: ${2 * demo.length - 1}`];
    socket.write(`POST /api/ingest HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    socket.write(demo);
    // The upload has begun.
    await expect.poll(async () => (await uploads()).length).toBe(before + 1);
    socket.destroy();
    await expect.poll(async () => (await uploads()).length).toBe(before);
  }
  const refusals = async () => (await operator.call('listArrivals', { query: {} })).arrivals;
  const cutOff = { name: 'demo', status: 408, bytes: 2 * demo.length - 1, times: 3 };
  await expect.poll(refusals).toContainEqual(expect.objectContaining(cutOff));
});

/** `npx node test/soak/cli.ts uploads` sends 200. */
const DEMOS = Number(process.env.INGEST_DEMOS ?? 40);
const CLIENTS = 4;
const MOST_TRIES = 30;

type Bytes = Uint8Array<ArrayBuffer>;

it(`loses none of ${DEMOS} demos of four clients, and has none twice, whatever is cut and repeated`, async () => {
  const random = createRandom(7);
  const before = (await uploads()).length;
  let cuts = 0;
  const port = await startProxy(Number(new URL(stack.baseUrl).port), (chunk) => {
    // Of what has the size of a body, about one in ten megabytes.
    const isCut = random() < chunk.length / 10_000_000;
    if (isCut) cuts++;
    return isCut ? 'cut' : 'forward';
  });
  const demos = Array.from({ length: DEMOS }, (_, i) => {
    const bytes = new Uint8Array(Math.round(1e6 + 4e6 * random())).fill(i);
    bytes.set(new TextEncoder().encode('PBDEMS2\0'));
    return bytes;
  });
  const line = `http://127.0.0.1:${port}`;
  const inParts = createTickreel({ baseUrl: line, apiKey: key, maxRetries: 0 });
  const sendAtOnce = async (body: Bytes) => {
    const answer = await fetch(`${line}/api/ingest`, { method: 'POST', headers: { 'X-Api-Key': key }, body });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { id: string };
  };
  const sendInParts = (body: Bytes) => inParts.uploads.send({ name: 'a.dem', content: new Blob([body]) });
  let tries = 0;
  const ids = new Map<Bytes, Set<string>>(demos.map((demo) => [demo, new Set()]));
  const client = async (own: number) => {
    const send = own % 2 === 0 ? sendAtOnce : sendInParts;
    // Each demo comes from two clients; one in five comes once more.
    for (const [i, demo] of demos.entries()) {
      if (i % CLIENTS !== own && (i + 1) % CLIENTS !== own) continue;
      for (let times = i % 5 === 0 ? 2 : 1; times > 0; ) {
        if (++tries > MOST_TRIES * DEMOS) throw new Error('no progress');
        const kept = await send(demo).catch(() => null);
        if (kept === null) continue;
        ids.get(demo)?.add(kept.id);
        times--;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, own) => client(own)));
  process.stdout.write(`${DEMOS} demos, ${tries} tries, ${cuts} cuts\n`);
  expect(cuts).toBeGreaterThan(DEMOS / 10);
  expect([...ids.values()].map(({ size }) => size)).toEqual(demos.map(() => 1));
  const sha256Of = (bytes: Bytes) => createHash('sha256').update(bytes).digest('hex');
  const found = (await uploads()).slice(0, -before || undefined);
  expect(found.every(({ state }) => state === 'complete')).toBe(true);
  expect(found.map(({ sha256 }) => sha256).toSorted()).toEqual(demos.map(sha256Of).toSorted());
});
