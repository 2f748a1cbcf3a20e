import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { createApp } from '#src/worker.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, sendJson } from '../support/service.ts';

const OWN = { Origin: BASE_URL };

/** Creates the service in an isolate of its own, and a function that sends requests with a token or a cookie. */
function isolate(variables: Record<string, unknown> = {}) {
  const app = createApp(createService({ ...bindings, ...variables } as Bindings));
  const ask = (method: string, path: string, headers: Record<string, string> = {}, base = BASE_URL) =>
    app(new Request(base + path, { method, headers }), createExecutionContext());
  return {
    ask,
    async signIn(token: string): Promise<{ Cookie: string }> {
      const response = await ask('POST', '/console/session', { Authorization: `Bearer ${token}`, ...OWN });
      const cookie = response.headers.get('Set-Cookie') ?? '';
      expect(cookie).toMatch(/; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
      return { Cookie: cookie.split(';')[0] ?? '' };
    },
    seen: async (session: Record<string, string>) => (await ask('GET', '/console/session', session)).status,
  };
}

async function operator(): Promise<{ operator_id: string; token: string }> {
  const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/operators', { name: 'Ada', role: 'read' });
  return made.json();
}

describe('a session of the console', () => {
  it('allows changes only from the public origin, also behind a proxy that terminates TLS', async () => {
    const { ask, signIn } = isolate();
    const session = await signIn(ADMIN_TOKEN);
    const change = async (origin: string) => {
      const headers = { ...session, Origin: origin };
      return (await ask('POST', '/admin/operators', headers, 'http://tickreel.test')).status;
    };
    // An admitted request gets 415, because it has no body.
    expect(await change('https://tickreel.test')).toBe(415);
    for (const other of ['http://tickreel.test', 'https://evil.test', 'null']) expect(await change(other)).toBe(403);
    expect((await ask('POST', '/admin/operators', session)).status).toBe(403);
  });

  it('cannot begin on a page of another origin, which could not change anything', async () => {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, Origin: 'http://localhost:8787' };
    const response = await isolate().ask('POST', '/console/session', headers);
    expect([response.status, response.headers.get('Set-Cookie')]).toEqual([403, null]);
    expect((await response.json<{ detail: string }>()).detail).toContain(`at ${BASE_URL}, may change something`);
  });

  it('stays valid for an address whose wrong cookies are counted and refused', async () => {
    const { ask, signIn, seen } = isolate({ LIMIT_KEY_GUESSES: '2' });
    const session = await signIn(ADMIN_TOKEN);
    const guess = (digit: string) => seen({ Cookie: `tickreel_console=${digit.repeat(64)}` });
    expect([await guess('1'), await guess('2'), await guess('3')]).toEqual([401, 401, 429]);
    expect(await seen(session)).toBe(200);
    expect((await ask('GET', '/admin/operators', session)).status).toBe(200);
  });

  it('ends on the server when its operator signs out; other sessions stay', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const { token } = await operator();
    const [session, other] = [await here.signIn(token), await here.signIn(token)];
    expect(await elsewhere.seen(session)).toBe(200);
    const ended = await here.ask('DELETE', '/console/session', { ...session, ...OWN });
    expect([ended.status, ended.headers.get('Set-Cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    for (const { seen } of [here, elsewhere]) {
      expect(await seen(session)).toBe(401);
      expect(await seen(other)).toBe(200);
    }
  });

  it('is not renewed by its cookie, and ends after an hour', async () => {
    const { ask, signIn, seen } = isolate();
    const session = await signIn(ADMIN_TOKEN);
    const renewal = await ask('POST', '/console/session', { ...session, ...OWN });
    expect([renewal.status, renewal.headers.get('Set-Cookie')]).toEqual([401, null]);
    vi.setSystemTime(Date.now() + 59 * 60_000);
    expect(await seen(session)).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await seen(session)).toBe(401);
    await signIn(ADMIN_TOKEN);
    const { count } = (await bindings.DB.prepare('SELECT COUNT(*) AS count FROM console_sessions').first<{
      count: number;
    }>()) ?? { count: null };
    expect(count).toBe(1);
  });

  it('ends with its operator, and with the token of the deployment', async () => {
    const { ask, signIn, seen } = isolate();
    const { operator_id, token } = await operator();
    const [theirs, root] = [await signIn(token), await signIn(ADMIN_TOKEN)];
    await ask('DELETE', `/admin/operators/${operator_id}`, { Authorization: `Bearer ${ADMIN_TOKEN}` });
    expect([await seen(theirs), await seen(root)]).toEqual([401, 200]);
    expect(await isolate({ ADMIN_TOKEN: 'another-admin-token-of-32-characters' }).seen(root)).toBe(401);
  });
});
