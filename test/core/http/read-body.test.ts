import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ProblemError } from '#http/problem.ts';
import {
  chunksOf,
  discardBody,
  MAX_JSON_BYTES,
  mediaType,
  parseQuery,
  readBytes,
  readJson,
  readShape,
} from '#http/read-body.ts';

const BASE_URL = 'https://tickreel.test/';
const JSON_TYPE = 'application/json';

function post(body: string | Uint8Array<ArrayBuffer>, type: string | null = JSON_TYPE): Request {
  const request = new Request(BASE_URL, { method: 'POST', body });
  if (type === null) request.headers.delete('Content-Type');
  else request.headers.set('Content-Type', type);
  return request;
}

/** Returns a body of so many chunks of ten bytes without a length; `read` counts the chunks that were read. */
function chunked(count: number) {
  const state = { read: 0 };
  const body = new ReadableStream(
    {
      pull(controller) {
        if (state.read === count) return controller.close();
        state.read++;
        controller.enqueue(new Uint8Array(10).fill(state.read));
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: 'POST', body, duplex: 'half' };
  return { state, request: new Request(BASE_URL, init) };
}

const kindOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'read',
    (error: unknown) => (error instanceof ProblemError ? error.kind : error),
  );

describe('a JSON body', () => {
  it('is read whatever is said of its charset', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', ' application/json ;x=y']) {
      expect((await readJson(post('{"a":1}', type))).value).toEqual({ a: 1 });
    }
    expect(mediaType(post('x', 'Text/Plain; a=b'))).toBe('text/plain');
  });

  it.each<readonly [string, Request, string]>([
    ['of another type', post('{}', 'text/plain'), 'unsupported_media_type'],
    ['of no type', post('{}', null), 'unsupported_media_type'],
    ...['application/x-www-form-urlencoded', 'application/jsonp', 'application/problem+json', 'json'].map(
      (type) => [`of ${type}`, post('{}', type), 'unsupported_media_type'] as const,
    ),
    ...[[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80]].map(
      (bytes) => [`of the bytes ${bytes}`, post(Uint8Array.from([0x22, ...bytes, 0x22])), 'invalid_request'] as const,
    ),
    ...['', ' ', '{', '{}{}', 'undefined', "{'a':'x'}", '{"a":"x",}', '{"a":NaN}', '{"a":+30}', '{"a":030}'].map(
      (text) => [`that is ${text}`, post(text), 'invalid_request'] as const,
    ),
    ...['{"a":}', '{"a":"\n"}', '// no\n{}'].map((text) => [`that is ${text}`, post(text), 'invalid_request'] as const),
    ['that has a field twice', post('{"a":1,"a":2}'), 'invalid_request'],
    ['that is a byte too long', post(`"${'a'.repeat(MAX_JSON_BYTES - 1)}"`), 'body_too_large'],
    ['that is as long as one may be', post(`"${'a'.repeat(MAX_JSON_BYTES - 2)}"`), 'read'],
  ])('%s', async (_, request, kind) => {
    expect(await kindOf(readJson(request))).toBe(kind);
  });

  it('hands out a field with its numbers as they were written', async () => {
    const { opaque } = await readJson(post('{"a":1,"extras":{"n": 1.0 ,"m":1e3}}'), ([name]) => name === 'extras');
    expect(opaque.get('extras')).toBe('{"n":1.0,"m":1e3}');
  });

  it('of a known shape has each broken rule named', async () => {
    const shape = z.strictObject({ a: z.int(), b: z.string() });
    expect(await readShape(post('{"a":1,"b":"x"}'), shape)).toEqual({ a: 1, b: 'x' });
    expect(await kindOf(readShape(post('{"a":"1"}'), shape))).toBe('invalid_request');
  });
});

describe('a query', () => {
  const shape = z.object({ limit: z.coerce.number() });

  it('has each parameter once', async () => {
    expect(parseQuery(new URLSearchParams('limit=5'), shape)).toEqual({ limit: 5 });
    expect(() => parseQuery(new URLSearchParams('limit=5&limit=6'), shape)).toThrow(ProblemError);
    expect(() => parseQuery(new URLSearchParams('limit=x'), shape)).toThrow(ProblemError);
  });

  it('has the parameter suggested that was meant', () => {
    const list = z.strictObject({ limit: z.string().optional(), cursor: z.string().optional() });
    const read = () => parseQuery(new URLSearchParams('limt=5'), list);
    expect(read).toThrow('limt is not a known field: did you mean limit?');
  });
});

describe('a body without a length', () => {
  it('is put together in order', async () => {
    const bytes = await readBytes(chunked(3).request, 30);
    expect([...bytes]).toEqual([1, 2, 3].flatMap((value) => Array(10).fill(value)));
  });

  it('is read no further than it may be long', async () => {
    const { request, state } = chunked(1000);
    expect(await kindOf(readBytes(request, 25))).toBe('body_too_large');
    expect(state.read).toBeLessThanOrEqual(4);
  });
});

const MIB = 1024 * 1024;
const SECOND = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function stream(body: ReadableStream<Uint8Array>, headers: HeadersInit = {}): Request {
  // The types of Workers do not have what Node asks for.
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
  return new Request(BASE_URL, init);
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

  it('is given up when it brings less than 8 KiB in 10 seconds', async () => {
    const silent = stream(new ReadableStream({ pull: () => new Promise(() => {}) }));
    expect(await endOf(silent)).toEqual({ kind: 'request_timeout', ms: 10 * SECOND });
    // The rest is not read.
    await discardBody(silent);
    for (const [chunk, waitMs] of [
      [1, 5 * SECOND],
      [8 * 1024 - 1, 9 * SECOND],
      [800, SECOND],
    ] as const) {
      const slow = stream(createBody({ chunk, waitMs }).body);
      expect(await endOf(slow)).toEqual({ kind: 'request_timeout', ms: 10 * SECOND });
    }
    expect(vi.getTimerCount()).toBeLessThanOrEqual(3);
  });

  it('may come slowly, as long as it takes, and its last piece may be small', async () => {
    const slow = createBody({ chunk: 8 * 1024, chunks: 20, waitMs: 9 * SECOND });
    const last = new TransformStream({ flush: (controller) => controller.enqueue(new Uint8Array(1)) });
    const { kind, ms } = await endOf(stream(slow.body.pipeThrough(last)));
    expect(kind).toBe('read');
    expect(ms).toBeGreaterThan(120 * SECOND);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not slow because its reader is', async () => {
    const chunks: number[] = [];
    const reading = (async () => {
      for await (const { byteLength } of chunksOf(createBody({ chunk: 10, chunks: 3 }).body)) {
        chunks.push(byteLength);
        await new Promise((resolve) => setTimeout(resolve, 60 * SECOND));
      }
    })();
    await vi.advanceTimersByTimeAsync(200 * SECOND);
    await reading;
    expect(chunks).toEqual([10, 10, 10]);
  });
});

describe('the rest of a body', () => {
  it('is read to its end, also when a handler has begun to', async () => {
    const { body, sent } = createBody({ chunks: 7 });
    const request = stream(body);
    await expect(readBytes(request, MIB)).rejects.toMatchObject({ kind: 'body_too_large' });
    await discardBody(request);
    expect(sent.bytes).toBe(7 * MIB);
  });

  it('is read up to 20 MiB if its length is unknown', async () => {
    const { body, sent } = createBody({});
    await discardBody(stream(body));
    expect(sent.bytes).toBe(21 * MIB);
  });

  it('is not read if it announces more', async () => {
    const { body, sent } = createBody({});
    await discardBody(stream(body, { 'Content-Length': String(20 * MIB + 1) }));
    expect(sent.bytes).toBe(0);
  });

  it('is not read if another reader has it, or if there is none', async () => {
    const { body } = createBody({});
    const request = stream(body);
    request.body?.getReader();
    await discardBody(request);
    await discardBody(new Request(BASE_URL));
  });

  it('is given up after 3 seconds without a byte, and after 20 seconds in all', async () => {
    expect(await patienceWith(stream(new ReadableStream({ pull: () => new Promise(() => {}) })))).toBe(3 * SECOND);
    expect(await patienceWith(stream(createBody({ chunk: 1, waitMs: 2 * SECOND }).body))).toBe(20 * SECOND);
  });

  it('is not waited for if the client has disconnected', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('Network connection lost.')) });
    await discardBody(stream(body));
  });
});
