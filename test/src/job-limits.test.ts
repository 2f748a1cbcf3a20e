import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { isolate, statuses, times } from '../support/isolate.ts';
import { objectText } from '../support/raw.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, roundRequest, sendJson, submit } from '../support/service.ts';
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
    'SELECT COUNT(*) AS n, (SELECT jobs FROM account_sums WHERE account_id = ?1) AS sum FROM jobs WHERE account_id = ?1',
  ).bind(scene.account.id);
  await expect.poll(() => rows.first()).toEqual({ n: jobs, sum: jobs });
}

const limitTo = (limits: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, { limits });

describe('an account', () => {
  it('keeps a limited number of jobs, including refused ones, and 429 names the limit', async () => {
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

  it('cannot pass the limit with concurrent requests', async () => {
    const send = isolate({ LIMIT_JOBS: '3' });
    const ask = () => send('POST', '/api/clips', scene.account.metered, good());
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    expect(statuses(answers).sort()).toEqual([201, 201, 201, 429, 429, 429]);
  });

  it('counts no job that its object did not take, and none twice that waits for a retry', async () => {
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

  it('has inspections counted likewise, and one that failed tried again where that adds no job', async () => {
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

  it('may run 60 times an hour, and keeps no more webhooks than are listed', { timeout: 60_000 }, async () => {
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

  it('has only its oldest jobs without a clip and a key deleted', async () => {
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
