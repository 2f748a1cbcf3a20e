import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DONE, type Result, refuse, value } from '#domain/job/result.ts';
import { LATER_VERSION } from '#domain/lib/types.ts';
import { accepted } from '#http/accepted.ts';
import { type IsOpaque, scanJson } from '#http/json-text.ts';
import { ProblemError } from '#http/problem.ts';
import { reply, toResponse } from '#http/reply.ts';
import { bindEndpoint, createRouter, type Endpoint, readId } from '#http/router.ts';
import { isTransient, TransientError } from '#http/to-problem.ts';
import { JobRef } from '#protocol/job/job-view.ts';
import { operation } from '#service/lib/operation.ts';

describe('a reply', () => {
  const ID = '5e1ec7ed-0c11-4d1c-8a5e-7ea5e7a11e5d';

  it('takes the statuses and the fields of the answers only', () => {
    const { answers } = operation({
      route: 'GET /api/jobs',
      scope: 'public',
      answers: { 200: JobRef, 204: null },
      handler: (_, { reply }) => {
        // @ts-expect-error a field of another type
        reply(200, { job_id: 1 });
        // @ts-expect-error a missing field
        reply(200, {});
        // @ts-expect-error an unknown field
        reply(200, { job_id: ID, clip_id: ID });
        // @ts-expect-error a status that is not declared
        reply(201, { job_id: ID });
        // @ts-expect-error a body of an answer without one
        reply(204, { job_id: ID });
        return reply(200, { job_id: ID });
      },
    });
    expect(Object.keys(answers ?? {})).toEqual(['200', '204']);
  });

  it('is written as JSON in the order of its fields, and is not kept by caches', async () => {
    const response = toResponse(reply(201, { b: 1, a: undefined, c: null }, { Location: '/b' }));
    expect(await response.text()).toBe('{"b":1,"c":null}');
    expect([response.status, Object.fromEntries(response.headers)]).toEqual([
      201,
      { 'content-type': 'application/json', 'cache-control': 'no-store', location: '/b' },
    ]);
  });

  it('has no body and no type where there is nothing to say', () => {
    const response = toResponse(reply(204, null));
    expect([response.status, response.body, response.headers.get('Content-Type')]).toEqual([204, null, null]);
  });
});

describe('an answer of an object', () => {
  const noRoom = () => new ProblemError('rate_limited', 'wait');
  type Answer = Result<string, 'not_found' | 'job_in_flight' | 'limit_reached'>;

  it('an answer is its value, or the problem of its refusal', () => {
    expect(accepted(value('a') as Answer, { limit_reached: noRoom })).toBe('a');
    expect(accepted(DONE as Result<null, 'not_found'>)).toBeNull();
    const refused = (answer: Answer) => () => accepted(answer, { limit_reached: noRoom });
    expect(refused(refuse('limit_reached'))).toThrow(
      expect.objectContaining({ kind: 'rate_limited', message: 'wait' }),
    );
    expect(refused(refuse('job_in_flight'))).toThrow(expect.objectContaining({ kind: 'job_in_flight' }));
    expect(refused(refuse('not_found'))).toThrow(expect.objectContaining({ kind: 'not_found' }));
  });
});

const ID = '5e1ec7ed-0c11-4d1c-8a5e-7ea5e7a11e5d';
const platform = { waitUntil: () => {} };

/** Creates a router of two operations. The handler of the first is given by the test. */
function build(answer: () => Response = () => new Response('thing')) {
  const lines: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const endpoints: Record<string, Endpoint<null, null>> = {
    getThing: { route: 'GET /things/:id', handler: answer },
    makeThing: { route: 'POST /things', handler: (_, { params }) => Response.json({ params }, { status: 201 }) },
  };
  const scope = { admit: () => null, readParam: readId };
  const routes = Object.entries(endpoints).map(([id, endpoint]) => bindEndpoint(id, endpoint, null, scope));
  const log = (message: string, fields: Readonly<Record<string, unknown>>) => void lines.push({ message, fields });
  const fetch = createRouter(routes, () => new Response('nothing', { status: 404 }), {
    baseUrl: 'https://tickreel.test',
    log,
  });
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(new Request(`https://tickreel.test${path}`, { method, headers }), platform);
  return { ask, lines, fetch };
}

describe('the router', () => {
  it.each(['/things', '/elsewhere', `/things/${ID}`])('reads the rest of a body that %s does not use', async (path) => {
    const request = new Request(`https://tickreel.test${path}`, { method: 'POST', body: 'x'.repeat(200_000) });
    await build().fetch(request, platform);
    expect(request.bodyUsed).toBe(true);
  });

  it('answers an operation, with an id of the request', async () => {
    const { ask } = build();
    const response = await ask('GET', `/things/${ID}`);
    expect([response.status, await response.text()]).toEqual([200, 'thing']);
    expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ask('POST', '/things')).status).toBe(201);
  });

  it('gives HEAD what it gives GET, without the body', async () => {
    const { ask } = build(() => new Response('thing', { headers: { 'X-Size': '5' } }));
    const response = await ask('HEAD', `/things/${ID}`);
    expect([response.status, response.headers.get('X-Size'), await response.text()]).toEqual([200, '5', '']);
  });

  it('names the methods of an address that was asked with another', async () => {
    const response = await build().ask('DELETE', `/things/${ID}`);
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('passes unknown paths to their own handler, and invalid ids to none', async () => {
    const { ask } = build();
    expect(await (await ask('GET', '/elsewhere')).text()).toBe('nothing');
    expect((await ask('GET', '/things/7')).status).toBe(404);
    expect((await ask('GET', `/things/${ID.toUpperCase()}`)).status).toBe(200);
  });

  it('answers a problem as such, and logs nothing of it', async () => {
    const { ask, lines } = build(() => {
      throw new ProblemError('gone', 'It was deleted.');
    });
    const response = await ask('GET', `/things/${ID}`);
    expect(response.status).toBe(410);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      detail: 'It was deleted.',
      error: 'It was deleted.',
      request_id: response.headers.get('X-Request-Id'),
    });
    expect(lines).toEqual([]);
  });

  it('hides any other error, and logs it with the causing request', async () => {
    const { ask, lines } = build(() => {
      throw new Error('the password is 1234');
    });
    const response = await ask('GET', `/things/${ID}`, { 'X-Request-Id': ID });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('1234');
    expect(lines).toEqual([
      {
        message: 'request failed',
        fields: {
          requestId: response.headers.get('X-Request-Id'),
          causedBy: ID,
          error: expect.stringContaining('the password is 1234'),
        },
      },
    ]);
    await ask('GET', `/things/${ID}`, { 'X-Request-Id': 'anything "else"' });
    expect(lines[1]?.fields).not.toHaveProperty('causedBy');
  });

  it.each([{ retryable: true }, { overloaded: true }])(
    'asks to come again after an error that is %j',
    async (trait) => {
      const { ask } = build(() => {
        throw Object.assign(new Error('the object has moved'), trait);
      });
      const response = await ask('GET', `/things/${ID}`);
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1']);
    },
  );
});

const withProperty = (name: string, value: unknown) => Object.assign(new Error('no word of it'), { [name]: value });

describe('what may go better in a moment', () => {
  it.each([
    new TransientError('storage failed'),
    withProperty('retryable', true),
    withProperty('overloaded', true),
    withProperty('durableObjectReset', true),
    new Error(`the job was ${LATER_VERSION} (9)`),
    new Error('head: We encountered an internal error. Please try again. (10001)'),
    new Error('put: Service is temporarily unavailable. (10043)'),
    new Error('put: Client disconnected before request completed. (10054)'),
    new Error('put: Rate limit exceeded. (10058)'),
    new Error('D1_ERROR: D1 DB reset because its code was updated.'),
    new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.'),
    new Error('D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.'),
    new Error('D1_ERROR: Network connection lost.'),
    new Error("D1_ERROR: Can't read from request stream because client disconnected."),
    new Error('D1_ERROR: database or disk is full: SQLITE_FULL'),
    new Error('internal error; reference = 6af8tfev2tr25850d2696q5r'),
    new Error('Durable Object reset because its code was updated.'),
    new Error('Connection closed: this Durable Object instance is no longer active. Reconnect or retry the request.'),
    new Error('Failed query: select 1', { cause: new Error('D1_ERROR: Network connection lost.') }),
  ])('$message', (error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    new Error('a fault of our own'),
    withProperty('retryable', false),
    withProperty('durableObjectReset', 'true'),
    new Error('put: The specified object name is not valid. (10020)'),
    new Error('(10001) is not at the end'),
    new Error('D1_ERROR: no such table: jobs: SQLITE_ERROR'),
    new Error('Failed query: select 1', { cause: new Error('D1_ERROR: UNIQUE constraint failed') }),
    'Network connection lost.',
    null,
  ])('is not $message', (error) => {
    expect(isTransient(error)).toBe(false);
  });
});

const isExtras: IsOpaque = (path) => path.length === 1 && path[0] === 'extras';
const duplicateIn = (text: string) => scanJson(text, isExtras).duplicate;
const extrasOf = (text: string) => scanJson(text, isExtras).opaque.get('extras') ?? null;

describe('a scan of a JSON text', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":2,"\\u0061":3}', 'a'],
    ['{"a":{"b":[{},{"c":1,"c":1}]}}', 'a.b[1].c'],
    ['[[{"x":1}],{"x":1,"y":"}","x":1}]', '[1].x'],
    ['{"extras":1,"extras":1}', 'extras'],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"inner":{"extras":{"a":1,"a":1}}}', 'inner.extras.a'],
  ])('finds the repeated field of %s', (text, path) => {
    expect(duplicateIn(text)).toBe(path);
  });

  it.each([
    ['{"a":{"a":{"a":1}},"b":["a","a"]}'],
    ['[{"a":1},{"a":1}]'],
    ['{"a":"b\\",\\"a","b":"\\\\"}'],
    ['{"extras":{"a":1,"a":2}}'],
    ['"a"'],
    ['[]'],
  ])('finds nothing to object to in %s', (text) => {
    expect(duplicateIn(text)).toBeNull();
  });

  it.each([
    ['{"extras": 12345678901234567890 }', '12345678901234567890'],
    ['{"a":1,"extras":[1.0, -0 ,\n1e400],"b":{}}', '[1.0,-0,1e400]'],
    ['{"extras":{"__proto__" : {"a": "b  c"}}}', '{"__proto__":{"a":"b  c"}}'],
    ['{"extras":"\\ud800\\u00e9 :,"}', '"\\ud800\\u00e9 :,"'],
    ['{"extras":null}', 'null'],
    ['{"\\u0065xtras":false}', 'false'],
    ['{"extras":{"extras":{"extras":[]}}}', '{"extras":{"extras":[]}}'],
  ])('hands out the opaque field of %s as it was sent', (text, extras) => {
    expect(extrasOf(text)).toBe(extras);
  });

  it.each([['{}'], ['{"a":{"extras":1}}'], ['["extras",1]'], ['[{"extras":1}]'], ['"extras"']])(
    'finds no opaque field in %s',
    (text) => {
      expect(extrasOf(text)).toBeNull();
    },
  );

  it('hands out each field that is opaque, by its path, and looks into all others', () => {
    const isOpaque: IsOpaque = (path) => path.length === 3 && path[2] === 'extras';
    const text = '{"clips":[{"extras": 1.0,"extra":{"extras":[2]}},{"fps":30},{"extras":{"a":1,"a":{}}, "b":2}]}';
    const found = { 'clips[0].extras': '1.0', 'clips[2].extras': '{"a":1,"a":{}}' };
    expect(scanJson(text, isOpaque)).toEqual({ duplicate: null, opaque: new Map(Object.entries(found)) });
    expect(scanJson('{"clips":[{"extras":1,"extras":2}]}', isOpaque).duplicate).toBe('clips[0].extras');
  });

  it('takes any depth', { tags: ['long'] }, () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(extrasOf(`{"a":${deep},"extras":${deep}}`)).toBe(deep);
    const nested = '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000);
    expect(extrasOf(`{"b":${nested},"extras":${nested}}`)).toBe(nested);
  });

  it('gives what JSON.stringify writes, however the text was spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (extras, others) => {
        const spaced = JSON.stringify({ ...others, extras, z: 1 }, null, 2);
        expect([duplicateIn(spaced), extrasOf(spaced)]).toEqual([null, JSON.stringify(extras)]);
      }),
    );
  });
});
