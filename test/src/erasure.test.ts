import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { insertAgentPlans } from '#storage/account/agent-plans.ts';
import { openDatabase } from '#storage/lib/database.ts';
import { indexText, objectText, storedKeys } from '#test/support/objects.ts';
import { clipIdOf, createAccount } from '../support/accounts.ts';
import { createFaultyService, SAYS } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { evict, fireAlarm, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const MINUTE = 60_000;
const scene = useScenario();
const SECRET_OF_RULE = 'Bearer of-a-rule';

const erase = (id: string, name = 'test account') =>
  sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${id}/erase`, { name });
const account = (id: string) => sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${id}`);

async function pass(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await runUpkeep(createService(bindings), Date.now());
}

async function upload(key: string, isComplete: boolean): Promise<string> {
  const bytes = crypto.getRandomValues(new Uint8Array(1000));
  const announced = { name: 'a.dem', bytes: bytes.length, sha256: await sha256Hex(bytes) };
  const begun = await sendJson(key, 'POST', '/api/uploads', announced);
  const { id, demo_url, parts } = await begun.json<{ id: string; demo_url: string; parts: { url: string }[] }>();
  const headers = { Authorization: `Bearer ${key}` };
  await send((parts[0]?.url ?? '').replace(BASE_URL, ''), { method: 'PUT', headers, body: bytes });
  if (isComplete) await sendJson(key, 'POST', `/api/uploads/${id}/complete`);
  return demo_url;
}

async function image(key: string): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' };
  const answer = await send('/api/assets?kind=watermark', { method: 'POST', headers, body: PICTURES.png });
  return (await answer.json<{ id: string }>()).id;
}

/** Creates everything that an account can have, each in another state. */
async function furnish() {
  const { account: mine, host } = scene;
  const key = mine.metered;
  const inbox = createInbox('500');
  const made = await submit(key);
  await host.finish(await host.claimJob(made));
  const clip = await clipIdOf(made);
  await sendJson(key, 'POST', `/api/clips/${clip}/save`);
  await send(`/clips/${clip}/video.mp4`);
  const failed = await submit(key, { webhook_url: inbox.url, idempotency_key: 'k' });
  await host.report(await host.claimJob(failed), 'fail', { code: 'demo_404', detail: '' });
  await fireAlarm(failed);
  const running = await submit(key, { webhook_url: inbox.url });
  const grant = await host.claimJob(running);
  await host.heartbeat(grant);
  await host.upload(grant, 'video', new Uint8Array(10));
  await host.report(grant, 'uploads', { file: 'thumbnail' });
  const waiting = await submit(mine.reserved, { watermark_image_id: await image(key) });
  const destination = { webhook_url: 'https://hooks.example.com/', webhook_auth_header: SECRET_OF_RULE };
  await sendJson(key, 'POST', '/api/rules', { name: 'all', render: { what: 'highlights' }, send: destination });
  const demo_url = await upload(key, true);
  await upload(key, false);
  const asked = await sendJson(key, 'POST', '/api/demos', { demo_url });
  const { id: inspection } = await asked.json<{ id: string }>();
  await sendJson(key, 'POST', '/api/webhook-secrets');
  const plan = { id: crypto.randomUUID(), request: { demo_url }, planSha256: '', length: 1 };
  const now = Date.now();
  await insertAgentPlans(openDatabase(bindings.DB), [plan], { accountId: mine.id, now, most: 1 });
  await sendJson(key, 'PATCH', '/api/viewing', { show_views: true });
  await image(key);
  const jobs = [made, failed, running, waiting, inspection];
  for (const jobId of jobs) await evict(jobId);
  return { mine, host, inbox, clip, grant, jobs };
}

describe('an account that is erased', () => {
  it('leaves nothing behind but the note of it, and that its clips were deleted', async () => {
    const other = await createAccount();
    const kept = await submit(other.metered);
    await scene.host.finish(await scene.host.claimJob(kept));
    const { mine, host, inbox, clip, grant, jobs } = await furnish();
    const rename = (id: string, name: string) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { name });
    await rename(mine.id, 'Ada Lovelace');
    await rename(other.id, 'Grace Hopper');
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${mine.id}`, { brand: { name: 'Clips by Ada' } });
    const removed = await submit(mine.metered);
    await host.finish(await host.claimJob(removed));
    const reason = { reason: 'Shows Ada.' };
    await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/clips/${await clipIdOf(removed)}`, reason);
    jobs.push(removed);
    expect(await (await send(`/clips/${await clipIdOf(removed)}`)).text()).toContain('Clips by Ada');
    expect(await indexText(['audit'])).toContain(mine.id);
    expect((await erase(mine.id, 'another name')).status).toBe(400);
    const begun = await erase(mine.id, 'Ada Lovelace');
    expect(begun.status).toBe(202);
    expect(await begun.json()).toMatchObject({ erasing_at: new Date().toISOString(), keeps: expect.any(String) });
    expect((await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${mine.id}/keys`, { kind: 'metered' })).status).toBe(
      404,
    );
    expect(await host.claim({ skills: ['inspect', 'uploads'] })).toBeNull();
    // Until then a key cache may still have its keys.
    const late = await submit(mine.metered);
    await pass(MINUTE + 1);
    expect((await host.heartbeat(grant)).status).toBe(409);
    const sent = (await inbox.received()).length;
    for (const jobId of jobs) await ringEvicted(jobId, Date.now() + 1);
    expect((await account(mine.id)).status).toBe(200);
    await pass(60 * MINUTE);
    expect((await account(mine.id)).status).toBe(404);
    expect((await sendJson(mine.metered, 'GET', '/api/jobs')).status).toBe(401);
    const left = new RegExp([mine.id, ...jobs, late].join('|'));
    expect(await indexText(['audit', 'host_failures', 'usage_days'])).not.toMatch(left);
    expect(await indexText(['audit'])).not.toContain(clip);
    expect((await storedKeys()).filter((key) => key.includes(mine.id) || left.test(key))).toEqual([]);
    const clips = await Promise.all([...jobs, late].map(clipIdOf));
    const ofClips = (await storedKeys()).filter((key) => clips.some((id) => key.includes(id)));
    expect(ofClips.filter((key) => !key.startsWith('records/'))).toEqual([]);
    for (const key of ofClips) expect(await (await bindings.CLIPS.get(key))?.text()).not.toMatch(/"clip"|Ada/);
    const page = await send(`/clips/${clip}`);
    expect([page.status, await page.text()]).toEqual([410, expect.stringContaining('deleted')]);
    for (const jobId of [...jobs, late]) {
      expect(await objectText(jobId)).toBe('');
      const alarm = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) =>
        storage.getAlarm(),
      );
      expect(alarm).toBeNull();
    }
    expect(await inbox.received()).toHaveLength(sent);
    expect(await host.claim({ skills: ['inspect', 'uploads'] })).toBeNull();
    const audit = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/audit?limit=50')).json<{ entries: object[] }>();
    const noted = (entry: object) => expect(audit.entries).toContainEqual(expect.objectContaining(entry));
    noted({ action: 'eraseAccount', target: { id: mine.id }, status: 202, changes: null });
    noted({ action: 'createAccount', target: { account_id: mine.id }, changes: null });
    noted({ action: 'changeAccount', target: { id: other.id }, changes: '{"name":"Grace Hopper"}' });
    const billed = await (await sendJson(ADMIN_TOKEN, 'GET', `/admin/usage?account=${mine.id}`)).json();
    expect(billed).toMatchObject({ usage: [{ account_id: mine.id, account_name: null, runs: 2 }] });
    expect(await indexText()).not.toContain('Ada');
    expect((await send(`/clips/${await clipIdOf(kept)}/video.mp4`)).status).toBe(200);
    expect((await sendJson(other.metered, 'GET', `/api/jobs/${kept}`)).status).toBe(200);
  });

  it('is erased to the end, also where a job cannot be read, and storage, the index and an object fail', async () => {
    const { mine, jobs, clip } = await furnish();
    const left = new RegExp([mine.id, ...jobs].join('|'));
    const [made = '', failed = '', running = '', waiting = ''] = jobs;
    // By a later version, and damaged: the object does not open either.
    const spoil = async (jobId: string, change: (state: object) => string) => {
      await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage: { sql } }) => {
        const { state } = sql.exec<{ state: string }>('SELECT state FROM job').one();
        sql.exec('UPDATE job SET state = ?', change(JSON.parse(state)));
      });
      await evict(jobId);
    };
    await spoil(made, (state) => JSON.stringify({ ...state, v: 99 }));
    await spoil(running, () => '{"v":1');
    await erase(mine.id);
    const faulty = createFaultyService();
    await faulty.inside(failed);
    faulty.fail('CLIPS.list', SAYS.r2.internal);
    await pass(MINUTE + 1);
    faulty.fail('RENDER_JOB.erase', SAYS.d1[2] ?? '', { when: 'after' });
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    await runUpkeep(faulty.service, Date.now());
    await pass(5 * MINUTE);
    expect((await account(mine.id)).status).toBe(404);
    for (const jobId of [made, failed, running, waiting]) expect(await objectText(jobId)).toBe('');
    const gone = [mine.id, `clips/${clip}`, `clips/${await clipIdOf(running)}`];
    expect((await storedKeys()).filter((key) => gone.some((part) => key.includes(part)))).toEqual([]);
    expect((await send(`/clips/${clip}`)).status).toBe(410);
    expect(await indexText(['audit', 'host_failures', 'usage_days'])).not.toMatch(left);
  });

  it('keeps its row and what fails only, where a job cannot be erased; an alert names it after a day', async () => {
    const { mine, jobs } = await furnish();
    await erase(mine.id);
    const faulty = createFaultyService();
    faulty.fail('RENDER_JOB.erase', SAYS.d1[2] ?? '', { times: Number.POSITIVE_INFINITY });
    for (const ms of [MINUTE + 1, 60 * MINUTE]) {
      vi.setSystemTime(Date.now() + ms);
      await runUpkeep(faulty.service, Date.now());
    }
    expect((await storedKeys()).filter((key) => key.includes(mine.id))).toEqual([]);
    const rest = await indexText(['accounts', 'jobs', 'audit', 'host_failures', 'usage', 'usage_days', 'cursors']);
    expect(rest).not.toContain(mine.id);
    expect(rest).not.toContain(SECRET_OF_RULE);
    const stuck = async () => {
      const overview = await sendJson(ADMIN_TOKEN, 'GET', '/admin/overview');
      const { firing } = await overview.json<{ firing: { alert: string; text: string }[] }>();
      return firing.find(({ alert }) => alert === 'ErasureStuck')?.text;
    };
    expect(await stuck()).toBeUndefined();
    vi.setSystemTime(Date.now() + 24 * 60 * MINUTE);
    expect(await stuck()).toContain(mine.id);
    await pass(5 * MINUTE);
    expect((await account(mine.id)).status).toBe(404);
    for (const jobId of jobs) expect(await objectText(jobId)).toBe('');
    expect(await stuck()).toBeUndefined();
  });
});

describe('an account that is exported', () => {
  type Records = Record<string, unknown>[];

  async function exported(id: string): Promise<{ records: Records; pages: number }> {
    const records: Records = [];
    let [pages, query] = [0, ''];
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const answer = await sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${id}/export${query}`);
      expect(answer.status).toBe(200);
      const page = await answer.json<{ records: Records; next_cursor: string | null }>();
      records.push(...page.records);
      cursor = page.next_cursor;
      query = `?cursor=${cursor}`;
    }
    return { records, pages };
  }

  it('has everything that is stored of it, and no secret', async () => {
    const other = await createAccount();
    await submit(other.metered);
    const { mine, clip, jobs, inbox } = await furnish();
    const secret = 'Bearer of-the-webhook';
    const headed = await submit(mine.metered, { webhook_url: inbox.url, webhook_auth_header: secret });
    await fireAlarm(headed);
    await bindings.DB.prepare('INSERT INTO clip_views VALUES (?, ?, 3)')
      .bind(Math.floor(Date.now() / 86_400_000), clip)
      .run();
    const { records } = await exported(mine.id);
    const of = (table: string) => records.filter((one) => one.table === table);
    const [view, made] = [of('accounts')[0], of('jobs').find(({ id }) => id === jobs[0])];
    expect(view).toMatchObject({ id: mine.id, name: 'test account', viewing: { showsViews: true }, limits: {} });
    expect(of('api_keys')).toContainEqual(expect.objectContaining({ kind: 'metered', hint: expect.any(String) }));
    expect(of('webhook_secrets')).toHaveLength(1);
    expect(of('assets')).toHaveLength(2);
    expect(of('uploads')).toMatchObject([{ name: 'a.dem', created_at: new Date().toISOString() }, {}]);
    expect(of('usage_days')).toMatchObject([{ tier: 'metered', runs: 1, day: new Date().toISOString().slice(0, 10) }]);
    expect(of('usage')).toMatchObject([{ job_id: jobs[0], run: 1 }]);
    expect(of('clip_views')).toMatchObject([{ clip_id: clip, views: 3 }]);
    expect(
      of('jobs')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...jobs, headed].sort());
    expect(made).toMatchObject({
      job: { payload: { demo_url: expect.any(String), steam64_id: expect.any(String) } },
      clip: { is_saved: true, video: { bytes: 40_000 }, urls: { video: `${BASE_URL}/clips/${clip}/video.mp4` } },
    });
    expect(of('jobs').find(({ id }) => id === jobs[1])).toMatchObject({ deliveries: [{ url: inbox.url }] });
    expect(of('jobs').find(({ mode }) => mode === 'inspect')).toMatchObject({ demo: { state: 'pending' } });
    const text = JSON.stringify(records);
    const stored = await bindings.DB.prepare(
      'SELECT id_salt AS it FROM accounts UNION SELECT sha256 FROM api_keys',
    ).all();
    expect(of('rules')).toMatchObject([{ name: 'all', definition: { render: { what: 'highlights' } } }]);
    expect(of('rule_runs')).toMatchObject([{ rule_id: of('rules')[0]?.id, state: 'waiting' }]);
    const secrets = [secret, SECRET_OF_RULE, mine.metered, ...stored.results.map(({ it }) => String(it)), other.id];
    expect(secrets.filter((one) => text.includes(one))).toEqual([]);
    const { entries } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/audit')).json<{ entries: object[] }>();
    const noted = entries.filter((entry) => Object(entry).action === 'exportAccount');
    expect(noted).toMatchObject([{ target: { id: mine.id }, operator: 'ADMIN_TOKEN', status: 200 }]);
    const get = (path: string) => sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${mine.id}/${path}`);
    const asset = await get(`files/${of('assets')[0]?.id}`);
    expect(new Uint8Array(await asset.arrayBuffer())).toEqual(PICTURES.png);
    expect((await get(`files/${of('uploads').find(({ completed_at }) => completed_at)?.id}`)).status).toBe(200);
    expect((await get(`files/${crypto.randomUUID()}`)).status).toBe(404);
    for (const wrong of ['audit', 'constructor', 'jobs:1', 'jobs:"'])
      expect((await get(`export?cursor=${wrong}`)).status).toBe(400);
    expect((await sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${crypto.randomUUID()}/export`)).status).toBe(404);
  });

  it('comes by pages, of few calls each, in an order that no change moves', async () => {
    const { mine, jobs } = await furnish();
    const many = Array.from({ length: 120 }, (_, i) => `${crypto.randomUUID().slice(0, -3)}${100 + i}`);
    await bindings.DB.prepare(
      `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at)
       SELECT value, ?, '', 1, 'done', 'round', 0, 1080, ? - key / 3 FROM json_each(?)`,
    )
      .bind(mine.id, Date.now(), JSON.stringify(many))
      .run();
    const { records, pages } = await exported(mine.id);
    const ids = records.flatMap(({ table, id }) => (table === 'jobs' ? [id] : []));
    expect(ids.toSorted()).toEqual([...jobs, ...many].toSorted());
    expect(pages).toBe(10 + 3);
    const faulty = createFaultyService();
    await faulty.send(ADMIN_TOKEN, 'GET', `/admin/accounts/${mine.id}/export?cursor=jobs`);
    expect(faulty.calls.length).toBeLessThanOrEqual(3 * 50 + 5);
    faulty.fail('RENDER_JOB.story', SAYS.d1[2] ?? '');
    const cut = await faulty.send(ADMIN_TOKEN, 'GET', `/admin/accounts/${mine.id}/export?cursor=jobs`);
    expect(cut.status).toBe(503);
  });
});
