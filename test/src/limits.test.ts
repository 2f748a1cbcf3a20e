import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { formatSecret } from '#domain/account/secret-key.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { sendAlerts } from '#service/operate/alerts.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { selectAccountsNearLimit } from '#storage/job/retention.ts';
import { objectText } from '#test/support/objects.ts';
import { createAccount, createHost, isolate, statuses, times } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, roundRequest, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const scene = useScenario();

const REFUSED = { demo_url: 'https://elsewhere.example.org/match.dem' };
const refused = JSON.stringify(roundRequest(REFUSED));
const good = (more = {}) => JSON.stringify(roundRequest({ fps: 119, ...more }));

/** Waits until the index has this many jobs of the account, both as rows and in their sum. */
async function indexed(jobs: number): Promise<void> {
  const rows = bindings.DB.prepare(
    "SELECT COUNT(*) AS n, (SELECT used FROM budgets WHERE owner = ?1 AND name = 'jobs_kept') AS sum FROM jobs WHERE account_id = ?1",
  ).bind(scene.account.id);
  await expect.poll(() => rows.first()).toEqual({ n: jobs, sum: jobs });
}

const sumOfBytes = (id: string) =>
  bindings.DB.prepare('SELECT SUM(bytes) AS n FROM jobs WHERE account_id = ?').bind(id).first('n');

const limitTo = (limits: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, { limits });

describe('the jobs of an account', () => {
  it('keeps a limited number of jobs, including refused ones, and 429 names the limit', {
    tags: ['long'],
  }, async () => {
    const { metered, reserved } = scene.account;
    const send = isolate({ LIMIT_JOBS_KEPT: '3' });
    const answers = await times(4, () => send('POST', '/api/clips', metered, refused));
    expect(statuses(answers)).toEqual([201, 201, 201, 429]);
    expect(answers[3]?.headers.get('Retry-After')).toBe('300');
    const problem = {
      type: expect.stringMatching(/#limit_reached$/),
      detail: expect.stringMatching(/3 jobs.*idempotency_key.*operator/),
    };
    expect(JSON.parse(answers[3]?.text ?? '')).toMatchObject(problem);
    await indexed(3);
    // Another isolate, another key and an inspection are limited as well.
    const fresh = isolate({ LIMIT_JOBS_KEPT: '3' });
    expect((await fresh('POST', '/api/clips', reserved, refused)).status).toBe(429);
    expect((await fresh('POST', '/api/demos', metered, JSON.stringify(REFUSED))).status).toBe(429);
    expect((await limitTo({ jobs_kept: 4 })).status).toBe(200);
    const own = isolate({ LIMIT_JOBS_KEPT: '3' });
    expect(statuses(await times(2, () => own('POST', '/api/clips', metered, refused)))).toEqual([201, 429]);
  });

  it('makes a limited number of jobs a day, and `Retry-After` names the next day', async () => {
    const { metered } = scene.account;
    vi.setSystemTime(Math.ceil(Date.now() / DAY) * DAY + 20 * HOUR);
    const send = isolate({ LIMIT_JOBS_DAY: '2' });
    const answers = await times(3, () => send('POST', '/api/clips', metered, refused));
    expect(statuses(answers)).toEqual([201, 201, 429]);
    expect(answers[2]?.headers.get('Retry-After')).toBe(String(4 * 3600));
    expect(answers[2]?.headers.get('RateLimit-Policy')).toBe('"new-jobs";q=2;w=86400');
    await indexed(2);
    const fresh = () => isolate({ LIMIT_JOBS_DAY: '2' })('POST', '/api/clips', metered, refused);
    expect((await fresh()).status).toBe(429);
    vi.setSystemTime(Date.now() + 4 * HOUR);
    expect((await fresh()).status).toBe(201);
    expect(await (await limitTo({ jobs_a_day: 1 })).json()).toMatchObject({ limits: { jobs_a_day: 1 } });
    await indexed(3);
    expect((await fresh()).status).toBe(429);
  });

  it('keep a limited number of bytes, which 429 names; spare jobs go first', async () => {
    const { metered, id } = scene.account;
    await limitTo({ jobs_mib: 1 });
    const send = isolate({});
    const heavy = (more = {}) => good({ extras: { blob: 'x'.repeat(200_000) }, ...more });
    const spare = await submit(metered, { ...REFUSED, extras: { blob: 'x'.repeat(200_000) } });
    const jobId = await submit(metered, { idempotency_key: 'k' });
    await scene.host.finish(await scene.host.claimJob(jobId));
    const kept = () =>
      bindings.DB.prepare("SELECT used FROM budgets WHERE owner = ? AND name = 'jobs_mib'").bind(id).first('used');
    await indexed(2);
    const before = Number(await kept());
    expect(before).toBeGreaterThan(200_000);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', '/api/clips', metered, heavy())));
    expect(statuses(answers).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('Retry-After')).toBe('300');
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({ detail: expect.stringMatching(/1 of 1 MiB \(jobs_mib\)/) });
    await indexed(7);
    // Nor may a job that is there take a larger request; but it may run again.
    const fresh = isolate({});
    const redo = heavy({ idempotency_key: 'k', force: true });
    const demo = JSON.stringify({ demo_url: 'https://demos.example.com/heavy.dem' });
    expect((await fresh('POST', '/api/clips', metered, redo)).status).toBe(429);
    expect((await fresh('POST', '/api/demos', metered, demo)).status).toBe(429);
    expect((await fresh('POST', `/api/jobs/${jobId}/resubmit`, metered)).status).toBe(200);
    const service = createService(bindings);
    const nearLimit = await selectAccountsNearLimit(service.database, service.settings.limits);
    expect(nearLimit).toContainEqual({ id, isTest: false, jobs: expect.any(Number), bytes: expect.any(Number) });
    await sendAlerts(service, null);
    expect(await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/overview')).json()).toMatchObject({
      firing: expect.arrayContaining([
        {
          alert: 'AccountNearLimit',
          text: expect.stringContaining(nearLimit[0]?.id ?? ''),
          since: expect.any(String),
          help: expect.any(String),
        },
      ]),
    });
    vi.setSystemTime(Date.now() + HOUR + 1000);
    await runUpkeep(service, Date.now());
    await indexed(6);
    expect((await sendJson(metered, 'GET', `/api/jobs/${spare}`)).status).toBe(404);
    expect(await kept()).toBe(await sumOfBytes(id));
    await scene.host.finish(await scene.host.claimJob(jobId));
    expect((await isolate({})('POST', '/api/clips', metered, redo)).status).toBe(200);
    await expect.poll(kept).toBeGreaterThan(1024 * 1024);
    expect(await kept()).toBe(await sumOfBytes(id));
  });

  it('cannot pass the limit with concurrent requests', { tags: ['long'] }, async () => {
    const send = isolate({ LIMIT_JOBS: '3' });
    const ask = () => send('POST', '/api/clips', scene.account.metered, good());
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    expect(statuses(answers).sort()).toEqual([201, 201, 201, 429, 429, 429]);
  });

  it('counts no job that its object did not take, and none twice that waits for a retry', {
    tags: ['long'],
  }, async () => {
    const { account, host } = scene;
    const jobId = await submit(account.metered);
    await host.report(await host.claimJob(jobId), 'fail', { code: 'upload_error', detail: '' });
    await indexed(1);
    const faulty = createFaultyService();
    const { RENDER_JOB } = faulty.bindings;
    const send = isolate({ LIMIT_JOBS: '2', LIMIT_JOBS_DAY: '2' }, { RENDER_JOB });
    const ask = () => send('POST', '/api/clips', account.metered, good());
    const again = () => send('POST', `/api/jobs/${jobId}/resubmit`, account.metered);
    faulty.fail('RENDER_JOB.submit', 'Network connection lost.');
    faulty.fail('RENDER_JOB.resubmit', 'Network connection lost.');
    expect(statuses(await times(4, (i) => [ask, again, again, ask][i]?.() ?? ask()))).toEqual([503, 503, 200, 201]);
  });

  it('has inspections counted likewise, and one that failed tried again where that adds no job', {
    tags: ['long'],
  }, async () => {
    const { metered } = scene.account;
    const send = isolate({ LIMIT_JOBS_KEPT: '2' });
    const inspect = (i: number) =>
      send('POST', '/api/demos', metered, JSON.stringify({ demo_url: `${REFUSED.demo_url}?${i}` }));
    const made = await Promise.all(Array.from({ length: 4 }, (_, i) => inspect(i)));
    expect(statuses(made).sort()).toEqual([200, 200, 429, 429]);
    const first = made.findIndex(({ status }) => status === 200);
    const again = await times(61, () => inspect(first));
    expect(new Set(statuses(again.slice(0, 60)))).toEqual(new Set([200]));
    expect(again[60]?.headers.get('RateLimit-Policy')).toBe('"reruns";q=60;w=3600');
  });

  it('at its limit still gets replays and redoes of its keys, if they add no job', async () => {
    const { metered } = scene.account;
    await sendJson(metered, 'POST', '/api/clips', roundRequest({ ...REFUSED, idempotency_key: 'a' }));
    await indexed(1);
    const send = isolate({ LIMIT_JOBS_KEPT: '1' });
    const ask = (more: object) => send('POST', '/api/clips', metered, good(more));
    expect(statuses([await ask({ idempotency_key: 'a' }), await ask({ idempotency_key: 'b' })])).toEqual([200, 429]);
    expect((await ask({ idempotency_key: 'a', force: true })).status).toBe(200);
    const jobId: string = JSON.parse((await ask({ idempotency_key: 'a' })).text).job_id;
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    // While the limit of unfinished jobs is reached, a job must not run again either.
    await submit(metered);
    await indexed(2);
    const busy = isolate({ LIMIT_JOBS: '1' });
    const redo = good({ idempotency_key: 'a', force: true });
    expect((await busy('POST', '/api/clips', metered, redo)).status).toBe(429);
    expect((await busy('POST', '/api/clips', metered, good({ idempotency_key: 'a' }))).status).toBe(200);
  });
});

describe('a job that is run again', () => {
  const resubmit = (send: ReturnType<typeof isolate>, jobId: string) =>
    send('POST', `/api/jobs/${jobId}/resubmit`, scene.account.metered);

  it('counts as a submit and as an unfinished job', async () => {
    const { metered } = scene.account;
    const jobs = await times(3, () => submit(metered, REFUSED));
    await indexed(3);
    const rated = isolate({ LIMIT_SUBMITS: '2' });
    expect(statuses(await times(3, (i) => resubmit(rated, jobs[i] ?? '')))).toEqual([200, 200, 429]);
    const waiting = await submit(metered, { fps: 119 });
    await indexed(4);
    const full = isolate({ LIMIT_JOBS: '1' });
    const answers = await times(2, (i) => resubmit(full, [jobs[0] ?? '', waiting][i] ?? ''));
    expect(statuses(answers)).toEqual([429, 409]);
    expect(JSON.parse(answers[0]?.text ?? '')).toMatchObject({ type: expect.stringMatching(/#limit_reached$/) });
    const room = isolate({ LIMIT_JOBS: '2' });
    const atOnce = await Promise.all(jobs.map((jobId) => resubmit(room, jobId)));
    expect(statuses(atOnce).sort()).toEqual([200, 429, 429]);
  });

  it('may run 60 times an hour, and keeps no more webhooks than are listed', {
    tags: ['long'],
    timeout: 60_000,
  }, async () => {
    const { metered } = scene.account;
    const request = roundRequest({ ...REFUSED, idempotency_key: 'k', webhook_url: createInbox('500').url });
    const jobId = await submit(metered, request);
    const rows = () =>
      runInDurableObject(
        bindings.RENDER_JOB.getByName(jobId),
        (_, { storage }) => storage.sql.exec('SELECT COUNT(*) AS n FROM deliveries').one().n,
      );
    await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => {
      for (let i = 0; i < 150; i++) {
        storage.sql.exec(
          `INSERT INTO deliveries (id, run, event, url, status, attempts, next_at, created_at)
            SELECT ?, run, event, url, 'canceled', attempts, NULL, created_at FROM deliveries WHERE number = 1`,
          crypto.randomUUID(),
        );
      }
    });
    const send = isolate({});
    expect(new Set(statuses(await times(59, () => resubmit(send, jobId))))).toEqual(new Set([200]));
    expect(await rows()).toBe(100);
    const redo = () => send('POST', '/api/clips', metered, JSON.stringify({ ...request, force: true }));
    expect((await redo()).status).toBe(200);
    vi.setSystemTime(Date.now() + HOUR / 2);
    for (const answer of [await redo(), await resubmit(send, jobId)]) {
      expect(answer.status).toBe(429);
      expect(answer.headers.get('Retry-After')).toBe('3600');
      expect(answer.headers.get('RateLimit-Policy')).toBe('"reruns";q=60;w=3600');
    }
    expect((await send('POST', '/api/clips', metered, JSON.stringify(request))).status).toBe(200);
    vi.setSystemTime(Date.now() + HOUR / 2);
    expect((await redo()).status).toBe(200);
  });
});

describe('an account near its limit', () => {
  const upkeep = (variables = {}) => runUpkeep(createService({ ...bindings, ...variables } as Bindings), Date.now());

  it('has only its oldest jobs without a clip and a key deleted', { tags: ['long'] }, async () => {
    const { account, host } = scene;
    const { metered } = account;
    const made = await submit(metered);
    await host.finish(await host.claimJob(made));
    await fireAlarm(made);
    const keyed = await submit(metered, { ...REFUSED, idempotency_key: 'k' });
    const waiting = await submit(metered, { fps: 119 });
    const spare: string[] = [];
    for (let i = 0; i < 6; i++) {
      vi.setSystemTime(Date.now() + 1000);
      spare.push(await submit(metered, REFUSED));
    }
    vi.setSystemTime(Date.now() + HOUR + 1000);
    const telling = await submit(metered, { ...REFUSED, webhook_url: createInbox('500').url });
    await indexed(10);
    const there = async (jobs: readonly string[]) =>
      statuses(await Promise.all(jobs.map((jobId) => sendJson(metered, 'GET', `/api/jobs/${jobId}`))));

    await upkeep({ LIMIT_JOBS_KEPT: '12' });
    await indexed(10);
    await upkeep({ LIMIT_JOBS_KEPT: '10' });
    await indexed(9);
    expect(await there(spare)).toEqual([404, 200, 200, 200, 200, 200]);
    expect(await objectText(spare[0] ?? '')).toBe('');
    // An account's own limit overrides the general one.
    await limitTo({ jobs_kept: 4 });
    await upkeep();
    await indexed(4);
    expect(await there(spare)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await there([made, keyed, waiting, telling])).toEqual([200, 200, 200, 200]);
    expect((await sendJson(metered, 'POST', `/api/jobs/${spare[1]}/resubmit`)).status).toBe(404);
    const { jobs } = await (await sendJson(metered, 'GET', '/api/jobs')).json<{ jobs: { id: string }[] }>();
    expect(jobs.map(({ id }) => id).sort()).toEqual([telling, waiting, keyed, made].sort());
  });
});

const inventedKey = () => formatSecret('metered', crypto.getRandomValues(new Uint8Array(64))) ?? '';

/** Counts the statements that reach the database. */
function countedDatabase() {
  const asked = { statements: 0 };
  const DB = new Proxy(bindings.DB, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'prepare') asked.statements++;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { asked, DB };
}

describe('an account', () => {
  it('that submits too much gets 429 with the policy, and another account is not affected', async () => {
    const [flooding, other] = [await createAccount(), await createAccount()];
    const send = isolate({ LIMIT_SUBMITS: '3' });
    const body = JSON.stringify(roundRequest({ fps: 119 }));
    const answers = await times(4, () => send('POST', '/api/clips', flooding.metered, body));
    expect(statuses(answers)).toEqual([201, 201, 201, 429]);
    const refused = answers[3];
    expect(refused?.headers.get('RateLimit-Policy')).toBe('"submits";q=3;w=60');
    expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({ type: expect.stringMatching(/#rate_limited$/) });
    // The limit counts both keys.
    expect((await send('POST', '/api/clips', flooding.reserved, body)).status).toBe(429);
    expect((await send('POST', '/api/clips', other.metered, body)).status).toBe(201);
    expect((await send('GET', '/api/jobs', flooding.metered)).status).toBe(200);
  });

  it('is refused if the count of the platform is exceeded', async () => {
    const { metered } = await createAccount();
    const SUBMIT_RATE = { limit: async () => ({ success: false }) };
    const send = isolate({}, { SUBMIT_RATE });
    const body = JSON.stringify(roundRequest({ fps: 119 }));
    expect(statuses(await times(2, () => send('POST', '/api/clips', metered, body)))).toEqual([201, 429]);
  });

  it('has a limit of frames for a clip: the most that a timeline can ask for at the default rate', {
    tags: ['long'],
  }, async () => {
    const { id, metered } = await createAccount();
    const segment = (n: number) => ({
      steam64_id: '76561198000000001',
      start_tick: n * 70_000,
      end_tick: n * 70_000 + 64_000,
    });
    const { steam64_id: _, ...round } = roundRequest({});
    const timeline = Array.from({ length: 20 }, (_, n) => segment(n));
    const submitted = async (overrides: object) => {
      const answer = await sendJson(metered, 'POST', '/api/clips', { ...round, timeline, ...overrides });
      expect(answer.status).toBe(201);
      return (await answer.json<{ job_id: string }>()).job_id;
    };
    const read = async (jobId: string) => (await sendJson(metered, 'GET', `/api/jobs/${jobId}`)).json();
    const usual = await submitted({});
    expect(await read(usual)).toMatchObject({ status: 'pending' });
    expect(await (await createHost()).claimJob(usual)).toMatchObject({ most_frames: 600_000 });
    // Overlapping segments are rendered once.
    const twice = { timeline: [segment(1), ...timeline.slice(1)], fps: 31 };
    expect(await read(await submitted(twice))).toMatchObject({ status: 'pending' });
    const jobId = await submitted({ fps: 31 });
    expect(await read(jobId)).toMatchObject({ status: 'error', error_code: 'clip_too_long' });
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { limits: { frames: 620_000 } });
    vi.setSystemTime(Date.now() + 31_000);
    expect((await sendJson(metered, 'POST', `/api/jobs/${jobId}/resubmit`)).status).toBe(200);
    expect(await read(jobId)).toMatchObject({ status: 'pending' });
  });

  it('has a daily limit on the time of hosts for runs that make no clip', { tags: ['long'] }, async () => {
    const { id, metered } = await createAccount();
    const host = await createHost();
    const inMinute = async (end: (jobId: string) => Promise<unknown>) => {
      const jobId = await submit(metered);
      const grant = await host.claimJob(jobId);
      await host.heartbeat(grant);
      vi.setSystemTime(Date.now() + 50_000);
      await host.heartbeat(grant);
      vi.setSystemTime(Date.now() + 10_000);
      return end(jobId);
    };
    const spent = () =>
      bindings.DB.prepare("SELECT used FROM budgets WHERE owner = ? AND name = 'unbilled'").bind(id).first('used');
    const body = JSON.stringify(roundRequest({ fps: 119 }));
    const demo = JSON.stringify({ demo_url: 'https://demos.example.com/1.dem' });
    const one = (unbilled: number, path = '/api/clips', sent = body) =>
      isolate({}, {}, { unbilled })('POST', path, metered, sent);
    expect((await one(1)).status).toBe(201);
    await inMinute((jobId) => sendJson(metered, 'POST', `/api/jobs/${jobId}/cancel`));
    await expect.poll(spent).toBe(60_000);
    const refused = await one(1);
    expect(statuses([refused, await one(1, '/api/demos', demo), await one(2)])).toEqual([429, 429, 201]);
    expect(refused.text).toContain('Hosts have worked 1 minutes today (UTC) on runs of this account that made no clip');
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(24 * 60 * 60);
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { limits: { unbilled: 2 } });
    expect((await one(1)).status).toBe(201);
    vi.setSystemTime(Date.now() + 24 * 60 * 60_000);
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { limits: {} });
    expect((await one(1)).status).toBe(201);
  });

  it('has so many demos inspected at a time, exactly, also of requests at once', { tags: ['long'] }, async () => {
    const { id, metered } = await createAccount();
    const faulty = createFaultyService();
    const { RENDER_JOB } = faulty.bindings;
    const send = isolate({ LIMIT_INSPECTIONS: '3' }, { RENDER_JOB });
    const ask = (demo: string) =>
      send('POST', '/api/demos', metered, JSON.stringify({ demo_url: `https://demos.example.com/${id}/${demo}.dem` }));
    const remove = ({ text }: { text: string }) => sendJson(metered, 'DELETE', `/api/demos/${JSON.parse(text).id}`);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(`${i}`)));
    expect(statuses(answers).sort()).toEqual([202, 202, 202, ...Array(9).fill(429)]);
    // Each that ends makes room at once, and of those that follow one another none is refused too early.
    for (const one of answers.filter(({ status }) => status === 202)) await remove(one);
    const next = await times(4, (i) => ask(`next-${i}`));
    expect(statuses([...next, await ask('next-0')])).toEqual([202, 202, 202, 429, 202]);
    for (const one of next.slice(0, 2)) await remove(one);
    // What became of a lost call is unknown for a minute.
    faulty.fail('RENDER_JOB.inspectDemo', 'Network connection lost.');
    expect(statuses(await times(3, (i) => ask(`lost-${i}`)))).toEqual([503, 202, 429]);
    vi.setSystemTime(Date.now() + 60_000);
    expect(statuses(await times(2, (i) => ask(`later-${i}`)))).toEqual([202, 429]);
  });

  it('stores so many images and so many bytes of them, exactly, also of uploads at once', async () => {
    const { id, metered } = await createAccount();
    const send = isolate({}, {}, { assets: 2 });
    const headers = { 'Content-Type': 'image/png' };
    const upload = () => send('POST', '/api/assets?kind=watermark', metered, PICTURES.png, headers);
    const answers = await Promise.all(Array.from({ length: 5 }, upload));
    expect(statuses(answers).sort()).toEqual([201, 201, 429, 429, 429]);
    expect((await bindings.ASSETS.list({ prefix: `assets/${id}/` })).objects).toHaveLength(2);
    const uploads = isolate({ LIMIT_UPLOADS: '1' });
    const again = () => uploads('POST', '/api/assets?kind=watermark', metered, PICTURES.png, headers);
    expect(statuses(await times(2, again))).toEqual([201, 429]);
  });
});

describe('a job', () => {
  it('is followed by so many clients at a time', async () => {
    const { metered } = await createAccount();
    const jobId = await submit(metered, { fps: 119 });
    const leaving = new AbortController();
    const headers = { Authorization: `Bearer ${metered}` };
    const follow = () => send(`/api/jobs/${jobId}/events`, { headers, signal: leaving.signal });
    const answers = await Promise.all(Array.from({ length: 11 }, follow));
    expect(statuses(answers).sort()).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    leaving.abort();
  });

  it('has a limit of resends an hour, and answers how many are left', { timeout: 120_000 }, async () => {
    const { metered } = await createAccount();
    const jobId = await submit(metered, { webhook_url: createInbox().url });
    const host = await createHost();
    await host.report(await host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    const resend = () => sendJson(metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);
    const first = await resend();
    // The first delivery counts.
    expect(first.headers.get('RateLimit')).toBe('"resends";r=58;t=3600');
    expect(first.headers.get('RateLimit-Policy')).toBe('"resends";q=60;w=3600');

    // Delivered webhooks are no longer pending; they use up the hour.
    const stub = bindings.RENDER_JOB.getByName(jobId);
    const rows = () =>
      runInDurableObject(stub, (_, { storage }) => storage.sql.exec('SELECT COUNT(*) AS n FROM deliveries').one().n);
    await runInDurableObject(stub, (_, { storage }) => {
      for (let i = 0; i < 58; i++) {
        storage.sql.exec(
          `INSERT INTO deliveries (id, run, event, url, status, attempts, next_at, created_at)
            SELECT ?, run, event, url, 'delivered', attempts, NULL, created_at FROM deliveries WHERE number = 1`,
          crypto.randomUUID(),
        );
      }
    });
    const refused = await resend();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('RateLimit')).toBe('"resends";r=0;t=3600');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/#rate_limited$/) });
    expect(await rows()).toBe(60);
  });
});

describe('a client that guesses', () => {
  it('keys is refused before any query, by the address that the platform reports', async () => {
    const { asked, DB } = countedDatabase();
    const variables = { LIMIT_KEY_GUESSES: '3', CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP' };
    const send = isolate(variables, { DB });
    const guess = (address: string, key = inventedKey()) =>
      send('GET', '/api/jobs', key, null, { 'CF-Connecting-IP': address });
    expect(statuses(await times(5, () => guess('192.0.2.1')))).toEqual([401, 401, 401, 429, 429]);
    expect(asked.statements).toBe(3);
    expect((await guess('192.0.2.2')).status).toBe(401);
    const { metered } = await createAccount();
    expect((await guess('192.0.2.1', metered)).status).toBe(429);
    expect((await guess('192.0.2.2', metered)).status).toBe(200);
    // A key that was good is accepted from every address, by a new isolate too.
    expect((await guess('192.0.2.1', metered)).status).toBe(200);
    const fresh = isolate({ ...variables, LIMIT_KEY_GUESSES: '1' }, { DB });
    const later = (key: string) => fresh('GET', '/api/jobs', key, null, { 'CF-Connecting-IP': '192.0.2.1' });
    expect(statuses(await times(3, (i) => later(i < 2 ? inventedKey() : metered)))).toEqual([401, 429, 200]);
    for (const part of ['1', '2', '3']) await guess(`2001:db8:1:2:${part}::1`);
    expect((await guess('2001:db8:1:2:ffff::1')).status).toBe(429);
  });

  it('registrations is refused likewise; one that is used up is no guess', async () => {
    const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/host-registrations', { name: 'rack', uses: 1 });
    const { token } = await made.json<{ token: string }>();
    const send = isolate({ LIMIT_KEY_GUESSES: '2' });
    const body = JSON.stringify({ name: 'gpu' });
    const invented = () => formatSecret('registration', crypto.getRandomValues(new Uint8Array(64))) ?? '';
    const register = (secret: string) => send('POST', '/gateway/v1/register', secret, body);
    expect(statuses(await times(4, () => register(token)))).toEqual([201, 401, 401, 401]);
    expect(statuses(await times(3, () => register(invented())))).toEqual([401, 401, 429]);
  });

  it.each<[string, string, string, (i: number) => Record<string, string>]>([
    ["an operator's token", '/admin/overview', ADMIN_TOKEN, (i) => ({ Authorization: `Bearer guess-${i}` })],
    ['the token of monitors', '/metrics', 'a-token-for-scraping', (i) => ({ Authorization: `Bearer guess-${i}` })],
    [
      'a session of the console',
      '/console/session',
      ADMIN_TOKEN,
      (i) => ({ Cookie: `__Host-tickreel_console=${`${i}`.repeat(64)}` }),
    ],
  ])('guesses at %s are limited as well, and a good one is none', async (_, path, token, guess) => {
    const send = isolate({ LIMIT_KEY_GUESSES: '3' });
    expect((await send('GET', path, token)).status).toBe(200);
    expect(statuses(await times(5, (i) => send('GET', path, null, null, guess(i))))).toEqual([401, 401, 401, 429, 429]);
    vi.setSystemTime(Date.now() + 23 * HOUR);
    expect((await send('GET', path, token)).status).toBe(200);
    expect((await send('GET', path, 'never-good')).status).toBe(429);
  });

  it('gains nothing from an untrusted header', async () => {
    const send = isolate({ LIMIT_KEY_GUESSES: '3' });
    const guess = (i: number) => send('GET', '/api/jobs', inventedKey(), null, { 'CF-Connecting-IP': `192.0.2.${i}` });
    expect(statuses(await times(5, guess))).toEqual([401, 401, 401, 429, 429]);
  });
});

describe('an answer under https', () => {
  it('has HSTS, and a page asks for no permission', async () => {
    const page = await isolate({})('GET', '/', null);
    expect(page.headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    expect(page.headers.get('Permissions-Policy')).toContain('camera=()');
    const local = await isolate({ BASE_URL: 'http://127.0.0.1:8787' })('GET', '/', null);
    expect(local.headers.get('Strict-Transport-Security')).toBeNull();
  });
});

describe('the keys of an account', () => {
  it('are two of a kind at a time: one in use, and its successor', async () => {
    const { id } = await createAccount();
    const keys = `/admin/accounts/${id}/keys`;
    const make = () => sendJson(ADMIN_TOKEN, 'POST', keys, { kind: 'metered' });
    const second = await make();
    expect([second.status, (await make()).status]).toEqual([201, 429]);
    const { key_id } = await second.json<{ key_id: string }>();
    expect((await sendJson(ADMIN_TOKEN, 'POST', `${keys}/${key_id}/rotate`)).status).toBe(429);
    await sendJson(ADMIN_TOKEN, 'DELETE', `${keys}/${key_id}`);
    expect((await make()).status).toBe(201);
  });

  it('expire with the key that they succeed', async () => {
    const keys = `/admin/accounts/${(await createAccount()).id}/keys`;
    const terms = { kind: 'metered', scope: 'read', name: 'a guest', expires_at: '2099-01-01T00:00:00.000Z' };
    const { key_id } = await (await sendJson(ADMIN_TOKEN, 'POST', keys, terms)).json<{ key_id: string }>();
    expect(await (await sendJson(ADMIN_TOKEN, 'POST', `${keys}/${key_id}/rotate`)).json()).toMatchObject(terms);
  });
});
