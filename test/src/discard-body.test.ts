import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { discardBody, readBytes } from '#http/read-body.ts';
import { BASE_URL } from '../support/service.ts';

const MIB = 1024 * 1024;
const SECOND = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function post(body: ReadableStream<Uint8Array>, headers: HeadersInit = {}): Request {
  return new Request(BASE_URL, { method: 'POST', body, headers });
}

/** Returns a body of chunks of this size, with a wait before each; endless by default. */
function createBody({ chunk = MIB, chunks = Infinity, waitMs = 0 }) {
  const sent = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (sent.bytes >= chunk * chunks) return controller.close();
        sent.bytes += chunk;
        controller.enqueue(new Uint8Array(chunk));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, sent };
}

/** Returns the milliseconds until a body ends or is abandoned. */
async function patienceWith(request: Request): Promise<number> {
  const begun = Date.now();
  let ended: number | null = null;
  const discarded = discardBody(request).then(() => {
    ended = Date.now() - begun;
  });
  while (ended === null && Date.now() - begun < 100 * SECOND) await vi.advanceTimersByTimeAsync(100);
  await discarded;
  return ended ?? Infinity;
}

describe('a body that is read', () => {
  /** Returns the kind of problem and the milliseconds until it. */
  async function endOf(request: Request) {
    const begun = Date.now();
    const reading = readBytes(request, MIB).then(
      () => 'read',
      (error: { kind: string }) => error.kind,
    );
    const end = reading.then((kind) => ({ kind, ms: Date.now() - begun }));
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    while (!isOver && Date.now() - begun < 300 * SECOND) await vi.advanceTimersByTimeAsync(100);
    return end;
  }

  it('is given up after 10 seconds without a byte, and after two minutes of dripping', async () => {
    const silent = post(new ReadableStream({ pull: () => new Promise(() => {}) }));
    expect(await endOf(silent)).toEqual({ kind: 'request_timeout', ms: 10 * SECOND });
    // The rest is not read.
    await discardBody(silent);
    const dripping = post(createBody({ chunk: 1, waitMs: 5 * SECOND }).body);
    expect(await endOf(dripping)).toEqual({ kind: 'request_timeout', ms: 120 * SECOND });
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });

  it('may come slowly', async () => {
    const slow = post(createBody({ chunk: 1000, chunks: 12, waitMs: 9 * SECOND }).body);
    expect(await endOf(slow)).toEqual({ kind: 'read', ms: expect.any(Number) });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the rest of a body', () => {
  it('is read to its end, also when a handler has begun to', async () => {
    const { body, sent } = createBody({ chunks: 7 });
    const request = post(body);
    await expect(readBytes(request, MIB)).rejects.toMatchObject({ kind: 'body_too_large' });
    await discardBody(request);
    expect(sent.bytes).toBe(7 * MIB);
  });

  it('is read up to 8 MiB if its length is unknown', async () => {
    const { body, sent } = createBody({});
    await discardBody(post(body));
    expect(sent.bytes).toBe(9 * MIB);
  });

  it('is not read if it announces more', async () => {
    const { body, sent } = createBody({});
    await discardBody(post(body, { 'Content-Length': String(8 * MIB + 1) }));
    expect(sent.bytes).toBe(0);
  });

  it('is not read if another reader has it, or if there is none', async () => {
    const { body } = createBody({});
    const request = post(body);
    request.body?.getReader();
    await discardBody(request);
    await discardBody(new Request(BASE_URL));
  });

  it('is given up after 3 seconds without a byte, and after 20 seconds in all', async () => {
    expect(await patienceWith(post(new ReadableStream({ pull: () => new Promise(() => {}) })))).toBe(3 * SECOND);
    expect(await patienceWith(post(createBody({ chunk: 1, waitMs: 2 * SECOND }).body))).toBe(20 * SECOND);
  });

  it('is not waited for if the client has disconnected', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('Network connection lost.')) });
    await discardBody(post(body));
  });
});
