import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GRANT } from '#protocol/examples/client.ts';
import { Grant } from '#protocol/host/gateway.ts';
import { formatSigningSecret, signedHeaders } from '#protocol/lib/signed-message.ts';
import { allGates, createDiskGate } from '#render-host/agent/claim-gate.ts';
import { type GrantServer, serveGrants } from '#render-host/agent/grant-server.ts';
import { CAPABILITIES } from '#test/support/test-host.ts';

const SECRET = formatSigningSecret(new Uint8Array(32).fill(7));
const NOW = Date.UTC(2026, 10, 22);

let server: GrantServer;
let drain: AbortController;

beforeEach(async () => {
  drain = new AbortController();
  const log = pino({ level: 'silent' });
  const options = { port: 0, address: '127.0.0.1', secret: SECRET, log, now: () => NOW };
  server = await serveGrants({ ...options, drain: drain.signal });
});

afterEach(() => {
  vi.useRealTimers();
  server.close();
});

function grant(fence = 1, order: Partial<Grant['order']> = {}): Grant {
  const example = Grant.parse(GRANT);
  return { ...example, order: { ...example.order, ...order }, lease: { ...example.lease, fence } };
}

/** Sends a grant like the service. */
async function send(sent: unknown, { secret = SECRET, now = NOW, method = 'POST' } = {}): Promise<Response> {
  const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const headers = await signedHeaders(secret, { id: 'x', body, now });
  return fetch(`http://127.0.0.1:${server.port}/grants`, {
    method,
    headers,
    ...(method === 'POST' ? { body } : {}),
  });
}

const claim = (overrides = {}) => server.claim({ ...CAPABILITIES, ...overrides }, drain.signal);

/** Advances the fake clock until the answer comes. */
async function passing(answer: Promise<Response>): Promise<Response> {
  let given: Response | null = null;
  void answer.then((response) => {
    given = response;
  });
  while (given === null) {
    vi.advanceTimersByTime(1000);
    await turn();
  }
  return given;
}

describe('a host that is sent its jobs', () => {
  it('takes a grant when it is idle, and answers at once', async () => {
    const claimed = claim();
    expect((await send(grant())).status).toBe(202);
    expect(await claimed).toEqual(grant());
  });

  it('answers that it is busy while it works, and when to retry', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const claimed = claim();
    await send(grant());
    await claimed;
    const answer = await passing(send(grant(2)));
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '5']);
  });

  it('checks its gate from time to time, and answers 503 while it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const claimed = claim();
    vi.advanceTimersByTime(60_000);
    expect(await claimed).toBeNull();
    const answer = await passing(send(grant()));
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
  });

  it('answers 503, not 429, if its job has ended and its disk is full, until there is space again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let free = 0;
    const log = { error: () => {} };
    const gate = allGates(server.gate, createDiskGate({ readFree: async () => free, minBytes: 1000, log }));
    const first = claim();
    await send(grant());
    await first;
    // The agent asks before each claim, after the previous job has ended.
    expect(await gate.open(CAPABILITIES)).toBeNull();
    const answer = await passing(send(grant(2)));
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
    free = 1000;
    expect(await gate.open(CAPABILITIES)).toMatchObject(CAPABILITIES);
    const second = claim();
    expect((await send(grant(3))).status).toBe(202);
    expect(await second).toEqual(grant(3));
  });

  it('takes a grant that comes a moment before it is ready', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const first = claim();
    await send(grant());
    await first;
    const sent = send(grant(2));
    // It usually arrives first; a moment later it gets the same answer.
    expect((await send('{}')).status).toBe(400);
    expect(await claim()).toEqual(grant(2));
    expect((await sent).status).toBe(202);
  });

  it('accepts a repeated grant once', async () => {
    const claimed = claim();
    await send(grant());
    await claimed;
    expect((await send(grant())).status).toBe(202);
  });

  it('takes nothing once it drains, and its agent stops waiting', async () => {
    const claimed = claim();
    drain.abort();
    expect(await claimed).toBeNull();
    const answer = await send(grant());
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
    expect(await claim()).toBeNull();
  });

  it('names its clock if only the time of a grant is wrong', async () => {
    const early = await send(grant(), { now: NOW - 301_000 });
    expect([early.status, await early.text()]).toEqual([
      ...[401, expect.stringMatching(/^this machine's clock is 301 s ahead of the time of the grant: set it/)],
    ]);
    const forged = await send(grant(), { secret: formatSigningSecret(new Uint8Array(32)), now: NOW - 301_000 });
    expect(await forged.text()).toBe('the signature is not good\n');
  });

  it('refuses invalid grants', async () => {
    const claimed = claim({ max_resolution: 1080, max_fps: 60 });
    const statuses = [
      send(grant(), { secret: formatSigningSecret(new Uint8Array(32)) }),
      send(grant(), { now: NOW - 301_000 }),
      send(grant(), { method: 'GET' }),
      send('not JSON'),
      send({ ...grant(), order: null }),
      send('x'.repeat(300_000)),
      send(grant(1, { resolution: 1440 })),
      send(grant(1, { fps: 120 })),
    ].map(async (answer) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual([401, 401, 405, 400, 400, 413, 422, 422]);
    await send(grant(3, { fps: 60, resolution: 1080 }));
    expect((await claimed)?.lease.fence).toBe(3);
  });
});
