import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import { createService } from '#service/service.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { createFaultyService, resetObject, SAYS } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { indexText, objectText, storedKeys } from '../support/raw.ts';
import { evict, fireAlarm, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, createAccount, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const MINUTE = 60_000;
const scene = useScenario();

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
  const demo_url = await upload(key, true);
  await upload(key, false);
  const asked = await sendJson(key, 'POST', '/api/demos', { demo_url });
  const { id: inspection } = await asked.json<{ id: string }>();
  await sendJson(key, 'POST', '/api/webhook-secrets');
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
    expect(await indexText(['audit'])).toContain(mine.id);
    expect((await erase(mine.id, 'another name')).status).toBe(400);
    const begun = await erase(mine.id);
    expect(begun.status).toBe(202);
    expect(await begun.json()).toMatchObject({ erasing_at: new Date().toISOString() });
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
    expect(await indexText(['audit', 'host_failures'])).not.toMatch(left);
    expect((await storedKeys()).filter((key) => key.includes(mine.id) || left.test(key))).toEqual([]);
    const clips = await Promise.all([...jobs, late].map(clipIdOf));
    const ofClips = (await storedKeys()).filter((key) => clips.some((id) => key.includes(id)));
    expect(ofClips.filter((key) => !key.startsWith('records/'))).toEqual([]);
    for (const key of ofClips) expect(await (await bindings.CLIPS.get(key))?.text()).not.toContain('"clip"');
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
    const audit = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/audit?limit=10')).text();
    expect(audit).toContain('eraseAccount');
    expect((await send(`/clips/${await clipIdOf(kept)}/video.mp4`)).status).toBe(200);
    expect((await sendJson(other.metered, 'GET', `/api/jobs/${kept}`)).status).toBe(200);
  });

  it('is erased to the end, also where storage, the index and an object fail in between', async () => {
    const { mine, jobs } = await furnish();
    const left = new RegExp([mine.id, ...jobs].join('|'));
    const [made = '', broken = ''] = jobs;
    const keep = await runInDurableObject(bindings.RENDER_JOB.getByName(broken), (_, { storage }) => {
      const { state } = storage.sql.exec('SELECT state FROM job').one();
      storage.sql.exec('UPDATE job SET state = ?', JSON.stringify({ ...JSON.parse(String(state)), v: 99 }));
      return String(state);
    });
    await evict(broken);
    await erase(mine.id);
    const faulty = createFaultyService();
    await faulty.inside(made);
    faulty.fail('CLIPS.list', SAYS.r2.internal);
    await pass(MINUTE + 1);
    faulty.fail('RENDER_JOB.erase', SAYS.d1[2] ?? '', { when: 'after' });
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    await runUpkeep(faulty.service, Date.now());
    // Only the unreadable job is left of the account.
    expect((await account(mine.id)).status).toBe(200);
    await runInDurableObject(bindings.RENDER_JOB.getByName(broken), (_, { storage }) => {
      storage.sql.exec('UPDATE job SET state = ?', keep);
    });
    await resetObject(bindings.RENDER_JOB.getByName(broken));
    await pass(5 * MINUTE);
    expect((await account(mine.id)).status).toBe(404);
    for (const jobId of jobs) expect(await objectText(jobId)).toBe('');
    expect((await storedKeys()).filter((key) => key.includes(mine.id))).toEqual([]);
    expect(await indexText(['audit', 'host_failures'])).not.toMatch(left);
  });
});
