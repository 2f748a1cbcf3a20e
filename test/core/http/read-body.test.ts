import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ProblemError } from '#http/problem.ts';
import { MAX_JSON_BYTES, mediaType, parseQuery, readBytes, readJson, readShape } from '#http/read-body.ts';

const JSON_TYPE = 'application/json';

function post(body: string | Uint8Array<ArrayBuffer>, type: string | null = JSON_TYPE): Request {
  const request = new Request('https://tickreel.test/', { method: 'POST', body });
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
  return { state, request: new Request('https://tickreel.test/', init) };
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

  it.each([
    ['of another type', post('{}', 'text/plain'), 'unsupported_media_type'],
    ['of no type', post('{}', null), 'unsupported_media_type'],
    ['that is no UTF-8', post(Uint8Array.from([0x22, 0xff, 0x22])), 'invalid_request'],
    ['that is no JSON', post('{"a":}'), 'invalid_request'],
    ['that is empty', post(''), 'invalid_request'],
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
