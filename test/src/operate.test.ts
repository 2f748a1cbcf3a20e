import { createExecutionContext } from 'cloudflare:test';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import { createService } from '#service/lib/service.ts';
import { sendAlerts } from '#service/operate/alerts.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { readOverview } from '#src/operate/overview.ts';
import { createApp } from '#src/worker.ts';
import { insertUsage } from '#storage/account/usage.ts';
import { type ClipCount, countClips, saveCursor } from '#storage/operate/upkeep.ts';
import { createAccount, createHost } from '#test/support/accounts.ts';
import { createFaultyService, SAYS } from '#test/support/faulty-service.ts';
import { PICTURES } from '#test/support/pictures.ts';
import { pass, useScenario } from '#test/support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, roundRequest, sendJson, submit } from '#test/support/service.ts';
import { createInbox } from '#test/support/webhooks.ts';

const DAY = 24 * 60 * 60_000;

const scene = useScenario();

interface Jobs {
  readonly jobs: { readonly id: string; readonly [field: string]: unknown }[];
  readonly next_cursor: string | null;
}

async function get<T = Record<string, never>>(path: string, token = ADMIN_TOKEN): Promise<T> {
  const response = await sendJson(token, 'GET', path);
  expect(response.status, path).toBe(200);
  return response.json<T>();
}

const post = (path: string, body: unknown, token = ADMIN_TOKEN) => sendJson(token, 'POST', path, body);

async function operator(role: string): Promise<{ operator_id: string; token: string }> {
  return (await post('/admin/operators', { name: `one who may ${role}`, role })).json();
}

/** Fails a new job on the host of the scene. */
async function failed(code: string, more: Record<string, unknown> = {}, request: Record<string, unknown> = {}) {
  const grant = await scene.host.claimJob(await submit(scene.account.metered, request));
  await scene.host.heartbeat(grant);
  await scene.host.report(grant, 'fail', { code, detail: 'the server answered 404', ...more });
  return grant.job_id;
}

describe('jobs of all accounts', () => {
  it('are listed newest first, by account, state, tier and code', { tags: ['long'] }, async () => {
    const { account } = scene;
    const failedId = await failed('demo_404');
    vi.setSystemTime(Date.now() + 1);
    const waiting = await submit(account.reserved);
    const list = (query: string) => get<Jobs>(`/admin/jobs?account=${account.id}&${query}`);
    const ids = ({ jobs }: Jobs) => jobs.map(({ id }) => id);
    await expect.poll(async () => ids(await list(''))).toEqual([waiting, failedId]);
    expect(ids(await list('status=error'))).toEqual([failedId]);
    expect(ids(await list('tier=reserved'))).toEqual([waiting]);
    expect(ids(await list('error_code=demo_404'))).toEqual([failedId]);
    const all = await get<Jobs>('/admin/jobs?limit=1');
    expect(all.jobs).toMatchObject([{ id: waiting, account_id: account.id, webhook: null }]);
    const rest = await get<Jobs>(`/admin/jobs?limit=1&cursor=${all.next_cursor}`);
    expect(rest.jobs).toMatchObject([{ id: failedId, status: 'error', error_code: 'demo_404' }]);
    expect(ids(await get<Jobs>('/admin/jobs?status=error&error_code=demo_404&limit=1'))).toEqual([failedId]);
    await scene.host.report(await scene.host.claimJob(waiting), 'fail', { code: 'demo_404', detail: '' });
    expect((await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs?account=${crypto.randomUUID()}`)).status).toBe(404);
  });

  it('are found behind thousands that a filter leaves out, page by page', async () => {
    const ids = Array.from({ length: 4100 }, () => crypto.randomUUID());
    const put = bindings.DB.prepare(
      `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, error_code, created_at, finished_at)
       SELECT value, 'a', '', 1, iif(key = 0, 'error', 'done'), 'round', 0, 1080, iif(key = 0, 'render_failed', NULL),
         ?1 + key, ?1 + key FROM json_each(?2)`,
    );
    await put.bind(Date.now() + 1000, JSON.stringify(ids)).run();
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null && found.length === 0; pages++) {
      const path: string = `/admin/jobs?error_code=render_failed${cursor && `&cursor=${cursor}`}`;
      const page: Jobs = await get<Jobs>(path);
      found.push(...page.jobs.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(ids.slice(0, 1));
    expect(pages).toBe(3);
    await bindings.DB.prepare("DELETE FROM jobs WHERE account_id = 'a'").run();
  });

  it('tell their whole story: attempts with their hosts and logs, webhooks, files', { tags: ['long'] }, async () => {
    const { account, host } = scene;
    const inbox = createInbox();
    const jobId = await failed('download_error', { log: 'the last lines' }, { webhook_url: inbox.url });
    await pass(60 * 60_000, jobId);
    const grant = await host.claimJob(jobId);
    await host.report(grant, 'release');
    await host.finish(await host.claimJob(jobId));
    const story = await get(`/admin/jobs/${jobId}`);
    expect(story).toMatchObject({
      job: { id: jobId, status: 'done', payload: { webhook_url: inbox.url } },
      account_id: account.id,
      account_name: 'test account',
      attempt: 2,
      lease: null,
      attempts: [
        {
          run: 1,
          attempt: 1,
          host_name: 'test host',
          code: 'download_error',
          detail: 'the server answered 404',
          log: 'the last lines',
        },
        { run: 1, attempt: 2, code: null, detail: null, log: null },
      ],
      clip: { state: 'ready', video: { bytes: 40_000 }, thumbnail: { bytes: 2_000 } },
    });
    await expect.poll(() => get(`/admin/jobs/${jobId}`)).toMatchObject({ deliveries: [{ status: 'delivered' }] });
    expect((await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${crypto.randomUUID()}`)).status).toBe(404);
  });
});

describe('a search', () => {
  const search = async (q: string) =>
    (await get<{ results: unknown[] }>(`/admin/search?q=${encodeURIComponent(q)}`)).results;

  it('finds by the ids of jobs and clips, by the address of a page and by an idempotency key', async () => {
    const { account, host } = scene;
    const jobId = await submit(account.metered, { idempotency_key: 'match 4711' });
    const job = expect.objectContaining({
      kind: 'job',
      id: jobId,
      account_id: account.id,
      account_name: 'test account',
    });
    await expect.poll(() => search(jobId)).toEqual([job]);
    const { clip_id } = await get<{ clip_id: string }>(`/admin/jobs/${jobId}`);
    expect(await search(clip_id)).toEqual([job]);
    expect(await search('match 4711')).toEqual([job]);
    await host.finish(await host.claimJob(jobId));
    const clip = expect.objectContaining({ kind: 'clip', id: clip_id, job_id: jobId, account_id: account.id });
    await expect.poll(() => search(`https://clips.example.com/clips/${clip_id}?t=3`)).toEqual([job, clip]);
    const { jobs } = await get<Jobs>(`/admin/jobs?account=${account.id}`);
    expect(jobs).toMatchObject([{ account_name: 'test account' }]);
  });

  it('finds accounts and hosts by their id and by a part of their name, and the key of a named account', {
    tags: ['long'],
  }, async () => {
    const { host_id } = await (await post('/admin/hosts', { name: 'Ams-GPU-17' })).json<{ host_id: string }>();
    const host = { kind: 'host', id: host_id, name: 'Ams-GPU-17' };
    expect(await search('ams-gpu')).toMatchObject([host]);
    expect(await search(host_id)).toMatchObject([host]);
    expect(await search(scene.account.id)).toMatchObject([{ kind: 'account', id: scene.account.id }]);
    expect(await search('no such thing')).toEqual([]);
    const jobId = await submit(scene.account.metered, { idempotency_key: 'mine' });
    const found = () => get(`/admin/search?q=mine&account=${scene.account.id}`);
    await expect.poll(found).toMatchObject({ results: [{ id: jobId }], accounts_tried: 1, is_every_account: true });
    await scene.host.finish(await scene.host.claimJob(jobId));
    expect((await sendJson(ADMIN_TOKEN, 'GET', '/admin/search')).status).toBe(400);
  });
});

describe('the speed', () => {
  it('is that of the clips of the last day, and their number that of the last hour', async () => {
    const speed = async () => {
      vi.setSystemTime(Date.now() + 60_000);
      return (await get<{ speed: Record<string, number | null> }>('/admin/overview')).speed;
    };
    await bindings.DB.prepare('DELETE FROM clips').run();
    expect(await speed()).toEqual({ clips_an_hour: 0, p50_s: null, p95_s: null, clips: 0 });
    const begin = Date.now() - 30 * 60_000;
    const put = async (kind: string, at: number, count: number, seconds: number) => {
      const ids = JSON.stringify(Array.from({ length: count }, (_, i) => `${kind}-${i}`));
      await bindings.DB.batch([
        bindings.DB.prepare(`INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution,
          created_at) SELECT value, 'a', value, 1, 'done', 'round', 0, 1080, ? - 1000 * ? FROM json_each(?)`).bind(
          at,
          seconds,
          ids,
        ),
        bindings.DB.prepare(`INSERT INTO clips SELECT value, 'a', value, 1, 'ready', 0, 't', NULL, 1080, NULL, 30, 'metered',
          NULL, 1, '', 1, '', '', 1, '', ?, ?, NULL, NULL FROM json_each(?)`).bind(at, at, ids),
      ]);
    };
    await put('old', begin - 3 * 60 * 60_000, 10, 200);
    await put('new', begin, 90, 40);
    await put('again', begin, 5, 9000);
    await bindings.DB.prepare("UPDATE clips SET created_at = 1 WHERE id LIKE 'again-%'").run();
    expect(await speed()).toEqual({ clips_an_hour: 95, p50_s: 40, p95_s: 200, clips: 100 });
    // More than are looked at: the rate is that of the last ones.
    await put('fast', Date.now(), 200, 20);
    expect(await speed()).toEqual({ clips_an_hour: 12_000, p50_s: 20, p95_s: 20, clips: 200 });
    await bindings.DB.batch(
      ['jobs', 'clips'].map((table) => bindings.DB.prepare(`DELETE FROM ${table} WHERE account_id = 'a'`)),
    );
  });
});

describe('webhooks that do not arrive', () => {
  const troubles = () => get<{ deliveries: unknown[] }>(`/admin/deliveries?account=${scene.account.id}`);

  it('are listed from the first failure on, and sent again together', { tags: ['long'] }, async () => {
    const inbox = createInbox('500');
    const jobId = await failed('demo_404', {}, { webhook_url: inbox.url });
    await expect.poll(troubles).toMatchObject({
      deliveries: [{ job_id: jobId, trouble: 'failing', delivery: { status: 'queued', attempts: [{}] } }],
    });
    expect(await get('/admin/overview')).toMatchObject({ webhooks: { failing: expect.any(Number) } });
    for (let tries = 0; tries < 9; tries++) await pass(15 * 60_000, jobId);
    await expect.poll(troubles).toMatchObject({ deliveries: [{ trouble: 'exhausted' }] });
    const counts = async () => (await get<{ webhooks: unknown }>('/admin/overview')).webhooks;
    expect(await counts()).toMatchObject({ exhausted: 1, given_up: 1 });
    await bindings.DB.prepare('UPDATE jobs SET trouble_at = trouble_at - 86400001 WHERE id = ?').bind(jobId).run();
    expect(await counts()).toMatchObject({ exhausted: 1, given_up: 0 });
    await inbox.answerWith('200');
    const resend = await post('/admin/deliveries/resend', { all: 'exhausted', account: scene.account.id });
    expect(await resend.json()).toEqual({ resent: 1, refused: [], next_cursor: null });
    await expect.poll(troubles).toEqual({ deliveries: [], next_cursor: null });
    expect(await inbox.received()).toHaveLength(11);
  });

  it('are counted by what became of them, and streams of events while they are open', { tags: ['long'] }, async () => {
    const inbox = createInbox('500,200');
    const text = async () => (await sendJson('a-token-for-scraping', 'GET', '/metrics')).text();
    const metric = async (name: string) => Number(new RegExp(`^${name}.* (\\d+)$`, 'm').exec(await text())?.[1]);
    const attempts = (outcome: string) => metric(`tickreel_webhook_attempts_total{.*outcome="${outcome}"`);
    const names = ['refused', 'delivered', 'unanswered'];
    const counts = () => Promise.all(names.map(attempts));
    // An isolate writes its counts together after some seconds, so earlier counts are written too.
    const told = async () => {
      const [, , unanswered = 0] = await counts();
      const moreIsTold = async () => {
        await pass(15 * 60_000, await failed('demo_404', {}, { webhook_url: 'http://127.0.0.1:9/nobody' }));
        return (await attempts('unanswered')) > unanswered;
      };
      await expect.poll(moreIsTold, { timeout: 30_000 }).toBe(true);
      return counts();
    };
    const [refused = 0, delivered = 0] = await told();
    const jobId = await failed('demo_404', {}, { webhook_url: inbox.url });
    await expect.poll(inbox.received).toHaveLength(1);
    await pass(15 * 60_000, jobId);
    await expect.poll(inbox.received).toHaveLength(2);
    expect((await told()).slice(0, 2)).toEqual([refused + 1, delivered + 1]);
    expect(await metric('tickreel_database_bytes')).toBeGreaterThan(0);
    expect(await metric('tickreel_jobs_kept')).toBeGreaterThan(1);
    // Earlier tests may have left streams open, which the isolate counts with its own.
    const waiting = await submit(scene.account.metered);
    const streams = () => metric('tickreel_event_streams');
    const open = () => sendJson(scene.account.metered, 'GET', `/api/jobs/${waiting}/events`);
    const aMinuteLater = () => {
      vi.setSystemTime(Date.now() + 61_000);
      return streams();
    };
    await aMinuteLater();
    const opened = [await open()];
    await expect.poll(streams).toBeGreaterThan(0);
    const before = await streams();
    vi.setSystemTime(Date.now() + 61_000);
    opened.push(await open());
    await expect.poll(streams).toBe(before + 1);
    for (const { body } of opened) await body?.cancel();
    await expect.poll(aMinuteLater).toBe(0);
    await scene.host.report(await scene.host.claimJob(waiting), 'fail', { code: 'demo_404', detail: '' });
  });

  it('are not sent for jobs that are not there or have none', async () => {
    const jobId = await failed('demo_404');
    const unknown = crypto.randomUUID();
    await expect
      .poll(async () => (await post('/admin/deliveries/resend', { job_ids: [jobId, unknown] })).json())
      .toMatchObject({
        resent: 0,
        refused: [
          { job_id: jobId, reason: 'no_webhook' },
          { job_id: unknown, reason: 'not_found' },
        ],
      });
    expect((await post('/admin/deliveries/resend', {})).status).toBe(400);
  });
});

describe('the overview', () => {
  it('counts waiting jobs and their age, hosts, outcomes of today, and stored files', async () => {
    const before = await get<{ days: { done?: number; failed?: { demo_404?: number } }[] }>('/admin/overview?days=1');
    const { host, account } = scene;
    await host.finish(await host.claimJob(await submit(account.metered)));
    await failed('demo_404');
    const waiting = await submit(account.reserved);
    const [{ done = 0, failed: codes = {} } = {}] = before.days;
    // Waits until the dispatcher has queued it.
    await expect.poll(() => get('/admin/overview')).toMatchObject({ queue: [{ waiting: 1 }, {}] });
    vi.setSystemTime(Date.now() + 60_000);
    await expect
      .poll(() => get('/admin/overview?days=1'))
      .toMatchObject({
        queue: [{ tier: 'reserved', waiting: 1, oldest_s: expect.any(Number) }, { tier: 'metered' }],
        hosts: { idle: expect.any(Number) },
        days: [{ done: done + 1, failed: { demo_404: (codes.demo_404 ?? 0) + 1 } }],
      });
    // Only metrics and alerts read the size of the database: that is a row per account.
    const faulty = createFaultyService();
    await faulty.send(ADMIN_TOKEN, 'GET', '/admin/overview');
    expect([...faulty.statements.keys()].join()).not.toContain('budgets');
    const { queue, clips } = await get<{ queue: { oldest_s: number }[]; clips: { bytes: number } }>('/admin/overview');
    expect(queue[0]?.oldest_s).toBeGreaterThanOrEqual(60);
    expect(queue[0]?.oldest_s).toBeLessThanOrEqual(70);
    // Not counted yet.
    expect(clips.bytes).toBe(0);
    await host.report(await host.claimJob(waiting), 'fail', { code: 'demo_404', detail: '' });
  });

  it('counts stored clips once a day, if there are many', { tags: ['long'] }, async () => {
    const { host, account } = scene;
    const { service } = createFaultyService();
    const today = Date.now();
    await host.finish(await host.claimJob(await submit(account.metered)));
    const clips = async () => (await get<{ clips: { count: number; bytes: number } }>('/admin/overview')).clips;
    const { clips: made } = await get<{ clips: { id: string }[] }>('/api/clips', account.metered);
    await runUpkeep(service, today);
    const { count, bytes } = await clips();
    expect(bytes).toBeGreaterThanOrEqual(42_000);
    await sendJson(account.metered, 'DELETE', `/api/clips/${made[0]?.id}`);
    await expect.poll(() => get('/api/clips?state=deleted', account.metered)).toMatchObject({ clips: [{}] });
    const many = { day: Math.floor(today / DAY), after: null, looked: 10_000, count: 1, bytes: 1 };
    await saveCursor(service.database, 'count-clips', JSON.stringify(many));
    await runUpkeep(service, today);
    expect(await clips()).toEqual({ count, bytes });
    await runUpkeep(service, today + DAY);
    expect(await clips()).toMatchObject({ count: count - 1 });
    let counted: ClipCount = { day: 1, after: '', looked: 0, count: 0, bytes: 0 };
    while (counted.after !== null) counted = await countClips(service.database, counted, 1);
    expect(counted.count).toBe(count - 1);
  });
});

describe('alerts without scraping', () => {
  it('are sent once at begin and end, and again if the receiver does not answer', { tags: ['long'] }, async () => {
    const { account, host } = scene;
    const inbox = createInbox('500');
    const { service } = createFaultyService();
    const told = { ...service, settings: { ...service.settings, alertUrl: inbox.url } };
    await submit(account.metered);
    await expect.poll(() => get('/admin/overview')).toMatchObject({ queue: [{}, { waiting: 1 }] });
    vi.setSystemTime(Date.now() + 20 * 60_000);
    const overview = () => get<{ firing: { alert: string }[] }>('/admin/overview');
    const firing = async () => (await overview()).firing.filter(({ alert }) => alert === 'QueueStuck');
    const stuck = { alert: 'QueueStuck', text: expect.stringContaining('has waited'), help: expect.any(String) };
    expect(await firing()).toMatchObject([{ ...stuck, since: null }]);
    await expect(sendAlerts(told, null)).rejects.toThrow('answered 500');
    expect(await firing()).toMatchObject([{ ...stuck, since: new Date().toISOString() }]);
    await inbox.answerWith('200');
    for (let runs = 0; runs < 3; runs++) await sendAlerts(told, null);
    await host.report((await host.claim()) as Grant, 'fail', { code: 'demo_404', detail: '' });
    await expect.poll(() => get('/admin/overview')).toMatchObject({ queue: [{}, { waiting: 0 }] });
    for (let runs = 0; runs < 3; runs++) await sendAlerts(told, null);
    const received = (await inbox.received()).map(({ body }) => JSON.parse(body).text);
    const began = expect.stringMatching(/^QueueStuck: A job has waited for a host for (19|20) minutes\.$/m);
    const ended = expect.stringMatching(/^QueueStuck: resolved\.$/m);
    expect(received).toEqual([began, began, ended]);
    expect(await firing()).toEqual([]);
  });

  it('begin when a stack has no fresh backup half an hour after its start', async () => {
    const { service } = createFaultyService();
    const now = Date.now();
    const fault = async (startedAgo: number, doneAt: number, error: string | null = null) => {
      const backups = { startedAt: now - startedAgo * 60_000, doneAt, error };
      const disk = {
        hasSpace: async () => true,
        hold: async () => null,
        state: async () => ({ freeBytes: 1e12, backups }),
      };
      const { firing } = await readOverview({ ...service, disk }, now, 1);
      return firing.find(({ alert }) => alert === 'BackupFailed')?.text;
    };
    const old = now - 31 * 60_000;
    expect([await fault(30, 0), await fault(30, old), await fault(999, now)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await fault(31, 0)).toBe('There is no backup yet.');
    expect(await fault(31, old)).toBe(`The newest backup is of ${new Date(old).toISOString()}.`);
    expect(await fault(0, now, 'it is full')).toBe('The last backup failed: it is full');
  });
});

describe('operators', () => {
  let tokens: Record<string, { operator_id: string; token: string }>;
  beforeAll(async () => {
    tokens = { read: await operator('read'), operate: await operator('operate'), admin: await operator('admin') };
  });
  const attempts = [
    ['GET', '/admin/overview', undefined],
    ['POST', '/admin/deliveries/resend', { job_ids: [crypto.randomUUID()] }],
    ['POST', '/admin/accounts', { name: 'made by an operator' }],
  ] as const;

  it.each([
    ['read', [200, 403, 403]],
    ['operate', [200, 200, 403]],
    ['admin', [200, 200, 201]],
  ])('of role %s may do as much', async (role, statuses) => {
    const token = tokens[role]?.token ?? '';
    const answers = attempts.map(([method, path, body]) => sendJson(token, method, path, body));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(statuses);
  });

  it('are refused half a minute after they are revoked', async () => {
    const { operator_id, token } = await operator('read');
    expect((await sendJson(token, 'GET', '/admin/overview')).status).toBe(200);
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/operators/${operator_id}`)).status).toBe(204);
    vi.setSystemTime(Date.now() + 31_000);
    expect((await sendJson(token, 'GET', '/admin/overview')).status).toBe(401);
  });

  it('are named for what they changed, without what is secret', async () => {
    const { operator_id, token } = tokens.admin ?? { operator_id: '', token: '' };
    const made = await post('/admin/accounts', { name: 'audited' }, token);
    const { account_id } = await made.json<{ account_id: string }>();
    vi.setSystemTime(Date.now() + 1);
    const key = await (await post(`/admin/accounts/${account_id}/keys`, { kind: 'metered' }, token)).json();
    await post('/admin/accounts', { name: '' }, token);
    const { entries } = await get<{ entries: { operator_id: string }[] }>('/admin/audit?limit=200');
    const theirs = entries.filter((entry) => entry.operator_id === operator_id).slice(0, 2);
    expect(theirs).toMatchObject([
      { action: 'createKey', operator_id, target: { id: account_id, key_id: expect.any(String) }, status: 201 },
      { action: 'createAccount', changes: '{"name":"audited"}', target: { account_id }, status: 201 },
    ]);
    expect(JSON.stringify(entries)).not.toContain((key as { key: string }).key);
  });
});

describe('the bill', () => {
  interface Lines {
    readonly usage: { readonly day: string; readonly account_id: string; readonly [field: string]: unknown }[];
    readonly final_before: string;
    readonly next_cursor: string | null;
  }
  const { database } = createFaultyService().service;
  const TODAY = Math.floor(Date.now() / DAY);
  const date = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
  let account: string;

  /** Records a run that ended some days ago. */
  const ran = (daysAgo: number, seconds: number, more: Partial<Parameters<typeof insertUsage>[1]> = {}) =>
    insertUsage(database, {
      jobId: crypto.randomUUID(),
      run: 1,
      accountId: account,
      tier: 'metered',
      resolution: 1080,
      fps: 30,
      renderer: 'cs2',
      seconds,
      renderedAt: (TODAY - daysAgo) * DAY,
      ...more,
    });
  const bill = (query = '') => get<Lines>(`/admin/usage?account=${account}&${query}`);

  beforeEach(() => {
    account = scene.account.id;
  });

  it('has a line for each day and kind, and says which days may change', async () => {
    for (const [daysAgo, seconds] of [
      [0, 0.1],
      [0, 0.2],
      [2, 1],
      [3, 1.00049],
      [30, 2],
      [31, 3],
    ] as const) {
      await ran(daysAgo, seconds);
    }
    await ran(0, 5, { tier: 'reserved', fps: 60, renderer: '' });
    const { usage, final_before } = await bill();
    const line = { account_id: account, account_name: 'test account', tier: 'metered', resolution: 1080, fps: 30 };
    expect(usage).toEqual([
      { ...line, day: date(TODAY - 31), renderer: 'cs2', rendered_seconds: 3, runs: 1, state: 'final' },
      { ...line, day: date(TODAY - 30), renderer: 'cs2', rendered_seconds: 2, runs: 1, state: 'settled' },
      { ...line, day: date(TODAY - 3), renderer: 'cs2', rendered_seconds: 1, runs: 1, state: 'settled' },
      { ...line, day: date(TODAY - 2), renderer: 'cs2', rendered_seconds: 1, runs: 1, state: 'open' },
      { ...line, day: date(TODAY), renderer: 'cs2', rendered_seconds: 0.3, runs: 2, state: 'open' },
      {
        ...line,
        day: date(TODAY),
        tier: 'reserved',
        fps: 60,
        renderer: null,
        rendered_seconds: 5,
        runs: 1,
        state: 'open',
      },
    ]);
    expect(final_before).toBe(date(TODAY - 30));
    const days = async (query: string) => (await bill(query)).usage.map(({ day }) => day);
    expect(await days(`from=${date(TODAY - 3)}&to=${date(TODAY)}`)).toEqual([date(TODAY - 3), date(TODAY - 2)]);
    // What the account itself reads is the sum of its rounded lines.
    const own = await get<{ usage: object[] }>('/api/usage', scene.account.metered);
    expect(own.usage).toMatchObject([{ rendered_seconds: 7.3 }, { rendered_seconds: 5 }]);
    expect(own.usage[0]).not.toHaveProperty('day');
    const daily = await get<{ usage: object[] }>(
      `/api/usage?include=day&from=${date(TODAY - 30)}T00:00:00Z`,
      scene.account.metered,
    );
    const { account_id: _, account_name: __, ...kind } = line;
    expect(daily.usage).toEqual([
      { ...kind, day: date(TODAY - 30), rendered_seconds: 2 },
      { ...kind, day: date(TODAY - 3), rendered_seconds: 1 },
      { ...kind, day: date(TODAY - 2), rendered_seconds: 1 },
      { ...kind, day: date(TODAY), rendered_seconds: 0.3 },
      { ...kind, day: date(TODAY), tier: 'reserved', fps: 60, rendered_seconds: 5 },
    ]);
    for (const wrong of ['from=2026-02-30', 'to=today', 'from=2026-02-02&to=2026-02-01', 'format=xls', 'cursor=1']) {
      expect((await sendJson(ADMIN_TOKEN, 'GET', `/admin/usage?${wrong}`)).status, wrong).toBe(400);
    }
  });

  it('continues after the same line whenever a cursor is used, over all accounts', async () => {
    const { id: other } = await createAccount();
    const runs = Array.from({ length: 9 }, (_, i) => i);
    for (const i of runs) await ran(60 + (i % 3), 1, { accountId: i % 2 ? other : account, fps: 30 + i });
    const page = (cursor: string | null) =>
      get<Lines>(
        `/admin/usage?from=${date(TODAY - 62)}&to=${date(TODAY - 59)}&limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
    const mine = ({ usage }: Lines) => usage.filter(({ account_id }) => [account, other].includes(account_id));
    const found: unknown[] = [];
    const pages = new Map<string | null, Lines>();
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const read = await page(cursor);
      pages.set(cursor, read);
      found.push(...mine(read).map(({ day, account_id, fps }) => `${day} ${account_id} ${fps}`));
      cursor = read.next_cursor;
    }
    const all = runs.map((i) => `${date(TODAY - 60 - (i % 3))} ${i % 2 ? other : account} ${30 + i}`);
    expect(found).toEqual(all.toSorted());
    // Lines before and behind a cursor change nothing about its place.
    const [first = '', last = ''] = [account, other].toSorted();
    await ran(62, 4, { fps: 1, accountId: first });
    await ran(60, 4, { fps: 99, accountId: last });
    for (const [cursor, before] of [...pages].slice(1, -1)) {
      expect((await page(cursor)).usage).toEqual(before.usage);
    }
  });

  it('is CSV for spreadsheets, whole, and no name in it is a formula', async () => {
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account}`, { name: '=HYPERLINK("http://evil","a,b")' });
    await ran(1, 1.5);
    await ran(0, 0.25, { renderer: '' });
    const response = await sendJson(ADMIN_TOKEN, 'GET', `/admin/usage?account=${account}&format=csv`);
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    const name = `"'=HYPERLINK(""http://evil"",""a,b"")"`;
    expect((await response.text()).split('\r\n')).toEqual([
      'day,account_id,account_name,tier,resolution,fps,renderer,rendered_seconds,runs,state',
      `${date(TODAY - 1)},${account},${name},metered,1080,30,cs2,1.5,1,open`,
      `${date(TODAY)},${account},${name},metered,1080,30,,0.25,1,open`,
      '',
    ]);
    const put = bindings.DB.prepare(
      `INSERT INTO usage_days SELECT ?, value, 'metered', 1080, 30, 'cs2', 1, 1 FROM json_each(?)`,
    );
    await put.bind(account, JSON.stringify(Array.from({ length: 5500 }, (_, day) => day))).run();
    const faulty = createFaultyService();
    const file = await faulty.send(ADMIN_TOKEN, 'GET', `/admin/usage?account=${account}&format=csv`);
    expect((await file.text()).split('\r\n')).toHaveLength(5504);
    faulty.statements.clear();
    const cut = await faulty.send(ADMIN_TOKEN, 'GET', `/admin/usage?account=${account}&format=csv`);
    const reader = cut.body?.getReader();
    await reader?.read();
    faulty.fail('DB', SAYS.d1[0] ?? '');
    await expect(reader?.read()).rejects.toThrow();
  });
});

describe('the log', () => {
  const settings = bindings as unknown as { LOG_LEVEL: string };
  const { LOG_LEVEL } = settings;

  afterEach(() => {
    settings.LOG_LEVEL = LOG_LEVEL;
    vi.restoreAllMocks();
  });

  it('a request has lines of the Worker and the object, under the id in its answer', async () => {
    const { metered, id: account } = await createAccount();
    const host = await createHost();
    settings.LOG_LEVEL = 'info';
    const written = vi.spyOn(console, 'info').mockReturnValue();
    const response = await sendJson(metered, 'POST', '/api/clips', roundRequest());
    const { job_id: job } = await response.json<{ job_id: string }>();
    const grant = await host.claimJob(job);
    const failed = await host.report(grant, 'fail', {
      code: 'demo_404',
      detail: 'https://demos.example.com/a?sig=secret',
    });

    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line))).filter((line) => line.job === job);
    const changes = lines.filter(({ message }) => message === 'job changed');
    expect(changes.map(({ from, to }) => [from, to])).toEqual([
      [null, 'pending'],
      ['pending', 'prefetch'],
      ['prefetch', 'error'],
    ]);
    expect(changes[0]).toMatchObject({
      level: 'info',
      account,
      run: 1,
      requestId: response.headers.get('X-Request-Id'),
    });
    expect(changes[2]).toMatchObject({
      fence: 1,
      errorCode: 'demo_404',
      requestId: failed.headers.get('X-Request-Id'),
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  /** Collects all console output from now on. */
  function listen(): () => string {
    settings.LOG_LEVEL = 'info';
    const consoles = (['debug', 'error', 'info', 'log', 'warn'] as const).map((level) =>
      vi.spyOn(console, level).mockReturnValue(),
    );
    return () => JSON.stringify(consoles.flatMap(({ mock }) => mock.calls));
  }

  it('no line has a key, a header, a parameter of SQL or the query of an address, whatever fails', {
    tags: ['long'],
  }, async () => {
    const { metered, id: account } = await createAccount();
    const host = await createHost();
    const written = listen();
    const faulty = createFaultyService();
    const secrets = {
      demo: 'signature-of-the-demo',
      webhook: 'token-of-the-webhook',
      authorization: 'Bearer header-of-the-webhook',
      idempotency: 'idempotency-key-of-the-client',
      image: `name-of-the-image-${metered}`,
      url: 'signature-in-a-detail',
    };

    // First the lookup of a key fails, then a statement with client data among its parameters.
    faulty.fail('DB', SAYS.d1[0]);
    expect((await faulty.send(metered, 'GET', '/api/jobs')).status).toBe(503);
    expect((await faulty.send(metered, 'GET', '/api/jobs')).status).toBe(200);
    await faulty.service.controls.read();
    faulty.fail('DB', SAYS.d1[1]);
    const upload = new Request(`${BASE_URL}/api/assets?kind=watermark&name=${secrets.image}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${metered}`, 'Content-Type': 'image/png' },
      body: PICTURES.png,
    });
    expect((await createApp(faulty.service)(upload, createExecutionContext())).status).toBe(503);

    const inbox = createInbox('500');
    const webhooks = [inbox.url, 'http://127.0.0.1:9/closed?x=1'];
    for (const webhook of webhooks) {
      const job = await submit(metered, {
        demo_url: `https://demos.example.com/match.dem?X-Amz-Signature=${secrets.demo}`,
        webhook_url: `${webhook}&token=${secrets.webhook}`,
        webhook_auth_header: secrets.authorization,
        idempotency_key: `${secrets.idempotency}-${crypto.randomUUID()}`,
      });
      const grant = await host.claimJob(job);
      // The projection of the outcome fails, with the job's row for parameters.
      await faulty.inside(job);
      faulty.fail('DB', SAYS.d1[2]);
      await host.report(grant, 'fail', {
        code: 'demo_url_rejected',
        detail: `https://demos.example.com/a.dem?sig=${secrets.url} leads to http://127.0.0.1/?sig=${secrets.url}`,
      });
      await expect
        .poll(async () => (await sendJson(metered, 'GET', `/api/jobs/${job}/deliveries`)).text())
        .toMatch(/"attempts":\[\{.*"error":"(?!no outcome)/);
      await expect.poll(written).toContain(`\\"job\\":\\"${job}\\",\\"effect\\":\\"project\\"`);
    }
    expect(await inbox.received()).not.toHaveLength(0);

    faulty.fail('DB', SAYS.d1[3]);
    // The platform logs errors that the cron throws.
    const thrown = await runUpkeep(faulty.service, Date.now()).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Error);

    const lines = `${written()} ${(thrown as Error).stack}`;
    expect(lines).toContain(account);
    for (const secret of [...Object.values(secrets), metered, host.token, ADMIN_TOKEN]) {
      expect(lines).not.toContain(secret.replace(/^Bearer /, ''));
    }
    // The message of drizzle has the parameters of the failed statement.
    expect(lines).not.toMatch(/params:/i);
  });

  it('no line has the key or a byte of an uploaded image, whatever fails', async () => {
    const { metered, id: account } = await createAccount();
    const host = await createHost();
    const written = listen();
    const faulty = createFaultyService();
    const upload = async () => {
      const headers = { Authorization: `Bearer ${metered}`, 'Content-Type': 'image/png' };
      const request = new Request(`${BASE_URL}/api/assets?kind=watermark`, {
        method: 'POST',
        headers,
        body: PICTURES.png,
      });
      return createApp(faulty.service)(request, createExecutionContext());
    };
    faulty.fail('ASSETS.put', `put: ${SAYS.r2.internal}`);
    expect((await upload()).status).toBe(503);
    faulty.fail('ASSETS.put', 'put: something that nobody has a word for');
    expect((await upload()).status).toBe(503);
    faulty.fail('DB', SAYS.d1[1]);
    expect((await upload()).status).toBe(503);
    const { id: image } = await (await upload()).json<{ id: string }>();

    const job = await submit(metered, { watermark_image_id: image });
    const grant = await host.claimJob(job);
    const path = `/gateway/v1/jobs/${job}/assets/watermark?fence=${grant.lease.fence}`;
    faulty.fail('ASSETS.get', 'get: something that nobody has a word for');
    expect((await faulty.send(host.token, 'GET', path)).status).toBe(500);
    const sent = await faulty.send(host.token, 'GET', path);
    expect(new Uint8Array(await sent.arrayBuffer())).toEqual(PICTURES.png);
    expect((await faulty.send(metered, 'DELETE', `/api/assets/${image}`)).status).toBe(204);

    const lines = written();
    expect(lines).toContain('nobody has a word for');
    const { png } = PICTURES;
    const bytes = {
      text: 'IHDR',
      base64: btoa(String.fromCharCode(...png.subarray(12, 24))),
      hex: [...png.subarray(12, 24)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
      list: png.subarray(12, 24).join(),
      entries: `12\\":${png[12]},\\"13\\":${png[13]}`,
    };
    for (const told of [...Object.values(bytes), `assets/${account}`, `${account}/${image}`]) {
      expect(lines).not.toContain(told);
    }
  });

  async function linesOf(requests: number, LOG_SAMPLE: string, path = '/robots.txt'): Promise<unknown[]> {
    const lines: unknown[] = [];
    let drawn = 0;
    const service = createService({ ...bindings, LOG_SAMPLE } as typeof bindings);
    const app = createApp({
      ...service,
      // The sample is evenly spread.
      random: () => (drawn++ % 100) / 100,
      log: (message, fields, level) => lines.push({ message, level, ...fields }),
    });
    for (let i = 0; i < requests; i++) {
      await app(new Request(`${BASE_URL}${path}?key=secret`), createExecutionContext());
    }
    return lines;
  }

  describe('requests', () => {
    it('have a line each for one in a hundred, without what may be secret', async () => {
      const lines = await linesOf(200, '0.01');
      expect(lines).toMatchObject([
        { message: 'request answered', level: 'info', method: 'GET', path: '/robots.txt', status: 200 },
        {},
      ]);
      expect(lines).toHaveLength(2);
      expect(JSON.stringify(lines)).not.toContain('secret');
    });

    it('have none of a key that somebody has put into the path', async () => {
      const path = `/api/keys/tr_met_${'x'.repeat(38)}`;
      expect(await linesOf(1, '1', path)).toMatchObject([{ path: '/api/keys/tr_met_…', status: 405 }]);
    });
  });
});
