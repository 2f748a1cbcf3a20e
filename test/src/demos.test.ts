import { beforeAll, describe, expect, it } from 'vitest';
import type { Demo } from '#protocol/demos.ts';
import { FOUND_DEMO } from '#protocol/examples.ts';
import type { Grant } from '#protocol/gateway.ts';
import { createService } from '#service/service.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { hostOf } from '../support/host.ts';
import { fireAlarm } from '../support/scenario.ts';
import { bindings, createAccount, createHost, sendJson, submit, type TestAccount } from '../support/service.ts';
import type { TestHost } from '../support/test-host.ts';

const SKILLS = { skills: ['inspect', 'of a later version'] };
const DAY = 24 * 60 * 60 * 1000;

let mine: TestAccount;
let host: TestHost;

beforeAll(async () => {
  mine = await createAccount();
  host = hostOf(await createHost());
});

let made = 0;
const newDemo = () => `https://demos.example.com/inspected-${++made}.dem?signed=1`;

async function ask(demo_url: string, key = mine.metered): Promise<{ status: number; demo: Demo }> {
  const response = await sendJson(key, 'POST', '/api/demos', { demo_url });
  return { status: response.status, demo: await response.json<Demo>() };
}

const read = (id: string, key = mine.metered) => sendJson(key, 'GET', `/api/demos/${id}`);

/** Claims the waiting inspection. */
async function claim(id: string): Promise<Grant> {
  const grant = await host.claim(SKILLS, 20);
  if (grant?.job_id !== id) throw new Error(`${id} was not granted, but ${grant?.job_id}`);
  await host.heartbeat(grant);
  return grant;
}

async function inspected(demo_url: string, account = mine): Promise<Demo> {
  const { demo } = await ask(demo_url, account.metered);
  expect((await host.report(await claim(demo.id), 'inspected', { demo: FOUND_DEMO })).status).toBe(204);
  return (await read(demo.id, account.metered)).json<Demo>();
}

describe('an inspected demo', () => {
  it('is read once for an account, and has requests for its highlights', async () => {
    const demo_url = newDemo();
    const first = await ask(demo_url);
    expect(first).toMatchObject({ status: 202, demo: { state: 'pending', demo_url, match: null, expires_at: null } });
    const { id } = first.demo;
    const grant = await claim(id);
    expect(grant.order).toMatchObject({ demo_url, fps: 5, selection: { mode: 'inspect' } });
    expect(await ask(demo_url, mine.reserved)).toMatchObject({ status: 202, demo: { id, state: 'pending' } });
    expect((await host.report(grant, 'inspected', { demo: FOUND_DEMO })).status).toBe(204);
    // The host may have lost the answer.
    expect((await host.report(grant, 'inspected', { demo: FOUND_DEMO })).status).toBe(204);

    const { status, demo } = await ask(demo_url);
    expect(status).toBe(200);
    const [highlight] = FOUND_DEMO.highlights;
    expect(demo).toEqual({
      ...first.demo,
      state: 'ready',
      finished_at: expect.any(String),
      expires_at: new Date(Date.parse(demo.finished_at ?? '') + 7 * DAY).toISOString(),
      match: { ...FOUND_DEMO, highlights: [{ ...highlight, request: { demo_url, ...highlight?.request } }] },
    });
    expect(await (await read(id)).json()).toEqual(demo);
    expect(await host.claim(SKILLS)).toBeNull();
    const submitted = await sendJson(mine.metered, 'POST', '/api/clips', demo.match?.highlights[0]?.request);
    expect(submitted.status).toBe(201);
    const clip = await host.claimJob((await submitted.json<{ job_id: string }>()).job_id);
    // A host recognizes a kept demo.
    expect(clip.demo_key).toBe(grant.demo_key);
    await host.report(clip, 'fail', { code: 'demo_404', detail: 'gone' });
  });

  it('is invisible to another account, which has its own inspection', async () => {
    const demo_url = newDemo();
    const { id } = await inspected(demo_url);
    const theirs = await createAccount();
    expect((await read(id, theirs.metered)).status).toBe(404);
    expect((await inspected(demo_url, theirs)).id).not.toBe(id);
  });

  it('is no job to its account, and not on its bill', async () => {
    const account = await createAccount();
    const { id } = await inspected(newDemo(), account);
    const key = account.metered;
    expect((await sendJson(key, 'GET', `/api/jobs/${id}`)).status).toBe(404);
    expect((await sendJson(key, 'POST', `/api/jobs/${id}/resubmit`)).status).toBe(404);
    expect(await (await sendJson(key, 'GET', '/api/jobs')).json()).toMatchObject({ jobs: [] });
    expect(await (await sendJson(key, 'GET', '/api/clips')).json()).toMatchObject({ clips: [] });
    expect(await (await sendJson(key, 'GET', '/api/usage')).json()).toMatchObject({ usage: [] });
    expect((await read(await submit(key))).status).toBe(404);
    const grant = await host.claim({}, 20);
    if (grant) await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
  });

  it('is granted only to hosts with the skill, even if a dispatcher suggests it to others', async () => {
    const { demo } = await ask(newDemo());
    expect(await host.claim()).toBeNull();
    const job = bindings.RENDER_JOB.getByName(demo.id);
    expect(await job.claim({ hostId: 'a host' })).toMatchObject({ ok: false });
    const grant = await claim(demo.id);
    // It makes no clip.
    expect((await host.finish(grant)).status).toBe(409);
    expect((await host.report(grant, 'inspected', { demo: { ...FOUND_DEMO, players: 'none' } })).status).toBe(400);
    await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
  });

  it('is inspected again on request after a failure', async () => {
    const demo_url = newDemo();
    const { demo } = await ask(demo_url);
    await host.report(await claim(demo.id), 'fail', { code: 'demo_404', detail: 'gone' });
    expect(await (await read(demo.id)).json()).toMatchObject({ state: 'error', error_code: 'demo_404', match: null });
    expect(await ask(demo_url)).toMatchObject({ status: 202, demo: { id: demo.id, state: 'pending' } });
    await host.report(await claim(demo.id), 'inspected', { demo: FOUND_DEMO });
    expect(await ask(demo_url)).toMatchObject({ status: 200, demo: { state: 'ready' } });
    const elsewhere = await ask('https://elsewhere.example.org/a.dem');
    expect(elsewhere).toMatchObject({ status: 200, demo: { state: 'error', error_code: 'demo_url_rejected' } });
  });

  it('goes after reserved work and before metered, whatever came first', async () => {
    const metered = await submit(mine.metered);
    const { demo } = await ask(newDemo());
    const reserved = await submit(mine.reserved);
    // All jobs are queued before the first claim.
    for (const jobId of [metered, demo.id, reserved]) await fireAlarm(jobId);
    const order: string[] = [];
    for (let i = 0; i < 3; i++) {
      const grant = await host.claim(SKILLS, 20);
      if (!grant) throw new Error('nothing was granted');
      await host.heartbeat(grant);
      order.push(grant.job_id);
      await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
    }
    expect(order).toEqual([reserved, demo.id, metered]);
  });

  it('has a limit per account', async () => {
    const { metered } = await createAccount();
    const urls = Array.from({ length: 20 }, newDemo);
    for (const url of urls) expect((await ask(url, metered)).status).toBe(202);
    await expect.poll(async () => (await ask(newDemo(), metered)).status).toBe(429);
    expect((await ask(urls[0] ?? '', metered)).status).toBe(202);
    for (let grant = await host.claim(SKILLS); grant; grant = await host.claim(SKILLS)) {
      await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
    }
  });

  it('is deleted after a week, and then inspected again', async () => {
    const demo_url = newDemo();
    const { id } = await inspected(demo_url);
    const service = createService(bindings);
    await runUpkeep(service, Date.now() + 6 * DAY);
    expect((await read(id)).status).toBe(200);
    await runUpkeep(service, Date.now() + 8 * DAY);
    expect((await read(id)).status).toBe(404);
    const left = await bindings.DB.prepare('SELECT COUNT(*) AS n FROM jobs WHERE id = ?').bind(id).first('n');
    expect(left).toBe(0);
    expect(await ask(demo_url)).toMatchObject({ status: 202, demo: { id, state: 'pending' } });
    await host.report(await claim(id), 'inspected', { demo: FOUND_DEMO });
    expect(await ask(demo_url)).toMatchObject({ status: 200, demo: { state: 'ready' } });
  });
});
