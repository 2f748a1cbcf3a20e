import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { renderJobOf } from '../../service/bindings.ts';
import { AHEAD_MS, fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const DAY = 24 * 60 * 60_000;
const SECRET = 'Token a-secret-of-the-receiver';
const EXTRAS = 'a-word-of-the-client';

const scene = useScenario(AHEAD_MS);

/** What an object pays for, and how often a text stands in it. */
async function keptBy(jobId: string) {
  return runInDurableObject(renderJobOf(bindings, jobId), (_, { storage: { sql } }) => {
    const tables = sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .toArray();
    const all = JSON.stringify(tables.map(({ name }) => sql.exec(`SELECT * FROM ${name}`).toArray()));
    return { bytes: sql.databaseSize, timesOf: (text: string) => all.split(text).length - 1 };
  });
}

async function finishedJob(url: string): Promise<string> {
  const { metered } = scene.account;
  const jobId = await submit(metered, { webhook_url: url, webhook_auth_header: SECRET, extras: EXTRAS });
  await scene.host.finish(await scene.host.claimJob(jobId));
  await fireAlarm(jobId);
  return jobId;
}

const resend = (jobId: string) => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);

describe('what an object keeps of a finished job', () => {
  it('is four pages, with the body of its webhook once, its header once and its extras once', async () => {
    const jobId = await finishedJob(createInbox().url);
    const { bytes, timesOf } = await keptBy(jobId);
    expect({ header: timesOf(SECRET), extras: timesOf(EXTRAS), body: timesOf('video_url') }).toEqual({
      header: 1,
      extras: 1,
      body: 1,
    });
    expect(bytes).toBeLessThanOrEqual(4 * 4096);
  });

  it('of a run before is no body', async () => {
    const jobId = await finishedJob(createInbox().url);
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    expect((await keptBy(jobId)).timesOf('video_url')).toBe(1);
  });

  it('is a secret for as long as is set, in which it can be sent, and then neither it nor its address', async () => {
    const inbox = createInbox();
    const jobId = await finishedJob(inbox.url);
    await ringEvicted(jobId, Date.now() + 29 * DAY);
    expect((await resend(jobId)).status).toBe(200);
    await fireAlarm(jobId);
    expect((await inbox.received()).map(({ headers }) => headers.authorization)).toEqual([SECRET, SECRET]);

    await ringEvicted(jobId, Date.now() + DAY);
    const { timesOf } = await keptBy(jobId);
    expect(timesOf(SECRET)).toBe(0);
    const refused = await resend(jobId);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/#no_webhook$/) });
    const row = await bindings.DB.prepare('SELECT watch_at FROM jobs WHERE id = ?').bind(jobId).first();
    expect(row).toEqual({ watch_at: null });
  });

  it('is a secret while a webhook is on its way that needs it', async () => {
    const inbox = createInbox('500');
    const jobId = await finishedJob(inbox.url);
    await ringEvicted(jobId, Date.now() + 30 * DAY - 60_000);
    expect((await resend(jobId)).status).toBe(200);
    await ringEvicted(jobId, Date.now() + DAY);
    const received = await inbox.received();
    expect(received).toHaveLength(20);
    expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(new Set([SECRET]));
    expect((await keptBy(jobId)).timesOf(SECRET)).toBe(0);
  });

  it('is the latest hundred webhooks, besides what an hour brought', async () => {
    const jobId = await finishedJob(createInbox().url);
    await runInDurableObject(renderJobOf(bindings, jobId), (_, { storage: { sql } }) => {
      for (let i = 0; i < 150; i++) {
        sql.exec(`INSERT INTO deliveries (id, run, event, url, status, attempts, created_at)
          SELECT 'id-' || COUNT(*), 1, 'job.completed', 'x', 'delivered', '[]', MAX(created_at) FROM deliveries`);
      }
    });
    const count = () =>
      runInDurableObject(renderJobOf(bindings, jobId), (_, { storage: { sql } }) =>
        Number(sql.exec('SELECT COUNT(*) AS n FROM deliveries').one().n),
      );
    await pass(DAY, jobId);
    expect((await resend(jobId)).status).toBe(200);
    // The announced one has the body, and stays.
    expect(await count()).toBe(101);
    expect((await resend(jobId)).status).toBe(200);
    expect(await count()).toBe(101);
  });
});
