import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Notice, Watchers } from '#durable-objects/render-job/watchers.ts';
import { freezeClock } from '../support/clock.ts';
import { fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const DAY = 24 * 60 * 60_000;
const SECRET = 'Token a-secret-of-the-receiver';
const EXTRAS = 'a-word-of-the-client';

const scene = useScenario();

/** Returns the size of an object's storage, which is billed, and a function that counts a text in it. */
async function keptBy(jobId: string) {
  return runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage: { sql } }) => {
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

  it('keeps its secret while a queued webhook needs it', async () => {
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
    await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage: { sql } }) => {
      for (let i = 0; i < 150; i++) {
        sql.exec(`INSERT INTO deliveries (id, run, event, url, status, attempts, created_at)
          SELECT 'id-' || COUNT(*), 1, 'job.completed', 'x', 'delivered', '[]', MAX(created_at) FROM deliveries`);
      }
    });
    const count = () =>
      runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage: { sql } }) =>
        Number(sql.exec('SELECT COUNT(*) AS n FROM deliveries').one().n),
      );
    await pass(DAY, jobId);
    expect((await resend(jobId)).status).toBe(200);
    // The delivery that announced the run has the body, and stays.
    expect(await count()).toBe(101);
    expect((await resend(jobId)).status).toBe(200);
    expect(await count()).toBe(101);
  });
});

const NOTICE = { id: '4', data: { status: 'render', progress: 0.5, attempt: 1, error_code: null } } as const;
const LAST = { id: '5', data: { ...NOTICE.data, status: 'done', progress: null } } as const;
const watchersOf = (now: () => Promise<Notice> = async () => NOTICE) => new Watchers(now);
const MINUTE = 60_000;

const decode = (value?: Uint8Array) => new TextDecoder().decode(value);

/** Runs the pending callbacks of promises. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await Promise.resolve();
}

describe('a watcher', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(freezeClock);

  it('gets a comment every 15 seconds while nothing happens, and the outcome ends its stream', async () => {
    const watchers = watchersOf();
    const reader = watchers.add(NOTICE, false).getReader();
    expect(decode((await reader.read()).value)).toBe(`retry: 2000\nid: 4\ndata: ${JSON.stringify(NOTICE.data)}\n\n`);
    for (let comments = 0; comments < 40; comments++) {
      await settle();
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(decode((await next).value)).toBe(':\n\n');
    }
    await settle();
    watchers.notify(() => LAST, true);
    expect(decode((await reader.read()).value)).toBe(`id: 5\ndata: ${JSON.stringify(LAST.data)}\n\n`);
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that reads nothing for a minute is dropped, and then the object can be evicted', async () => {
    const watchers = watchersOf();
    const silent = watchers.add(NOTICE, false);
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    await expect(silent.getReader().read()).rejects.toThrow('for a minute');
  });

  it('that includes the place in the queue gets it repeatedly while the job waits, then a comment', async () => {
    const places = [{ position: 2, estimate_s: 9 }, null];
    const waiting = { ...NOTICE.data, status: 'pending', progress: null } as const;
    const watchers = watchersOf(async () => {
      const queue = places.shift() ?? null;
      return { id: '1', data: queue ? { ...waiting, queue } : { ...NOTICE.data, queue } };
    });
    const reader = watchers.add({ id: '1', data: waiting }, false, ['queue']).getReader();
    await reader.read();
    for (const expected of ['"position":2', ':\n\n']) {
      await settle();
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(decode((await next).value)).toContain(expected);
    }
  });

  it('that hung up is dropped with the next comment', async () => {
    const watchers = watchersOf();
    const reader = watchers.add(NOTICE, false).getReader();
    await reader.read();
    await settle();
    await reader.cancel();
    await vi.advanceTimersByTimeAsync(15_000);
    await settle();
    expect(vi.getTimerCount()).toBe(0);
  });
});
