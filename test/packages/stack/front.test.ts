import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Problem } from '#protocol/lib/problem.ts';
import { createFront } from '#stack/front.ts';
import { listenOn } from '#stack/listen.ts';
import { childrenOf } from '#stack/processes.ts';

/** A body of 100 kB: more than fits into a connection's buffers at once. */
const ANSWER = 'no '.repeat(33_000);
const SCRIPT = `
  let gone = 0;
  export default {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/empty') return new Response(null, { status: 204 });
      if (pathname === '/same') return new Response(null, { status: 304, headers: { ETag: '"a"' } });
      if (pathname === '/unread') return new Response(${JSON.stringify(ANSWER)}, { status: 401 });
      if (pathname === '/back') return new Response(request.body);
      if (pathname === '/gone') return new Response(String(gone));
      const counts = () => {
        request.signal.addEventListener('abort', () => gone++);
        // Without a timer, the runtime ends a request that waits for nothing.
        setInterval(() => {}, 1000);
      };
      if (pathname === '/events') {
        counts();
        const { readable, writable } = new IdentityTransformStream();
        void writable.getWriter().write(new TextEncoder().encode('data: 1\\n\\n')).catch(() => {});
        return new Response(readable, { headers: { 'Content-Type': 'text/event-stream' } });
      }
      if (pathname === '/held') {
        counts();
        await new Promise(() => {});
      }
      const { url, method, headers } = request;
      return Response.json({ url, method, headers: [...headers], body: await request.text() });
    },
  };`;

let folder: string;
let runtime: Miniflare;
const fronts: ReturnType<typeof createFront>[] = [];

async function open(proxies: string, runtime = join(folder, 'worker:0')): Promise<number> {
  const options = { runtime, baseUrl: 'https://clips.somebody.dev', addressHeader: 'X-Real-IP' };
  const front = createFront({ ...options, proxies });
  fronts.push(front);
  return listenOn(front);
}

let port: number;
let workerd: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-front-'));
  const before = childrenOf(process.pid).map(({ pid }) => pid);
  runtime = new Miniflare({
    modules: true,
    script: SCRIPT,
    cf: false,
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['enable_request_signal'],
    unsafeDirectSockets: [{ host: `unix:${join(folder, 'worker')}`, port: 0 }],
    handleRuntimeStdio: () => {},
  });
  await runtime.ready;
  workerd = childrenOf(process.pid).find(({ pid }) => !before.includes(pid))?.pid ?? Number.NaN;
  port = await open('127.0.0.1 ::1');
});

afterAll(async () => {
  for (const front of fronts) front.close().closeAllConnections();
  await runtime?.dispose();
  await rm(folder, { recursive: true, force: true });
});

interface Sent {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly from?: string;
  readonly to?: number;
}

/** Starts a request. `fetch` would set headers of its own. */
function start(path: string, { method = 'GET', headers = {}, from = '127.0.0.1', to = port }: Sent = {}) {
  const sent = request({ port: to, path, method, headers, localAddress: from, agent: false });
  const answered = once(sent, 'response').then(([answer]) => answer as IncomingMessage);
  // An error reaches the caller through `answered`.
  answered.catch(() => {});
  return { sent, answered };
}

const textOf = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray()).toString();

async function ask(path: string, options: Sent = {}, body?: string) {
  const { sent, answered } = start(path, options);
  sent.end(body);
  const answer = await answered;
  return { status: answer.statusCode, headers: answer.headers, text: await textOf(answer) };
}

/** Returns the request as the Worker got it. */
async function got(path: string, options: Sent = {}, body?: string) {
  const { url, method, headers, body: read } = JSON.parse((await ask(path, options, body)).text);
  return { url, method, headers: new Headers(headers), body: read };
}

/** Sends raw bytes. Returns the first line of the answer after the connection is closed. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return Buffer.concat(await socket.toArray())
    .toString()
    .split('\r\n')[0] as string;
}

describe('what reaches the Worker', () => {
  it('is the unchanged request, except for the host and the headers of a single connection', async () => {
    const path = '/a%2fb/../c//d?e=%20f';
    const headers = {
      Host: 'localhost',
      'Content-Type': 'text/plain',
      'X-Own': ['1', '2'],
      Connection: 'close, X-Hop',
      'X-Hop': '1',
      'MF-Original-URL': 'http://x/admin',
      'mf-cf-blob': '{',
      'MF-Route-Override': 'x',
      TE: 'trailers',
    };
    const seen = await got(path, { method: 'PUT', headers }, 'a body');
    expect(seen).toMatchObject({ url: 'http://clips.somebody.dev/c//d?e=%20f', method: 'PUT', body: 'a body' });
    const names = ['connection', 'content-length', 'content-type', 'host', 'x-own', 'x-real-ip', 'x-request-id'];
    expect([...seen.headers.keys()].sort()).toEqual(names);
    expect(seen.headers.get('X-Own')).toBe('1, 2');
    expect((await got('/', { method: 'DELETE' })).headers.get('Content-Length')).toBe('0');
  });

  it('has the id of the request that caused it, or a new one', async () => {
    const id = crypto.randomUUID();
    expect((await got('/', { headers: { 'X-Request-Id': id } })).headers.get('X-Request-Id')).toBe(id);
    const made = (await got('/', { headers: { 'X-Request-Id': 'x' } })).headers.get('X-Request-Id');
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names the address that a trusted proxy names, or else the address of the connection', async () => {
    const addressOf = async (options: Sent, ...sent: string[]) =>
      (await got('/', { ...options, headers: { 'X-Real-IP': sent } })).headers.get('X-Real-IP');
    expect(await addressOf({}, '192.0.2.1')).toBe('192.0.2.1');
    expect(await addressOf({})).toBe('127.0.0.1');
    const to = await open('127.0.0.9 192.0.2.0/24');
    expect(await addressOf({ to, from: '127.0.0.9' }, '192.0.2.1')).toBe('192.0.2.1');
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    for (const _ of [1, 2]) expect(await addressOf({ to }, '192.0.2.1')).toBe('127.0.0.1');
    expect(written.mock.calls).toEqual([[expect.stringMatching(/127\.0\.0\.1 .* X-Real-IP .* --proxies/)]]);
    await expect(open('127.0.0.1 proxy.local')).rejects.toThrow('proxy.local is neither an address nor a network');
    await expect(open('10.0.0.0/33')).rejects.toThrow('10.0.0.0/33 is neither');
  });
});

describe('what is refused', () => {
  it('a body that is framed twice, too many headers, and a target that is no path', async () => {
    const framed = 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(await raw(`POST / HTTP/1.1\r\nHost: a\r\n${framed}`)).toBe('HTTP/1.1 400 Bad Request');
    expect(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
    expect(await raw('GET http://a/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toBe(
      'HTTP/1.1 400 Bad Request',
    );
  });

  it.each(['content-length', 'transfer-encoding', 'host'])('a header Connection that names %s', async (name) => {
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\nMF-Original-URL: http://x/admin\r\n\r\n';
    const size = hidden.length;
    const framed =
      name === 'transfer-encoding'
        ? `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
        : `Content-Length: ${size}\r\n\r\n${hidden}`;
    for (const method of ['GET', 'DELETE']) {
      const bytes = `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close, ${name.toUpperCase()}\r\n${framed}`;
      expect(await raw(bytes)).toBe('HTTP/1.1 400 Bad Request');
    }
  });

  it('the addresses of the development server, with a problem', async () => {
    const { status, headers, text } = await ask('/x/%2E%2e/CDN-cgi/local/r2/public/b/k');
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect(Problem.parse(JSON.parse(text))).toMatchObject({ status: 404, request_id: headers['x-request-id'] });
    expect((await ask('/x?to=/cdn-cgi/x')).status).toBe(200);
  });
});

describe('an answer', () => {
  it('without a body stays without one, and a client may send `Expect` before its own', async () => {
    expect(await ask('/empty')).toMatchObject({ status: 204, text: '' });
    expect(await ask('/same')).toMatchObject({ status: 304, text: '', headers: { etag: '"a"' } });
    const head = await ask('/unread', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 401, text: '', headers: { 'content-length': String(ANSWER.length) } });
    const { sent, answered } = start('/back', { method: 'POST', headers: { Expect: '100-continue' } });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end('sent late');
    expect(await textOf(await answered)).toBe('sent late');
  });

  it('and a body are streamed in both directions', async () => {
    const { sent, answered } = start('/back', { method: 'POST' });
    sent.write('first');
    const answer = await answered;
    for (const next of ['second', 'third', null]) {
      expect(String((await once(answer, 'data'))[0])).toMatch(/^first|second|third$/);
      if (next) sent.write(next);
      else sent.end();
    }
    await once(answer.resume(), 'end');
  });

  it('reaches a client whose body the Worker did not read, and the connection serves the next request', async () => {
    const body = Buffer.alloc(4 * 2 ** 20);
    const post = (connection: string) =>
      `POST /unread HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1');
    for (const connection of ['keep-alive', 'keep-alive', 'close']) {
      socket.write(post(connection));
      socket.write(body);
    }
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text.split('HTTP/1.1 401 Unauthorized').length - 1).toBe(3);
    expect(text.split(ANSWER).length - 1).toBe(3);
  });
});

describe('a client that hangs up', () => {
  it.each(['/held', '/events'])('ends its request to %s in the Worker', async (path) => {
    const before = Number((await ask('/gone')).text);
    const socket: Socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    let text = '';
    socket.on('data', (bytes) => (text += bytes));
    // The runtime aborts nothing if it cannot begin the body.
    if (path === '/events') await expect.poll(() => text).toContain('data: 1');
    else await ask('/gone');
    socket.destroy();
    await expect.poll(async () => Number((await ask('/gone')).text)).toBe(before + 1);
  });
});

it('only a read is retried, once, if the runtime has just closed an idle connection', async () => {
  // As kj's HTTP server does after five idle seconds (workerd 1.20260730.0, `pipelineTimeout`).
  const server = createServer((socket) => {
    let asked = 0;
    socket.on('data', () => {
      if (asked++ === 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.destroy();
    });
  });
  onTestFinished(() => void server.close());
  const path = join(folder, 'closes');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const to = await open('127.0.0.1', path);
  const texts: string[] = [];
  for (const method of ['GET', 'GET', 'GET', 'POST', 'POST']) texts.push((await ask('/', { to, method })).text);
  expect(texts).toEqual(Array(5).fill('ok'));
});

it('when the runtime dies, open responses end and then the service is unavailable', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const { sent, answered } = start('/events');
  sent.end();
  const answer = await answered;
  expect(answer.headers['x-accel-buffering']).toBe('no');
  await once(answer, 'data');
  const held = ask('/held', { headers: { 'X-Request-Id': crypto.randomUUID() } });
  await ask('/gone');
  process.kill(workerd, 'SIGKILL');
  await expect(textOf(answer)).rejects.toThrow('aborted');
  const { status, headers, text } = await held;
  expect([status, headers['retry-after']]).toEqual([503, '2']);
  const { request_id } = Problem.parse(JSON.parse(text));
  expect(written.mock.calls.join()).toContain(`the runtime did not answer GET /held (${request_id})`);
});
