import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { dispatcherOf } from '../../durable-objects/dispatcher/dispatchers.ts';
import type { Grant } from '../../protocol/gateway.ts';
import { AHEAD_MS, pass, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, sendJson, submit } from '../support/service.ts';

const scene = useScenario(AHEAD_MS);

async function get<T = Record<string, never>>(path: string): Promise<T> {
  const response = await sendJson(ADMIN_TOKEN, 'GET', path);
  expect(response.status, path).toBe(200);
  return response.json<T>();
}

const post = (path: string, body: unknown) => sendJson(ADMIN_TOKEN, 'POST', path, body);

describe('a suspended account', () => {
  const suspend = (suspended: boolean) =>
    sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, { suspended });

  it('reads and writes nothing; its queued jobs wait, running ones finish, and all goes on afterwards', async () => {
    const { account, host } = scene;
    const running = await host.claimJob(await submit(account.metered));
    await host.heartbeat(running);
    const waiting = [await submit(account.metered), await submit(account.reserved)];
    expect(await (await suspend(true)).json()).toMatchObject({ suspended_at: new Date().toISOString() });
    vi.setSystemTime(Date.now() + 31_000);
    const refused = await sendJson(account.metered, 'POST', '/api/clips', {
      demo_url: 'https://demos.example.com/a.dem',
    });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ type: '/docs/problems#account_suspended' });
    const read = () => sendJson(account.metered, 'GET', `/api/jobs/${waiting[0]}`);
    expect(await (await read()).json()).toMatchObject({ status: 'pending' });
    expect((await host.finish(running)).status).toBe(204);
    // Nor after the dispatcher has left memory, nor where a job offers itself again.
    await evictDurableObject(dispatcherOf(bindings.DISPATCHER));
    for (const id of waiting) await pass(10 * 60_000, id);
    expect(await host.claim()).toBeNull();
    expect(await get('/admin/overview')).toMatchObject({ queue: [{ waiting: 0 }, { waiting: 0 }] });
    expect((await suspend(false)).status).toBe(200);
    const got = [await host.claim(), await host.claim()];
    expect(got.map((grant) => grant?.job_id)).toEqual(waiting.toReversed());
    for (const grant of got) if (grant) await host.report(grant, 'fail', { code: 'demo_404', detail: '' });
    vi.setSystemTime(Date.now() + 31_000);
    await submit(account.metered);
    await host.report((await host.claim()) as Grant, 'fail', { code: 'demo_404', detail: '' });
  });

  it('has limits of its own in the place of those of all', async () => {
    const { account } = scene;
    const limits = { submits: 2, jobs: 2, uploads: 1, follows: 1 };
    const changed = await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { limits });
    expect(await changed.json()).toMatchObject({ limits });
    const one = await submit(account.metered);
    expect(await submit(account.metered, { idempotency_key: 'k' })).not.toBe(one);
    const third = await sendJson(account.metered, 'POST', '/api/clips', {});
    expect(third.status).toBe(429);
    expect(third.headers.get('RateLimit-Policy')).toBe('"submits";q=2;w=60');
    await (await sendJson(account.metered, 'GET', '/api/events')).body?.cancel();
    await sendJson(account.metered, 'POST', '/api/uploads', {});
    for (const [method, path, policy] of [
      ['POST', '/api/demos', '"submits";q=2;w=60'],
      ['POST', '/api/uploads', '"uploads";q=1;w=60'],
      ['GET', '/api/events', '"follows";q=1;w=60'],
    ] as const) {
      const refused = await sendJson(account.metered, method, path, method === 'GET' ? undefined : {});
      expect([path, refused.status, refused.headers.get('RateLimit-Policy')]).toEqual([path, 429, policy]);
    }
    vi.setSystemTime(Date.now() + 60_000);
    const beyond = await sendJson(account.metered, 'POST', '/api/clips', {});
    expect(await beyond.json()).toMatchObject({ type: '/docs/problems#limit_reached' });
    for (let i = 0; i < 2; i++) await scene.host.report((await scene.host.claim()) as Grant, 'fail', GONE);
  });
});

const GONE = { code: 'demo_404', detail: '' };

describe('a key', () => {
  const keys = () => `/admin/accounts/${scene.account.id}/keys`;
  const make = async (more: Record<string, unknown>) =>
    (await post(keys(), { kind: 'metered', ...more })).json<{ key: string; key_id: string }>();

  it('does what its scope allows', async () => {
    const clip = `/api/clips/${crypto.randomUUID()}`;
    const answers = async (scope: string) => {
      const { key } = await make({ scope });
      const asked = [
        sendJson(key, 'GET', clip),
        sendJson(key, 'POST', '/api/clips', {}),
        sendJson(key, 'DELETE', clip),
      ];
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await answers('read')).toEqual([404, 403, 403]);
    expect(await answers('submit')).toEqual([404, 400, 403]);
    await sendJson(ADMIN_TOKEN, 'DELETE', `${keys()}/${(await listed())[0]?.key_id}`);
    expect(await answers('manage')).toEqual([404, 400, 404]);
  });

  interface Key {
    readonly key_id: string;
    readonly [field: string]: unknown;
  }
  const listed = async () => (await get<{ keys: Key[] }>(keys())).keys.filter(({ kind }) => kind === 'metered');

  it('has a name, ends when it is told, and is seen to be used, to an hour', async () => {
    const expires_at = new Date(Date.now() + 3 * 60 * 60_000).toISOString();
    const { key, key_id } = await make({ scope: 'read', name: 'dashboard', expires_at });
    const seen = async () => (await listed()).find((one) => one.key_id === key_id);
    expect(await seen()).toMatchObject({ name: 'dashboard', scope: 'read', expires_at, last_used: null });
    const first = new Date().toISOString();
    const use = async () => (await sendJson(key, 'GET', '/api/jobs')).status;
    expect(await use()).toBe(200);
    await expect.poll(seen).toMatchObject({ last_used: first });
    vi.setSystemTime(Date.now() + 59 * 60_000);
    expect(await use()).toBe(200);
    expect(await seen()).toMatchObject({ last_used: first });
    vi.setSystemTime(Date.now() + 60_000);
    const second = new Date().toISOString();
    expect(await use()).toBe(200);
    await expect.poll(seen).toMatchObject({ last_used: second });
    vi.setSystemTime(Date.parse(expires_at));
    expect(await use()).toBe(401);
  });
});
