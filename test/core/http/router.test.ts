import { describe, expect, it } from 'vitest';
import { ProblemError } from '#http/problem.ts';
import { bindEndpoint, createRouter, type Endpoint, readId } from '#http/router.ts';

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
  return { ask, lines };
}

describe('the router', () => {
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
