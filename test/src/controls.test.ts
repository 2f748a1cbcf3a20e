import { afterEach, describe, expect, it, vi } from 'vitest';
import { isolate } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, roundRequest, send, sendJson, submit } from '../support/service.ts';

const scene = useScenario();
const admin = (method: string, path: string, body?: unknown) => sendJson(ADMIN_TOKEN, method, `/admin/${path}`, body);
const ROUND = JSON.stringify(roundRequest());

afterEach(async () => {
  await bindings.DB.prepare('DELETE FROM controls').run();
  await admin('GET', 'controls');
});

async function block(address: string): Promise<string> {
  const answer = await admin('POST', 'blocks', { address, reason: 'asked to' });
  expect(answer.status).toBe(201);
  return (await answer.json<{ block_id: string }>()).block_id;
}

describe('maintenance', () => {
  const begin = (more = {}) => admin('PUT', 'maintenance', { reason: 'the database moves', ...more });

  it('refuses new work, and lets everything else go on', { tags: ['long'] }, async () => {
    const { account, host } = scene;
    const taken = await submit(account.metered);
    const grant = await host.claimJob(taken);
    const call = (method: string, path: string, body?: unknown) => sendJson(account.metered, method, path, body);
    const demo = await call('POST', '/api/uploads', { name: 'a.dem', bytes: 1, sha256: '0'.repeat(64) });
    const { parts } = await demo.json<{ parts: { url: string }[] }>();
    expect((await begin()).status).toBe(200);
    const intake = [
      await call('POST', '/api/clips', roundRequest()),
      await call('POST', '/api/clips/batch', { clips: [roundRequest()] }),
      await call('POST', '/api/demos', { demo_url: 'https://demos.example.com/match.dem' }),
      await call('POST', '/api/uploads', { name: 'a.dem', bytes: 10, sha256: '0'.repeat(64) }),
      await call('POST', `/api/jobs/${taken}/resubmit`),
    ];
    for (const answer of intake) {
      expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '300']);
      const type = expect.stringMatching(/\/docs\/problems#unavailable$/);
      expect(await answer.json()).toMatchObject({
        type,
        detail: 'The service takes no new work, for maintenance: the database moves',
      });
    }
    const image = { method: 'POST', headers: { Authorization: `Bearer ${account.metered}` }, body: PICTURES.png };
    expect((await send('/api/assets?kind=watermark', image)).status).toBe(503);
    expect(await (await send('/healthz')).text()).toBe('ok, under maintenance: the database moves\n');
    expect(await (await admin('GET', 'overview')).json()).toMatchObject({
      maintenance: { reason: 'the database moves', until: null, operator: 'ADMIN_TOKEN' },
    });
    const part = { method: 'PUT', headers: { Authorization: `Bearer ${account.metered}` }, body: new Uint8Array(1) };
    expect((await send((parts[0]?.url ?? '').replace(BASE_URL, ''), part)).status).toBe(204);
    expect((await host.finish(grant)).status).toBe(204);
    const job = await readJob<{ status: string; clip_id: string }>(account.metered, taken);
    expect(job).toMatchObject({ status: 'done' });
    expect((await send(`/clips/${job.clip_id}`)).status).toBe(200);
    expect((await admin('DELETE', 'maintenance')).status).toBe(204);
    await submit(account.metered);
    expect(await (await send('/healthz')).text()).toBe('ok\n');
  });

  it('ends by itself, and `Retry-After` names that while it is near', async () => {
    const until = (ms: number) => new Date(Date.now() + ms).toISOString();
    expect((await begin({ until: until(-1) })).status).toBe(400);
    expect((await begin({ until: until(3_600_000) })).status).toBe(200);
    const refused = () => sendJson(scene.account.metered, 'POST', '/api/clips', roundRequest());
    expect((await refused()).headers.get('Retry-After')).toBe('300');
    // The second call replaces the first.
    const soon = until(20_000);
    await begin({ until: soon });
    const answer = await refused();
    expect(answer.headers.get('Retry-After')).toBe('20');
    expect(await answer.json()).toMatchObject({
      detail: `The service takes no new work, for maintenance: the database moves (until ${soon})`,
    });
    vi.setSystemTime(Date.now() + 20_000);
    await submit(scene.account.metered);
    expect(await (await admin('GET', 'controls')).json()).toEqual({ maintenance: null, blocks: [] });
  });

  it('begins in other isolates within seconds, and one read of the index serves many submits', async () => {
    const other = isolate({});
    const answers = async () => (await other('POST', '/api/clips', scene.account.metered, ROUND)).status;
    expect(await answers()).toBe(201);
    await begin();
    expect(await answers()).toBe(201);
    vi.setSystemTime(Date.now() + 5000);
    expect(await answers()).toBe(503);
    await admin('DELETE', 'maintenance');
    const service = createFaultyService();
    const counted = () => [...service.statements.keys()].filter((sql) => sql.includes('"controls"'));
    for (let i = 0; i < 3; i++) await service.send(scene.account.metered, 'POST', '/api/clips', roundRequest());
    expect(counted()).toHaveLength(1);
  });

  it('does not begin or end while the index does not answer', async () => {
    const service = createFaultyService();
    const answers = async () =>
      (await service.send(scene.account.metered, 'POST', '/api/clips', roundRequest())).status;
    expect(await answers()).toBe(201);
    await begin();
    vi.setSystemTime(Date.now() + 5000);
    service.fail('DB', 'D1_ERROR: Network connection lost.');
    expect(await answers()).toBe(201);
    vi.setSystemTime(Date.now() + 5000);
    expect(await answers()).toBe(503);
  });
});

describe('a blocked demo', () => {
  const URL = 'https://cdn.demos.example.com/match.dem';
  const REJECTED = { status: 'error', error_code: 'demo_url_rejected' };

  it('fails new jobs, inspections and resubmits as on a domain that is not accepted', async () => {
    const { metered } = scene.account;
    const before = await submit(metered, { demo_url: `${URL}?signature=1` });
    await sendJson(metered, 'POST', `/api/jobs/${before}/cancel`);
    const id = await block(URL);
    const refused = await submit(metered, { demo_url: URL });
    expect(await readJob(metered, refused)).toMatchObject(REJECTED);
    const inspected = await sendJson(metered, 'POST', '/api/demos', { demo_url: URL });
    expect([inspected.status, await inspected.json()]).toMatchObject([200, { state: 'error' }]);
    expect((await sendJson(metered, 'POST', `/api/jobs/${before}/resubmit`)).status).toBe(200);
    expect(await readJob(metered, before)).toMatchObject(REJECTED);
    const other = await submit(metered, { demo_url: 'https://cdn.demos.example.com/other.dem' });
    expect(await readJob(metered, other)).toMatchObject({ status: 'pending' });
    expect((await admin('DELETE', `blocks/${id}`)).status).toBe(204);
    expect((await admin('DELETE', `blocks/${id}`)).status).toBe(404);
    expect((await sendJson(metered, 'POST', `/api/jobs/${refused}/resubmit`)).status).toBe(200);
    expect(await readJob(metered, refused)).toMatchObject({ status: 'pending' });
  });

  it('is not given to hosts: a waiting job fails, and grants have the list for redirects', {
    tags: ['long'],
  }, async () => {
    await resetQueue();
    const { account, host } = scene;
    const waiting = await submit(account.metered, { demo_url: URL });
    const second = await submit(account.metered);
    expect(await host.claimJob(second)).not.toHaveProperty('blocked');
    await block('cdn.demos.example.com');
    vi.setSystemTime(Date.now() + 1);
    await block('https://demos.example.com/other.dem?id=7');
    expect(await host.claim()).toBeNull();
    expect(await readJob(account.metered, waiting)).toMatchObject(REJECTED);
    const third = await submit(account.metered);
    expect(await host.claimJob(third)).toMatchObject({
      blocked: ['cdn.demos.example.com', 'demos.example.com/other.dem?id=7'],
    });
  });

  it('is listed once, with its reason, and a hundred are taken at most', async () => {
    const id = await block('cdn.demos.example.com');
    expect(await block('https://CDN.demos.example.com/')).toBe(id);
    const { blocks } = await (await admin('GET', 'controls')).json<{ blocks: object[] }>();
    expect(blocks).toMatchObject([{ address: 'cdn.demos.example.com', reason: 'asked to', operator: 'ADMIN_TOKEN' }]);
    expect((await admin('POST', 'blocks', { address: 'com', reason: 'x' })).status).toBe(400);
    const put = bindings.DB.prepare(
      `INSERT INTO controls (id, kind, name, reason, created_at, operator)
       SELECT value, 'block', value, '', 0, '' FROM json_each(?)`,
    );
    await put.bind(JSON.stringify(Array.from({ length: 99 }, () => crypto.randomUUID()))).run();
    expect((await admin('POST', 'blocks', { address: 'more.example.com', reason: 'x' })).status).toBe(429);
    expect((await admin('POST', 'blocks', { address: 'cdn.demos.example.com', reason: 'x' })).status).toBe(201);
    const begun = await admin('PUT', 'maintenance', { reason: 'the database moves' });
    expect(await begun.json()).toMatchObject({ reason: 'the database moves' });
  });
});
