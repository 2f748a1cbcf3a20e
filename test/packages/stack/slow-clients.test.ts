import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '#domain/operate/limits.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { CAPABILITIES, hostAt, type TestHost, VIDEO } from '../../support/test-host.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';

let stack: TestStack;
let host: TestHost;
/** One slot, so that a test shows whether it was freed. */
const ONE = { HOST_SLOTS: '1' };

beforeAll(async () => {
  stack = await startTestStack({ variables: ONE });
  host = hostAt(stack.baseUrl, stack.credentials.host_token);
});

afterAll(() => stack?.remove());

/** Sends raw bytes of a request on its own connection. They may be fewer than `Content-Length`. */
function dial(token: string, line: string, headers: Record<string, string | number>, body: string | Uint8Array = '') {
  const { hostname, port, host: name } = new URL(stack.baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const all = { Host: name, Authorization: `Bearer ${token}`, ...headers };
  socket.write(
    `${line} HTTP/1.1\r\n${Object.entries(all)
      .map(([key, value]) => `${key}: ${value}\r\n`)
      .join('')}\r\n`,
  );
  socket.write(body);
  return socket;
}

const key = () => stack.credentials.metered_key;
const call = (token: string, method: string, path: string, body?: object) =>
  fetch(stack.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function submit(): Promise<string> {
  const order = { demo_url: 'http://127.0.0.1:9/match.dem', steam64_id: '76561198000000001' };
  return ((await (await call(key(), 'POST', '/api/clips', order)).json()) as { job_id: string }).job_id;
}

/** Claims a job. Repeats the claim, because the slot of another test may not be free yet. */
async function claim(jobId: string): Promise<Grant> {
  let grant = await host.claim({}, 20);
  while (grant === null) grant = await host.claim({}, 20);
  if (grant?.job_id !== jobId) throw new Error(`${grant?.job_id} was granted instead of ${jobId}`);
  return grant;
}

async function statusOf(jobId: string): Promise<unknown> {
  return ((await (await call(key(), 'GET', `/api/jobs/${jobId}`)).json()) as { status: unknown }).status;
}

const firstLine = async (socket: Socket) => String((await once(socket, 'data'))[0]).split('\r\n')[0];

describe('a client that is slow or dies', () => {
  it('in any body is answered 408 when it sends less than 8 KiB in 10 s, and others are served meanwhile', async () => {
    const upload = { name: 'a.dem', bytes: 20_000, sha256: 'a'.repeat(64) };
    const { id } = (await (await call(key(), 'POST', '/api/uploads', upload)).json()) as { id: string };
    const drip = async (line: string, type: string, start: string) => {
      const socket = dial(key(), line, { 'Content-Type': type, 'Content-Length': 20_000 }, start);
      const timer = setInterval(() => socket.write('0'.repeat(500)), 1000);
      onTestFinished(() => clearInterval(timer));
      return firstLine(socket);
    };
    const answered = Promise.all([
      drip('POST /api/clips', 'application/json', '{"demo_url": "http'),
      drip('POST /api/assets?kind=music', 'audio/wav', 'RIFF'),
      drip(`PUT /api/uploads/${id}/part?part=1`, 'application/octet-stream', ''),
      drip('POST /api/ingest', 'application/octet-stream', 'PBDEMS2\0'),
    ]);
    const jobId = await submit();
    expect(await answered).toEqual(Array.from({ length: 4 }, () => 'HTTP/1.1 408 Request Timeout'));
    const grant = await claim(jobId);
    await host.begin(grant);
    await host.fail(grant, 'demo_404');
    expect(await statusOf(jobId)).toBe('error');
  });

  it('while its claim is held gives up its slot, and the job goes to who asks next, at no cost', async () => {
    const body = JSON.stringify({ capabilities: CAPABILITIES, wait_s: 25 });
    const json = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const held = dial(stack.credentials.host_token, 'POST /gateway/v1/claim', json, body);
    // By an answer on another connection the poll has arrived.
    expect(await host.claim({}, 0)).toBeNull();
    held.destroy();
    const jobId = await submit();
    // The slot is free, whether the disconnect was noticed or the grant never confirmed.
    let grant: Grant | null = null;
    await expect
      .poll(
        async () => {
          grant = await host.claim({}, 0);
          return grant?.job_id;
        },
        { timeout: 60_000 },
      )
      .toBe(jobId);
    if (grant === null) throw new Error('nothing was granted');
    await host.begin(grant);
    await host.complete(grant);
    const end = await (await call(key(), 'GET', `/api/jobs/${jobId}/events`)).text();
    expect(JSON.parse(/^data: (.*)$/m.exec(end)?.[1] ?? '')).toMatchObject({ status: 'done', attempt: 1 });
  });

  it('in a part of an upload keeps its lease, sends the part again and completes', async () => {
    const jobId = await submit();
    const grant = await claim(jobId);
    await host.begin(grant);
    const { fence } = grant.lease;
    const uploads = `/gateway/v1/jobs/${jobId}/uploads`;
    const begun = await call(stack.credentials.host_token, 'POST', uploads, { fence, file: 'video' });
    const { upload_id } = (await begun.json()) as { upload_id: string };
    const sha256 = createHash('sha256').update(VIDEO).digest('hex');
    const part = new URLSearchParams({ fence: `${fence}`, file: 'video', upload_id, part: '1', sha256 });
    const line = `PUT ${uploads}/part?${part}`;
    for (let cut = 0; cut < 3; cut++) {
      const half = VIDEO.subarray(0, VIDEO.byteLength / 2);
      const socket = dial(stack.credentials.host_token, line, { 'Content-Length': VIDEO.byteLength }, half);
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.end(resolve));
      socket.destroy();
    }
    await host.render(grant);
    await host.complete(grant);
    expect(await statusOf(jobId)).toBe('done');
    const clip = await (await call(key(), 'GET', `/api/jobs/${jobId}`)).json();
    const { clip_id } = clip as { clip_id: string };
    const video = await fetch(`${stack.baseUrl}/clips/${clip_id}/video.mp4`);
    expect(new Uint8Array(await video.arrayBuffer())).toEqual(VIDEO);
  });

  it('that follows a job and reads nothing delays no other, and frees its stream when it disconnects', async () => {
    const jobId = await submit();
    const follow = () => dial(key(), `GET /api/jobs/${jobId}/events`, {});
    const deaf = Array.from({ length: LIMITS.job.followers.preset }, follow);
    for (const socket of deaf) socket.pause();
    const another = async () => {
      const { status, body } = await call(key(), 'GET', `/api/jobs/${jobId}/events`);
      if (status !== 200) await body?.cancel();
      return { status, body };
    };
    await expect
      .poll(
        async () => {
          const { status, body } = await another();
          if (status === 200) await body?.cancel();
          return status;
        },
        { timeout: 20_000 },
      )
      .toBe(429);
    const grant = await claim(jobId);
    await host.begin(grant);
    for (let i = 0; i < 100; i++) await host.render(grant);
    for (const socket of deaf) socket.destroy();
    // The disconnect is noticed at the next event.
    await expect
      .poll(
        async () => {
          await host.render(grant);
          const { status, body } = await another();
          if (status !== 200) return status;
          await host.complete(grant);
          return new Response(body).text();
        },
        { timeout: 60_000 },
      )
      .toContain('"status":"done"');
    expect(await statusOf(jobId)).toBe('done');
  });
});
