import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { entryOf, type PublicRecord } from '#domain/job/public-record.ts';
import { clipListKey } from '#domain/job/storage-keys.ts';
import { LATER_VERSION, STORED_VERSIONS } from '#domain/lib/types.ts';
import { createPushHostRows } from '#durable-objects/dispatcher/push-hosts.ts';
import { migrateQueue } from '#durable-objects/dispatcher/queue-tables.ts';
import { createPushHostStore, type StoredPushHost } from '#durable-objects/push-host/stored-push-host.ts';
import { DeliveryStore, type LoggedDelivery } from '#durable-objects/render-job/delivery-store.ts';
import { createJobStore } from '#durable-objects/render-job/job-store.ts';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import { type JobUpgrade, NewerStateError } from '#durable-objects/render-job/stored-job.ts';
import type { StoredRequest } from '#durable-objects/render-job/stored-request.ts';
import { type Notice, Watchers } from '#durable-objects/render-job/watchers.ts';
import { loadSettings } from '#platform/settings.ts';
import { callUrlFault, isAcceptableDemoUrl } from '#protocol/demo/demos.ts';
import type { RegisteredPushHost } from '#rpc/dispatcher.ts';
import { writeLists } from '#storage/clip/clip-lists.ts';
import { parseRecord } from '#storage/clip/public-record.ts';
import { jobs } from '#test/core/domain/builders.ts';
import { FROZEN_AT, freeze } from '#test/durable-objects/fixtures/freeze.ts';
import v1 from '#test/durable-objects/fixtures/v1.json';
import { freezeClock } from '#test/support/clock.ts';
import { evict, fireAlarm, leaveMemory, pass, ringEvicted, useScenario } from '#test/support/scenario.ts';
import { bindings, sendJson, submit } from '#test/support/service.ts';
import { createInbox } from '#test/support/webhooks.ts';

const MINUTE = 60_000;
const signed = crypto.subtle.sign;

const scene = useScenario();

async function deliveriesOf(jobId: string) {
  const response = await sendJson(scene.account.metered, 'GET', `/api/jobs/${jobId}/deliveries`);
  return (await response.json<{ deliveries: { id: string; status: string; attempts: unknown[] }[] }>()).deliveries;
}

describe('outcome webhooks', () => {
  it('are listed with what became of each attempt; one that the platform could not make is a failed connection', async () => {
    const inbox = createInbox('500,302,reset,520,530,200');
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    for (let attempts = 1; attempts < 6; attempts++) await pass(15 * MINUTE, jobId);
    const failed = { http_status: null, error: 'the connection failed' };
    expect(await deliveriesOf(jobId)).toMatchObject([
      {
        status: 'delivered',
        attempts: [
          { attempt: 1, http_status: 500, error: 'the receiver answered 500' },
          { attempt: 2, http_status: 302, error: 'the receiver answered 302, a redirect which is not followed' },
          ...[3, 4].map((attempt) => ({ attempt, ...failed })),
          { attempt: 5, http_status: null, error: 'DNS has no public address for the host' },
          { attempt: 6, http_status: 200, error: null },
        ],
      },
    ]);
  });

  it('of a superseded outcome are not sent, if the re-run comes while they are being signed', async () => {
    const { account, host } = scene;
    expect((await sendJson(account.metered, 'POST', '/api/webhook-secrets')).status).toBe(201);
    const inbox = createInbox();
    const jobId = await submit(account.metered, { webhook_url: inbox.url });
    const order = await host.claimJob(jobId);
    const object = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (instance: RenderJob) => instance);
    const sign = vi.spyOn(crypto.subtle, 'sign').mockImplementation((...args) => {
      if (!new TextDecoder().decode(args[2]).includes(jobId)) return Reflect.apply(signed, crypto.subtle, args);
      sign.mockRestore();
      expect(object.resubmit(account.id)).toMatchObject({ ok: true });
      return Reflect.apply(signed, crypto.subtle, args);
    });
    await host.report(order, 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    await host.finish(await host.claimJob(jobId));
    await fireAlarm(jobId);
    expect((await inbox.received()).map(({ body }) => JSON.parse(body).event)).toEqual(['job.completed']);
    expect(await deliveriesOf(jobId)).toMatchObject([{ status: 'canceled', attempts: [] }, { status: 'delivered' }]);
  });
});

describe('sending a webhook again', () => {
  it('stores its body once, and is refused while too many are queued', { tags: ['long'] }, async () => {
    const inbox = createInbox('500');
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url, extras: 'x'.repeat(100_000) });
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    const resend = () => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);
    for (let open = 1; open < 20; open++) expect((await resend()).status).toBe(200);
    const refused = await resend();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('60');
    const bytes = await runInDurableObject(
      bindings.RENDER_JOB.getByName(jobId),
      (_, { storage }) => storage.sql.databaseSize,
    );
    expect(bytes).toBeLessThan(2 * 100_000 + 200_000);
    await inbox.answerWith('200');
    await ringEvicted(jobId, Date.now() + 16 * MINUTE);
    expect((await resend()).status).toBe(200);
  });
});

const SETTINGS = {
  baseUrl: 'https://tickreel.test',
  mediaBaseUrl: 'https://media.example.com',
  purge: { zoneId: '0123456789abcdef0123456789abcdef', token: 'a-token' },
};

describe('settings for a media host', () => {
  const load = (more: Record<string, string>) => loadSettings({ ...bindings, ...more });
  const zone = { PURGE_ZONE_ID: SETTINGS.purge.zoneId, PURGE_TOKEN: 'a-token' };
  const media = { MEDIA_BASE_URL: 'https://media.example.com/' };

  it('are none, a host alone, a zone alone, or a host with a zone', () => {
    expect(load({})).toMatchObject({ mediaBaseUrl: null, purge: null });
    expect(load(media)).toMatchObject({ mediaBaseUrl: 'https://media.example.com', purge: null });
    expect(load({ ...media, ...zone })).toMatchObject(SETTINGS);
    expect(load(zone)).toMatchObject({ mediaBaseUrl: null, purge: SETTINGS.purge });
    for (const half of [
      { ...media, PURGE_TOKEN: 'a-token' },
      { ...media, PURGE_ZONE_ID: zone.PURGE_ZONE_ID },
    ]) {
      expect(load(half)).toMatchObject({ mediaBaseUrl: 'https://media.example.com', purge: null });
    }
  });

  it('refuse to show the newest clip of all accounts but on a local stack', () => {
    expect(load({ LANDING_CLIP_ID: 'latest' }).landingClip).toBe('latest');
    expect(load({ LANDING_CLIP_ID: 'latest', ENVIRONMENT: 'production' }).landingClip).toBeNull();
    expect(load({}).landingClip).toBeNull();
  });
});

/** One of each kind. Their spellings are in test/core/domain/public-host.test.ts. */
it('a deployed service calls no private address, no low port and none of its own', () => {
  const own = ['https://clips.example.net', 'https://media.example.com', 'https://tickreel.somebody.workers.dev'];
  const [BASE_URL = '', MEDIA_BASE_URL = '', OWN_ORIGINS = ''] = own;
  const deployed = { ENVIRONMENT: 'production', ACCEPTED_DEMO_DOMAINS: '*', BASE_URL, MEDIA_BASE_URL, OWN_ORIGINS };
  const settings = loadSettings({ ...bindings, ...deployed });
  const hosts = ['http://localhost', 'http://2130706433', 'http://[::ffff:10.0.0.1]', 'http://169.254.169.254:8443'];
  for (const origin of [...hosts, 'http://printer.local', 'https://demos.example.org:22', ...own]) {
    expect(isAcceptableDemoUrl(`${origin}/api/clips`, settings), origin).toBe(false);
    expect(callUrlFault(`${origin}/api/clips`, settings), origin).not.toBeNull();
  }
  expect(isAcceptableDemoUrl('https://93.184.216.34/a', settings)).toBe(true);
  expect(callUrlFault('https://93.184.216.34/a', settings)).toContain('cannot call an IP address');
  for (const url of ['https://files.example.org:8443/x', 'http://files.example.org/hook']) {
    expect([isAcceptableDemoUrl(url, settings), callUrlFault(url, settings)]).toEqual([true, null]);
  }
});

const DAY = 24 * 60 * 60_000;
const SECRET = 'Token a-secret-of-the-receiver';
const EXTRAS = 'a-word-of-the-client';

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

  it('of a run before is no body', { tags: ['long'] }, async () => {
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

  it('keeps its secret while a queued webhook needs it', { tags: ['long'] }, async () => {
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
    const why = { reason: 'hosts_busy', text: 'All are busy.', hosts: 2, until: null } as const;
    const places = [{ position: 2, estimate_s: 9, renderer: null, ...why }, null];
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

describe('stored versions', () => {
  /** Tables with their rows, as that version of the service left them. */
  interface Frozen {
    readonly name: string;
    readonly sql: string;
    readonly rows: readonly Record<string, string | number | null>[];
  }
  type State = 'pending' | 'unconfirmed' | 'prefetch' | 'render' | 'retrying' | 'done' | 'error';
  const V1 = v1 as unknown as Record<State | 'dispatcher', Frozen[]>;
  const HOUR = 3_600_000;

  const scene = useScenario();

  function dropTables(sql: SqlStorage): void {
    const tables = sql.exec(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    );
    for (const { name } of tables.toArray()) sql.exec(`DROP TABLE ${name}`);
  }

  function restore(sql: SqlStorage, tables: readonly Frozen[]): void {
    for (const table of tables) {
      sql.exec(table.sql);
      for (const row of table.rows) {
        const columns = Object.keys(row);
        const marks = columns.map(() => '?').join();
        sql.exec(`INSERT INTO ${table.name} (${columns.join()}) VALUES (${marks})`, ...Object.values(row));
      }
    }
  }

  /** The same, stored now: what was due in a minute is still due in a minute. */
  function ofNow(tables: readonly Frozen[]): Frozen[] {
    const later = Date.now() - FROZEN_AT;
    return JSON.parse(JSON.stringify(tables).replace(/\b1801\d{9}\b/g, (at) => String(Number(at) + later)));
  }

  /** Creates an object with what an earlier version stored, as this version finds it at its start. */
  async function stored(frozen: readonly Frozen[], change: (state: Record<string, unknown>) => void = () => {}) {
    const tables = ofNow(frozen);
    const [row] = tables.find(({ name }) => name === 'job')?.rows ?? [];
    const state = JSON.parse(String(row?.state));
    state.accountId = scene.account.id;
    change(state);
    const job = bindings.RENDER_JOB.getByName(state.id);
    await runInDurableObject(job, (_, { storage }) => {
      dropTables(storage.sql);
      restore(storage.sql, tables);
      storage.sql.exec('UPDATE job SET state = ?', JSON.stringify(state));
    });
    await leaveMemory(job);
    return { id: state.id as string, read: () => sendJson(scene.account.metered, 'GET', `/api/jobs/${state.id}`) };
  }

  describe('what version 1 stored', () => {
    it.each(['pending', 'retrying', 'error', 'done'] as const)('of a job in %s is read', async (status) => {
      const { read, id } = await stored(V1[status]);
      expect(await (await read()).json()).toMatchObject({ id, status });
      await evict(id);
      expect(await (await read()).json()).toMatchObject({ id, status });
    });

    it('of webhooks keeps its log, its body and its header, and one more can be sent', { tags: ['long'] }, async () => {
      const inbox = createInbox();
      const to = (row: Frozen['rows'][number]) => ('url' in row ? { ...row, url: inbox.url } : row);
      const { id } = await stored(V1.done.map((table) => ({ ...table, rows: table.rows.map(to) })));
      const list = async () =>
        (await sendJson(scene.account.metered, 'GET', `/api/jobs/${id}/deliveries`)).json<{ deliveries: unknown[] }>();
      expect((await list()).deliveries).toMatchObject([
        { event: 'job.completed', status: 'queued', attempts: [{ attempt: 1, http_status: 500 }] },
        { event: 'job.completed', status: 'delivered', attempts: [{ attempt: 1, http_status: 200 }] },
      ]);
      const resent = await sendJson(scene.account.metered, 'POST', `/api/jobs/${id}/resend-webhook`);
      expect(resent.status).toBe(200);
      await fireAlarm(id);
      const [received, ...others] = await inbox.received();
      expect(others).toEqual([]);
      expect(received?.headers.authorization).toBe('Token secret');
      expect(JSON.parse(received?.body ?? '')).toMatchObject({ job_id: id, status: 'processed', extras: { order: 7 } });
      const tables = await runInDurableObject(bindings.RENDER_JOB.getByName(id), (_, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
      );
      expect(tables.map(({ name }) => name)).toEqual(['job', 'deliveries']);
      expect((await list()).deliveries).toHaveLength(3);
    });

    it('of the queue is served in its order', async () => {
      const queue = bindings.DISPATCHER.getByName(crypto.randomUUID());
      await runInDurableObject(queue, (_, { storage }) => {
        dropTables(storage.sql);
        restore(storage.sql, ofNow(V1.dispatcher));
      });
      await leaveMemory(queue);
      const ready = V1.dispatcher.find(({ name }) => name === 'ready')?.rows ?? [];
      // Reserved jobs before all others.
      const [first] = ready.toSorted((a, b) => Number(a.lane) - Number(b.lane));
      const next = await queue.next({
        pollId: 'poll',
        hostId: 'host',
        slots: 1,
        waitMs: 0,
        capability: { maxResolution: 1440, maxFps: 120 },
      });
      expect(next).toMatchObject({ jobId: first?.job_id });
    });

    const leaseOf = (tables: readonly Frozen[]) =>
      JSON.parse(String(ofNow(tables).find(({ name }) => name === 'job')?.rows[0]?.state)).lease;

    it.each([
      { state: 'unconfirmed', seen: 'prefetch', becomes: { status: 'pending', error_code: null } },
      { state: 'prefetch', seen: 'prefetch', becomes: { status: 'retrying', error_code: 'cs2_unavailable' } },
      { state: 'render', seen: 'render', becomes: { status: 'retrying', error_code: 'cs2_unavailable' } },
    ] as const)('of a lease in $state holds until its deadline', async ({ state, seen, becomes }) => {
      const { deadline, isConfirmed, uploads } = leaseOf(V1[state]);
      expect({ isConfirmed, uploads: uploads.length }).toEqual({
        isConfirmed: state !== 'unconfirmed',
        uploads: state === 'prefetch' ? 1 : 0,
      });
      const { id, read } = await stored(V1[state]);
      await runInDurableObject(bindings.RENDER_JOB.getByName(id), (_, { storage }) => storage.setAlarm(deadline - 1));
      await ringEvicted(id, deadline - 1);
      expect(await (await read()).json()).toMatchObject({ status: seen });
      await ringEvicted(id, deadline);
      expect(await (await read()).json()).toMatchObject(becomes);
    });
  });

  describe('what a later version stored', () => {
    it('is left as it is: the answer is 503, and the alarm comes again until that version is back', async () => {
      const { id, read } = await stored(V1.pending, (state) => {
        state.v = 99;
      });
      const response = await read();
      expect(response.status).toBe(503);
      expect(response.headers.get('Retry-After')).toBe('1');
      const job = bindings.RENDER_JOB.getByName(id);
      await runInDurableObject(job, (_, { storage }) => storage.setAlarm(Date.now() + HOUR));
      await pass(HOUR, id);
      const { v, alarm } = await runInDurableObject(job, async (_, { storage }) => ({
        v: JSON.parse(String(storage.sql.exec('SELECT state FROM job').one().state)).v,
        alarm: await storage.getAlarm(),
      }));
      expect({ v, alarm }).toEqual({ v: 99, alarm: Date.now() + 60_000 });
      // A fault that has passed: the object need not start again.
      await runInDurableObject(job, (_, { storage }) => {
        storage.sql.exec(`UPDATE job SET state = json_set(state, '$.v', 1)`);
      });
      expect((await read()).status).toBe(200);
    });
  });

  describe('a version to come', () => {
    const upgrade: JobUpgrade = (state, sql) => {
      sql.exec('ALTER TABLE deliveries ADD COLUMN cost INTEGER NOT NULL DEFAULT 7');
      return { ...state, renderedBy: 'upgraded' };
    };

    it('upgrades a job and its tables in one transaction, and this version refuses it from then on', async () => {
      const { id } = await stored(V1.done);
      await runInDurableObject(bindings.RENDER_JOB.getByName(id), (_, { storage }) => {
        const row = () => String(storage.sql.exec('SELECT state FROM job').one().state);
        const before = row();
        const cutOff: JobUpgrade = (state, sql) => ({ ...upgrade(state, sql), status: 'unheard of' });
        expect(() => createJobStore(storage, [cutOff]).load()).toThrow('status');
        expect(row()).toBe(before);
        const store = createJobStore(storage, [upgrade]);
        for (const loaded of [store.load(), store.load()])
          expect(loaded?.job).toMatchObject({ renderedBy: 'upgraded' });
        expect(JSON.parse(row())).toMatchObject({ v: 2, renderedBy: 'upgraded' });
        expect(storage.sql.exec('SELECT DISTINCT cost FROM deliveries').one()).toEqual({ cost: 7 });
        expect(() => createJobStore(storage).load()).toThrow(NewerStateError);
      });
    });

    it('upgrades the queue, and this version refuses it from then on', async () => {
      const queue = bindings.DISPATCHER.getByName(crypto.randomUUID());
      await runInDurableObject(queue, (_, { storage: { sql } }) => {
        dropTables(sql);
        restore(sql, V1.dispatcher);
        const migrations = ['version 1 is there already', 'ALTER TABLE ready ADD COLUMN cost INTEGER DEFAULT 7'];
        for (let starts = 0; starts < 2; starts++) migrateQueue(sql, migrations);
        expect(sql.exec('SELECT DISTINCT cost FROM ready').one()).toEqual({ cost: 7 });
        expect(() => migrateQueue(sql)).toThrow(`${LATER_VERSION} (2)`);
      });
    });
  });

  describe('what this version stores', () => {
    // docs/decisions/014-stored-versions.md says when.
    if ((env as unknown as { FREEZE: string }).FREEZE === '1') {
      it('freezes', async () => {
        await expect(await freeze(scene)).toMatchFileSnapshot(`./fixtures/v${STORED_VERSIONS.job}.json`);
      });
    }

    it('says which version it is', async () => {
      const jobId = await submit(scene.account.metered);
      const state = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) =>
        storage.sql.exec('SELECT state FROM job').one(),
      );
      expect(JSON.parse(String(state.state)).v).toBe(STORED_VERSIONS.job);
      const queue = await runInDurableObject(bindings.DISPATCHER.getByName('shard-0'), (_, { storage }) =>
        storage.sql.exec('SELECT v FROM clocks WHERE lane = 0').one(),
      );
      expect(queue.v).toBe(STORED_VERSIONS.queue);
    });
  });

  /** The type with every field required: a new field does not compile until it has a value below. */
  type Whole<T> = T extends readonly (infer One)[]
    ? readonly Whole<One>[]
    : T extends object
      ? { readonly [Name in keyof T]-?: Whole<Exclude<T[Name], undefined>> }
      : T;

  /** Runs a test on the storage of an unused object. */
  const onStorage = (test: (storage: DurableObjectStorage) => void) =>
    runInDurableObject(bindings.DISPATCHER.getByName(crypto.randomUUID()), (_, { storage }) => test(storage));

  const file = (key: string) => ({ key, bytes: 1, sha256: 'ab' });
  const policy = { revision: 3, labels: ['eu'], hold: 'paused', holdUntil: 4, isUnfit: true } as const;
  const files = {
    video: file('video'),
    thumbnail: file('thumbnail'),
    storyboard: { ...file('storyboard'), columns: 5, rows: 2, intervalSeconds: 1.5 },
  };
  const tracks = { ...file('tracks'), createdAt: 8 };
  const shown = {
    title: 'title',
    facts: {
      kills: 2,
      players: ['a'],
      killers: ['a'],
      map: 'de_nuke',
      round: 3,
      floor: 'movement' as const,
      cover: 'best' as const,
      filmed_height: 1080,
      names: 'hidden' as const,
    },
    renderer: 'radar' as const,
    resolution: 1080,
    aspect: '9:16' as const,
    fps: 30,
    durationSeconds: 7.5,
    ...files,
    createdAt: 8,
    renderedAt: 9,
  };

  const REGISTERED: Whole<RegisteredPushHost> = {
    hostId: 'host',
    slots: 2,
    capability: {
      maxResolution: 1440,
      maxFps: 120,
      renderer: 'cs2',
      gameBuild: '14000',
      labels: ['eu'],
      skills: ['inspect', 'uploads'],
    },
    policy,
    rest: { why: 'it answered 401', isAsked: false, until: 5 },
  };

  const PUSHED: Whole<StoredPushHost> = {
    id: 'host',
    push: {
      url: 'https://host.example.com/jobs',
      slots: 2,
      capabilities: {
        renderer: 'cs2',
        max_resolution: 1440,
        max_film_height: 1440,
        max_fps: 120,
        game_build: '14000',
        skills: ['inspect'],
      },
    },
    tokenSha256: 'ab',
    policy,
    circuit: { failures: 1, restUntil: 5 },
    refusal: { why: 'it answered 401', isAsked: false },
    headers: { 'CF-Access-Client-Id': 'an-id' },
  };

  const common = {
    kind: 'clip' as const,
    demo_url: 'https://demos.example.com/1.dem',
    resolution: 1440 as const,
    extras: '{"a":1}',
  };
  const REQUESTS: StoredRequest[] = [
    { ...common, steam64_id: '76561198000000001', round: 3, fps: 60, hud_killfeed: true, idempotency_key: 'key' },
    { ...common, steam64_id: '', forgotten: { at: 1, fingerprint: 'ab' } },
    {
      ...common,
      timeline: [{ steam64_id: '76561198000000001', start_tick: 1, end_tick: 70 }],
      thumbnail_style: 'none',
    },
    { kind: 'inspection', demo_url: common.demo_url },
  ];

  describe('a stored value is read with every field', () => {
    it('of a registered push host', () =>
      onStorage((storage) => {
        const hosts = createPushHostRows(storage.sql);
        hosts.save(REGISTERED);
        expect(hosts.load()).toEqual([REGISTERED]);
      }));

    it('of the object that sends jobs to a push host', () =>
      onStorage((storage) => {
        const store = createPushHostStore(storage);
        store.save(PUSHED);
        expect(store.load()).toEqual(PUSHED);
      }));

    it.each(REQUESTS)('of a request %#', (request) =>
      onStorage((storage) => {
        const store = createJobStore(storage);
        const stored = { job: jobs.retrying(), request, outbox: [] };
        store.create(stored);
        expect(store.load()).toEqual(stored);
      }),
    );

    it('of a delivery', () =>
      onStorage(({ sql }) => {
        const delivery: Whole<LoggedDelivery> = {
          id: 'id',
          run: 2,
          status: 'queued',
          attempts: 1,
          nextAt: 4,
          createdAt: 5,
          log: [{ at: 6, status: 500, error: 'error' }],
          waitReason: 'reason',
        };
        const store = new DeliveryStore(sql);
        store.announce(delivery, { event: 'event', url: 'url', body: 'body' });
        store.update(delivery);
        expect(store.find('id')).toEqual(delivery);
        expect(store.outcome(2)).toEqual({ event: 'event', url: 'url', body: 'body', deliveryId: 'id' });
      }));

    it('of a public record', async () => {
      const brand = { name: 'name', url: 'https://a.example.com', logo: '/logo.svg', colour: '#ffb658' };
      const seen = { embedSites: ['https://a.example.com'], showsViews: true, lists: ['list'] };
      const clip = { ...shown, ...seen, tracks, isTest: true } as const;
      const record: Whole<PublicRecord> = { version: 3, brand, state: 'ready', clip };
      const replay: Whole<PublicRecord> = {
        version: 4,
        brand,
        state: 'replay',
        clip: { embedSites: [], tracks, isTest: true },
      };
      for (const one of [record, replay]) expect(parseRecord(JSON.stringify(one))).toEqual(one);
      for (const id of ['one', 'two']) await writeLists(bindings.CLIPS, ['list'], id, record);
      const list = await (await bindings.CLIPS.get(clipListKey('list')))?.json();
      expect(list).toEqual(expect.arrayContaining(['one', 'two'].map((id) => entryOf(id, record, 'list'))));
    });
  });
});
