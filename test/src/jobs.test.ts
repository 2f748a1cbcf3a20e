import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isSigned } from '#protocol/lib/signed-message.ts';
import { callOut } from '#service/lib/call-out.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { createRandom, pick } from '#test/soak/random.ts';
import { createAccount, createHost, hostOf, type TestAccount } from '#test/support/accounts.ts';
import { freezeClock } from '#test/support/clock.ts';
import { createFaultyService } from '#test/support/faulty-service.ts';
import { evict, fireAlarm, resetQueue, useScenario } from '#test/support/scenario.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bindings,
  PLAYER,
  readJob,
  roundRequest,
  send,
  sendJson,
  submit,
} from '#test/support/service.ts';
import type { TestHost } from '#test/support/test-host.ts';
import { createInbox } from '#test/support/webhooks.ts';

describe('a submit of an unknown end', () => {
  const scene = useScenario();

  interface Answer {
    readonly jobs: number;
    readonly checked: number;
    readonly refused: readonly { readonly job_id: string; readonly reason: string }[];
    readonly next_cursor: string | null;
    readonly [count: string]: unknown;
  }

  async function resubmit(body: object, status = 200): Promise<Answer> {
    // What ended in this millisecond is not part of a retry.
    vi.setSystemTime(Date.now() + 1);
    const answer = await sendJson(ADMIN_TOKEN, 'POST', '/admin/jobs/resubmit', body);
    expect(answer.status).toBe(status);
    return answer.json<Answer>();
  }
  const all = (more: object = {}) => resubmit({ all: true, account: scene.account.id, ...more });

  async function failed(code = 'render_failed', request = {}, host = scene.host, build: string | null = null) {
    const game = build === null ? {} : { renderer: 'cs2' };
    const jobId = await submit(scene.account.metered, { ...game, ...request });
    await failAgain(jobId, code, host, build);
    return jobId;
  }

  async function failAgain(jobId: string, code: string, host: TestHost, build: string | null = null): Promise<void> {
    const capabilities = build === null ? {} : { renderer: 'cs2', game_build: build };
    const grant = await host.claim(capabilities, 20);
    expect(grant?.job_id).toBe(jobId);
    if (!grant) return;
    await host.heartbeat(grant);
    await host.report(grant, 'fail', { code, detail: 'as told' });
  }

  /** Waits until the index has the outcome of these jobs. */
  async function indexed(...ids: readonly string[]): Promise<void> {
    const unfinished = bindings.DB.prepare(
      'SELECT COUNT(*) AS n FROM jobs WHERE finished_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))',
    ).bind(JSON.stringify(ids));
    await expect.poll(() => unfinished.first('n')).toBe(ids.length);
  }

  const runOf = async (id: string) =>
    (await (await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${id}`)).json<{ run: number }>()).run;

  describe('jobs that run again for the operator', () => {
    it('are those that another run may mend, unless a code is named; a dry run counts them and changes nothing', {
      tags: ['long'],
    }, async () => {
      await resetQueue();
      const inbox = createInbox();
      const timeline = [{ steam64_id: '76561198000000001', start_tick: 0, end_tick: 640 }];
      const known = await failed('render_failed', { steam64_id: undefined, timeline, webhook_url: inbox.url });
      const unknown = await failed('finalize_failed');
      const missing = await failed('demo_404');
      const canceled = await submit(scene.account.reserved);
      await sendJson(scene.account.reserved, 'POST', `/api/jobs/${canceled}/cancel`);
      await indexed(known, unknown, missing, canceled);
      const first = { jobs: 2, reserved: 0, webhooks: 1, seconds: 10, unknown_seconds: 1, checked: 2, refused: [] };
      expect(await all({ dry_run: true })).toEqual({ ...first, next_cursor: null });
      expect(await all({ dry_run: true, error_code: 'demo_404' })).toMatchObject({ jobs: 1 });
      expect(await all({ error_code: 'canceled', tier: 'reserved' })).toMatchObject({ jobs: 1, reserved: 1 });
      expect(await all({ dry_run: true })).toMatchObject(first);
      expect(await all()).toMatchObject(first);
      expect(await Promise.all([known, unknown, missing, canceled].map(runOf))).toEqual([2, 2, 1, 2]);
      expect(await resubmit({ job_ids: [missing, missing] })).toMatchObject({ jobs: 1 });
      await resubmit({}, 400);
      await resubmit({ all: true, job_ids: [missing] }, 400);
      const { entries } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/audit?limit=2')).json<{
        entries: object[];
      }>();
      expect(entries).toMatchObject([
        { action: 'resubmitJobs', target: { jobs: '1' } },
        { action: 'resubmitJobs', target: { jobs: '2', checked: '2', refused: '0', seconds: '10' } },
      ]);
      expect(JSON.stringify(entries)).not.toContain('dry_run');
    });

    it('are found by the host and the build of the game that tried them last', { tags: ['long'] }, async () => {
      await resetQueue();
      const created = await sendJson(ADMIN_TOKEN, 'POST', '/admin/hosts', { name: 'other' });
      const { host_id, token } = await created.json<{ host_id: string; token: string }>();
      const radar = await failed();
      const ofOther = await failed('render_failed', {}, hostOf(token));
      const broken = await failed('render_failed', {}, scene.host, '1.41.6.0');
      await indexed(radar, ofOther, broken);
      expect(await all({ host: host_id, dry_run: true })).toMatchObject({ jobs: 1, checked: 3 });
      expect(await all({ build: '1.41.7.0', dry_run: true })).toMatchObject({ jobs: 0, checked: 3 });
      expect(await all({ build: '1.41.6.0', host: host_id })).toMatchObject({ jobs: 0 });
      expect(await all({ build: '1.41.6.0' })).toMatchObject({ jobs: 1, refused: [] });
      expect(await Promise.all([radar, ofOther, broken].map(runOf))).toEqual([1, 1, 2]);
      const story = await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${broken}`);
      expect(await story.json()).toMatchObject({ attempts: [{ game_build: '1.41.6.0' }] });
      // The build of an earlier run does not count.
      await failAgain(broken, 'render_failed', scene.host, '1.41.8.0');
      await indexed(broken);
      expect(await all({ build: '1.41.6.0', dry_run: true })).toMatchObject({ jobs: 0 });
    });

    it('are done ones only on request, and never those of clips that were deleted', { tags: ['long'] }, async () => {
      await resetQueue();
      const { account, host } = scene;
      const [kept, deleted] = [await submit(account.metered), await submit(account.metered)];
      for (const id of [kept, deleted]) await host.finish(await host.claimJob(id));
      const { clip_id } = await readJob<{ clip_id: string }>(account.metered, deleted);
      await sendJson(account.metered, 'DELETE', `/api/clips/${clip_id}`);
      await indexed(kept, deleted);
      expect(await all()).toMatchObject({ checked: 0 });
      expect(await resubmit({ job_ids: [kept] })).toMatchObject({
        refused: [{ job_id: kept, reason: 'job_finished' }],
      });
      const { jobs, seconds, refused } = await all({ status: 'done' });
      expect([jobs, refused]).toEqual([1, [{ job_id: deleted, reason: 'clip_deleted' }]]);
      expect(seconds).toBeGreaterThan(0);
    });

    it('are never those of clips that the operator took down, whatever became of their last run', async () => {
      await resetQueue();
      const { account, host } = scene;
      const id = await submit(account.metered);
      await host.finish(await host.claimJob(id));
      const { clip_id } = await readJob<{ clip_id: string }>(account.metered, id);
      await sendJson(account.metered, 'POST', `/api/jobs/${id}/resubmit`);
      await failAgain(id, 'render_failed', host);
      await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/clips/${clip_id}`, { reason: 'x' });
      await indexed(id);
      expect(await all()).toMatchObject({ jobs: 0, refused: [{ job_id: id, reason: 'clip_removed' }] });
      expect(await runOf(id)).toBe(2);
    });

    it('are refused with a reason: changed, in flight, suspended, blocked, forgotten, unknown', {
      tags: ['long'],
    }, async () => {
      await resetQueue();
      const { account, host } = scene;
      const ids = [await failed(), await failed('render_failed', { demo_url: 'https://a.demos.example.com/x.dem' })];
      const [again = '', blocked = ''] = ids;
      await indexed(...ids);
      const reason = async (body: object) => (await resubmit(body)).refused.map((one) => one.reason);
      const { block_id } = await (
        await sendJson(ADMIN_TOKEN, 'POST', '/admin/blocks', { address: 'a.demos.example.com', reason: 'x' })
      ).json<{ block_id: string }>();
      expect(await reason({ job_ids: [blocked, crypto.randomUUID()] })).toEqual(['demo_not_accepted', 'not_found']);
      await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/blocks/${block_id}`);
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { suspended: true });
      expect(await reason({ all: true, account: account.id })).toEqual(['account_suspended', 'account_suspended']);
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { suspended: false });
      expect(await reason({ job_ids: [again] })).toEqual([]);
      expect(await reason({ job_ids: [again] })).toEqual(['job_in_flight']);
      vi.setSystemTime(Date.now() + 1);
      await failAgain(again, 'render_failed', host);
      await indexed(again);
      // The index still has the outcome before.
      await bindings.DB.prepare('UPDATE jobs SET finished_at = finished_at - 1, version = 99 WHERE id = ?')
        .bind(again)
        .run();
      expect(await reason({ all: true, account: account.id })).toEqual(['job_changed']);
      for (let runs = 0; runs < 60; runs++) {
        await resubmit({ job_ids: [blocked] });
        await sendJson(account.metered, 'POST', `/api/jobs/${blocked}/cancel`);
      }
      expect(await reason({ job_ids: [blocked], dry_run: true })).toEqual(['too_many_reruns']);
    });

    it('takes an operator who may operate, and works during maintenance', { tags: ['long'] }, async () => {
      await resetQueue();
      const id = await failed();
      const { token } = await (
        await sendJson(ADMIN_TOKEN, 'POST', '/admin/operators', { name: 'reader', role: 'read' })
      ).json<{ token: string }>();
      expect((await sendJson(token, 'POST', '/admin/jobs/resubmit', { job_ids: [id] })).status).toBe(403);
      await sendJson(ADMIN_TOKEN, 'PUT', '/admin/maintenance', { reason: 'x' });
      expect(await resubmit({ job_ids: [id] })).toMatchObject({ jobs: 1 });
      await sendJson(ADMIN_TOKEN, 'DELETE', '/admin/maintenance');
    });
  });

  interface Operator {
    cursor: string | null | undefined;
    jobs: number;
  }
  type Steps = [() => Promise<void>, ...(() => Promise<void>)[]];

  describe('two operators who retry the same jobs page by page, while jobs change', () => {
    it.each([1, 2, 3, 4, 5, 6])('run each job again once (seed %i)', { tags: ['long'] }, async (seed) => {
      await resetQueue();
      const random = createRandom(seed);
      const { account, host } = scene;
      const failing: string[] = [];
      for (let i = 0; i < 7; i++) {
        failing.push(await failed());
        vi.setSystemTime(Date.now() + 1);
      }
      const canceled = await submit(account.metered);
      const cancel = (id: string) => sendJson(account.metered, 'POST', `/api/jobs/${id}/cancel`);
      await cancel(canceled);
      await indexed(...failing, canceled);

      const operators = [1, 2].map((): Operator => ({ cursor: undefined, jobs: 0 }));
      const page = async (one: Operator) => {
        if (one.cursor === null) return;
        const answer = await all({ limit: 3, ...(one.cursor && { cursor: one.cursor }) });
        one.jobs += answer.jobs;
        one.cursor = answer.next_cursor;
      };
      /** What clients and hosts do meanwhile. Their own resubmits count as well. */
      let own = 0;
      const meanwhile = async () => {
        vi.setSystemTime(Date.now() + 1);
        const id = pick(random, failing as [string, ...string[]]);
        const what = pick(random, ['fail', 'fail', 'fail', 'finish', 'cancel', 'resubmit']);
        if (what === 'cancel') await cancel(id);
        else if (what === 'resubmit') {
          if ((await sendJson(account.metered, 'POST', `/api/jobs/${id}/resubmit`)).status === 200) own++;
        } else {
          const grant = await host.claim();
          if (!grant) return;
          await host.heartbeat(grant);
          if (what === 'finish') await host.finish(grant);
          else await host.report(grant, 'fail', { code: 'render_failed', detail: 'again' });
          await fireAlarm(grant.job_id);
          await indexed(grant.job_id);
        }
      };
      // Both begin before anything has run again.
      await Promise.all(operators.map(page));
      while (operators.some(({ cursor }) => cursor !== null)) {
        const [ahead, behind] = operators as [Operator, Operator];
        const steps = [() => page(ahead), () => page(ahead), () => page(behind), meanwhile, meanwhile, meanwhile];
        const [first, second] = [pick(random, steps as Steps), pick(random, steps as Steps)];
        if (random() < 0.5) await Promise.all([first(), second()]);
        else await first();
      }
      const again = (await Promise.all(failing.map(runOf))).reduce((sum, run) => sum + run - 1, 0);
      const retried = operators.reduce((sum, { jobs }) => sum + jobs, 0);
      expect(again).toBe(retried + own);
      expect(retried).toBeLessThanOrEqual(failing.length);
      if (own === 0) expect(retried).toBe(failing.length);
      expect(await runOf(canceled)).toBe(1);
    });
  });
});

describe('jobs', () => {
  const scene = useScenario();
  const cancel = (jobId: string, key = scene.account.metered) => sendJson(key, 'POST', `/api/jobs/${jobId}/cancel`);
  const read = (jobId: string) => readJob(scene.account.metered, jobId);
  const CANCELED = { status: 'error', error_code: 'canceled', clip_id: null, finished_at: expect.any(String) };

  it('a queued job is canceled at once, sends its webhook, and no host gets it', { tags: ['long'] }, async () => {
    const inbox = createInbox();
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url, idempotency_key: 'a', extras: 7 });
    const response = await cancel(jobId);
    expect([response.status, await response.json()]).toEqual([200, { job_id: jobId }]);
    expect(await read(jobId)).toMatchObject(CANCELED);
    await fireAlarm(jobId);
    const [told, ...more] = await inbox.received();
    expect(JSON.parse(told?.body ?? '')).toMatchObject({ event: 'job.failed', error_code: 'canceled', extras: 7 });
    expect((await cancel(jobId)).status).toBe(200);
    await fireAlarm(jobId);
    expect(more).toEqual([]);
    expect(await inbox.received()).toHaveLength(1);
    for (let grant = await scene.host.claim(); grant; grant = await scene.host.claim()) {
      expect(grant.job_id).not.toBe(jobId);
    }
  });

  it('a host gets the cancellation with its next heartbeat, and its later reports change nothing', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    expect((await scene.host.heartbeat(grant)).status).toBe(204);
    await cancel(jobId);
    const refused = await scene.host.heartbeat(grant);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/stale_lease$/) });
    expect((await scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' })).status).toBe(409);
    expect(await read(jobId)).toMatchObject(CANCELED);
    // A host cannot report the code `canceled`.
    expect((await scene.host.report(grant, 'fail', { code: 'canceled', detail: '' })).status).toBe(400);
  });

  it('only the operator cancels jobs of other accounts, also all of one', async () => {
    const other = await createAccount();
    const jobs = [
      await submit(scene.account.metered),
      await submit(scene.account.metered),
      await submit(other.metered),
    ];
    const [first = '', , foreign = ''] = jobs;
    expect((await cancel(foreign)).status).toBe(404);
    expect((await cancel(crypto.randomUUID())).status).toBe(404);
    const asOperator = (path: string) => sendJson(ADMIN_TOKEN, 'POST', `/admin/${path}`);
    expect((await asOperator(`jobs/${first}/cancel`)).status).toBe(200);
    for (const jobId of jobs) await fireAlarm(jobId);
    const all = `accounts/${scene.account.id}/cancel`;
    expect(await (await asOperator(all)).json()).toEqual({ canceled: 1, failed: [], next_cursor: null });
    for (const jobId of jobs.slice(0, 2)) expect(await read(jobId)).toMatchObject(CANCELED);
    expect(await readJob(other.metered, foreign)).toMatchObject({ status: 'pending' });
    expect((await asOperator(`accounts/${other.id}/cancel?cursor=999999`)).status).toBe(400);
    expect((await asOperator(`accounts/${crypto.randomUUID()}/cancel`)).status).toBe(404);
  });

  it('canceling all jobs of an account lists those that do not answer, and cancels the others', async () => {
    // They are canceled by their ids, which are random.
    const jobs = [await submit(scene.account.metered), await submit(scene.account.metered)].sort();
    for (const jobId of jobs) await fireAlarm(jobId);
    const faulty = createFaultyService();
    faulty.fail('RENDER_JOB.cancel', 'the job was stored by a later version of the service');
    const all = () => faulty.send(ADMIN_TOKEN, 'POST', `/admin/accounts/${scene.account.id}/cancel`);
    expect(await (await all()).json()).toEqual({ canceled: 1, failed: [jobs[0]], next_cursor: null });
    expect(await (await all()).json()).toMatchObject({ failed: [] });
    for (const jobId of jobs) expect(await read(jobId)).toMatchObject(CANCELED);
  });

  it('the next page of them begins after the last job of the one before', async () => {
    const { id } = await createAccount();
    const put = `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at)
    SELECT value, ?, value, 1, 'pending', 'round', 0, 1080, 1 FROM json_each(?)`;
    const ids = Array.from({ length: 501 }, () => crypto.randomUUID());
    await bindings.DB.prepare(put).bind(id, JSON.stringify(ids)).run();
    const faulty = createFaultyService();
    // Creates no objects for them.
    faulty.fail('RENDER_JOB.cancel', 'away', { times: 501 });
    const page = async (query: string) =>
      (await faulty.send(ADMIN_TOKEN, 'POST', `/admin/accounts/${id}/cancel${query}`)).json<{ next_cursor: string }>();
    const { next_cursor } = await page('');
    faulty.reset();
    await page(`?cursor=${next_cursor}`);
    expect(faulty.calls.filter((call) => call === 'RENDER_JOB.cancel')).toHaveLength(1);
  });

  it('the header Idempotency-Key means what the field means', async () => {
    const post = (key: string, fields = {}, body: object = { ...roundRequest(), ...fields }, path = '/api/clips') => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
      const init = { method: 'POST', headers: { ...headers, Authorization: `Bearer ${scene.account.metered}` } };
      return send(path, { ...init, body: JSON.stringify(body) });
    };
    const made = await post('a/1');
    const { job_id } = await made.json<{ job_id: string }>();
    expect(made.status).toBe(201);
    expect(await read(job_id)).toMatchObject({ payload: { idempotency_key: 'a/1' } });
    const asField = await sendJson(
      scene.account.metered,
      'POST',
      '/api/clips',
      roundRequest({ idempotency_key: 'a/1' }),
    );
    for (const again of [asField, await post('a/1'), await post('a/1', { idempotency_key: 'a/1', force: true })]) {
      expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
      expect(again.headers.get('Idempotency-Body-Differs')).toBeNull();
      expect(await again.json()).toEqual({ job_id });
    }
    await cancel(job_id);
    const redone = await post('a/1', { force: true });
    expect([redone.status, redone.headers.get('Idempotent-Replayed'), await redone.json()]).toEqual([
      200,
      null,
      { job_id },
    ]);
    for (const [answer, message] of [
      [await post(''), 'must not be empty'],
      [await post('k'.repeat(256)), 'must be at most 255 characters'],
      [await post('b', { idempotency_key: 'a/1' }), 'must equal the idempotency_key of the body'],
      [await post('b', { idempotency_key: null }), 'must equal the idempotency_key of the body'],
      [await post('b', {}, { clips: [roundRequest()] }, '/api/clips/batch'), expect.stringContaining('each submit')],
    ] as const) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ errors: [{ path: 'Idempotency-Key', message }] });
    }
    expect(await (await post('b', {}, [])).json()).toMatchObject({
      errors: [{ path: '', message: 'must be a JSON object' }],
    });
  });

  interface Result {
    readonly index: number;
    readonly status: number;
    readonly job_id: string;
    readonly problem: { readonly errors?: { path: string }[] } | null;
  }

  async function batch(body: unknown): Promise<Result[]> {
    const response = await sendJson(scene.account.metered, 'POST', '/api/clips/batch', body);
    expect(response.status).toBe(200);
    return (await response.json<{ results: Result[] }>()).results;
  }

  const demo = (name: string) => `https://demos.example.com/${name}.dem`;
  const defaults = { demo_url: demo('a'), steam64_id: PLAYER, fps: 60 };

  it('each submit is answered on its own: a new job, a replay, one that breaks a rule', async () => {
    const clips = [
      { round: 1, idempotency_key: 'one' },
      { round: 0 },
      { round: 2, fps: 30, idempotency_key: 'two' },
      { timeline: [], webhook_url: 'http://localhost/' },
    ];
    const results = await batch({ defaults, clips });
    expect(results.map(({ index, status }) => [index, status])).toEqual(
      [0, 1, 2, 3].map((i) => [i, i % 2 ? 400 : 201]),
    );
    const detail = 'round must be 1 or greater';
    expect(results[1]?.problem).toMatchObject({ detail, error: detail, errors: [{ path: 'round' }] });
    expect(results[3]?.problem?.errors?.map(({ path }) => path)).toEqual(expect.arrayContaining(['timeline']));
    expect(await readJob(scene.account.metered, results[0]?.job_id ?? '')).toMatchObject({ fps: 60 });
    expect(await readJob(scene.account.metered, results[2]?.job_id ?? '')).toMatchObject({ fps: 30 });
    const again = await batch({ defaults: { ...defaults, fps: 50 }, clips: [clips[0], clips[2]] });
    const same = { status: 200, replayed: true };
    expect(again).toMatchObject([
      { ...same, job_id: results[0]?.job_id, body_differs: true },
      { ...same, job_id: results[2]?.job_id, body_differs: false },
    ]);
  });

  it('extras of each item and shared extras are kept to the last digit', async () => {
    const inbox = createInbox();
    const shared = { ...defaults, webhook_url: inbox.url };
    const [a, b] = ['12345678901234567890', '{"n":1.0}'];
    const text = JSON.stringify({
      defaults: { ...shared, extras: 'A' },
      clips: [{ round: 1 }, { round: 2, extras: 'B' }],
    });
    const sent = text.replace('"A"', a).replace('"B"', b);
    const headers = { Authorization: `Bearer ${scene.account.metered}`, 'Content-Type': 'application/json' };
    const response = await send('/api/clips/batch', { method: 'POST', headers, body: sent });
    const { results } = await response.json<{ results: Result[] }>();
    for (const { job_id } of results) {
      await sendJson(scene.account.metered, 'POST', `/api/jobs/${job_id}/cancel`);
      await fireAlarm(job_id);
    }
    const bodies = (await inbox.received()).map(({ body }) => body);
    expect(bodies.map((body) => body.replace(/^.*"extras":|}$/g, ''))).toEqual([a, b]);
  });

  it('submits nothing if its submits have more than 1 MiB, each with the defaults', async () => {
    const sized = (extras: string, ...clips: object[]) => {
      const many = Array.from({ length: 4 }, () => ({ round: 1 }));
      const body = { defaults: { ...defaults, extras }, clips: [...many, ...clips] };
      return sendJson(scene.account.metered, 'POST', '/api/clips/batch', body);
    };
    for (const refused of [await sized('x'.repeat(250_000), {}), await sized('€'.repeat(80_000), {})]) {
      const detail = 'The submits, each with the defaults, may have at most 1048576 bytes in all.';
      expect([refused.status, await refused.json()]).toMatchObject([413, { detail }]);
    }
    const jobs = await sendJson(scene.account.metered, 'GET', '/api/jobs');
    expect(await jobs.json()).toMatchObject({ jobs: [] });
    expect((await sized('x'.repeat(250_000), { extras: '' })).status).toBe(200);
  });

  it('jobs of one demo are granted one after the other', { tags: ['long'] }, async () => {
    const names = ['a', 'b', 'a', 'b', 'a', 'b'];
    const clips = names.map((name) => ({ demo_url: demo(name) }));
    const mine = (await batch({ defaults, clips })).map(({ job_id }) => job_id);
    for (const jobId of mine) await fireAlarm(jobId);
    const order: (string | undefined)[] = [];
    for (let grant = await scene.host.claim(); grant; grant = await scene.host.claim()) {
      await scene.host.heartbeat(grant);
      if (mine.includes(grant.job_id)) order.push(grant.order.demo_url);
    }
    expect(order).toHaveLength(6);
    expect(new Set(order.slice(0, 3)).size).toBe(1);
    expect(new Set(order.slice(3)).size).toBe(1);
  });

  it.each([
    [{}, 'clips'],
    [{ clips: [] }, 'clips'],
    [{ clips: Array.from({ length: 51 }, () => ({})) }, 'clips'],
    [{ clips: [1] }, 'clips[0]'],
    [{ defaults: { idempotency_key: 'k' }, clips: [{}] }, 'defaults'],
    [{ clips: [{}], clip: [] }, 'clip'],
  ])('a body that is no batch is refused whole: %j', async (body, path) => {
    const response = await sendJson(scene.account.metered, 'POST', '/api/clips/batch', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path }] });
  });

  /** test/core/platform/platform.test.ts checks the calls of a namespace; here a real one is called. */
  describe('the place of objects, in the local runtime', () => {
    const placed = (variables: object) => createService({ ...bindings, ...variables } as Bindings);

    it('may be near a region: the object of a name is the same one', async () => {
      const jobId = await submit(scene.account.metered);
      const { job } = placed({ LOCATION_HINT: 'weur' });
      expect(await job(jobId).read(scene.account.id)).toMatchObject({ ok: true, value: { id: jobId } });
    });
  });

  const get = (path: string) => sendJson(scene.account.metered, 'GET', path);
  const ALL = '?include=diagnosis,attempts,progress,queue';
  const detail = async (jobId: string, query = ALL) => (await get(`/api/jobs/${jobId}${query}`)).json();

  /** Returns the first event of a stream. */
  async function firstOf(response: Response): Promise<string> {
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return new TextDecoder().decode(value);
  }

  describe('a job that is asked for more', () => {
    it('shows each attempt with its host, its diagnosis and its retry', { tags: ['long'] }, async () => {
      const jobId = await submit(scene.account.metered, { round: 9 });
      const first = await scene.host.claimJob(jobId);
      await scene.host.heartbeat(first, 'prefetch', 0.1);
      const away = { code: 'download_error', detail: '/tmp/secret', stage: 'download', facts: { http_status: 503 } };
      expect((await scene.host.report(first, 'fail', away)).status).toBe(204);
      const waiting = {
        error_code: 'download_error',
        summary: expect.stringMatching(/^The server of the demo answered 503\./),
        facts: { http_status: 503 },
        retryable: true,
        retry_at: expect.any(String),
      };
      const retrying = await detail(jobId);
      expect(retrying).toMatchObject({
        status: 'retrying',
        diagnosis: { ...waiting, docs_url: 'https://tickreel.test/docs/errors/download_error' },
        attempts: [{ ...waiting, host: 'test host', outcome: 'failed', phase: 'prefetch', stage: 'download' }],
        queue: { reason: 'retry_later', position: null, text: expect.stringMatching(/^It is tried again at /) },
      });
      // The client does not see what the host reports to the operator.
      expect(JSON.stringify(retrying)).not.toContain('secret');

      vi.setSystemTime(Date.now() + 20_000);
      await fireAlarm(jobId);
      const second = await scene.host.claimJob(jobId);
      const beat = { phase: 'prefetch', progress: 0.2, stage: 'parse' };
      expect((await scene.host.report(second, 'heartbeat', beat)).status).toBe(204);
      expect(await detail(jobId)).toMatchObject({
        status: 'prefetch',
        diagnosis: null,
        attempts: [{ outcome: 'failed' }, { outcome: 'working', host: 'test host', stage: 'parse', ended_at: null }],
        progress: { phase: 'prefetch', stage: 'parse', progress: 0.2, heard_at: expect.any(String) },
      });
      const facts = { round_asked: 9, rounds: [1, 2], rounds_in_demo: [1, 2, 3] };
      await scene.host.report(second, 'fail', { code: 'no_kills_found', detail: '', stage: 'parse', facts });
      expect(await detail(jobId)).toMatchObject({
        diagnosis: { summary: expect.stringContaining('rounds 1 and 2'), facts, retryable: false, retry_at: null },
        attempts: [{ error_code: 'download_error' }, { error_code: 'no_kills_found', facts, outcome: 'failed' }],
      });
      // Other readers see only the fields of the contract.
      const fields = Object.keys(await readJob(scene.account.metered, jobId));
      expect(fields).not.toEqual(expect.arrayContaining(['diagnosis']));
      await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
      expect(await detail(jobId)).toMatchObject({ diagnosis: null, attempts: [] });

      // The attempt that makes the clip is the last of its run, and the only one in the row of the job.
      const third = await scene.host.claimJob(jobId);
      await scene.host.heartbeat(third);
      await scene.host.report(third, 'fail', away);
      vi.setSystemTime(Date.now() + 20_000);
      await fireAlarm(jobId);
      const fourth = await scene.host.claimJob(jobId);
      await scene.host.heartbeat(fourth);
      await scene.host.finish(fourth);
      await evict(jobId);
      const made = { outcome: 'completed', phase: 'render', host: 'test host', error_code: null };
      const { attempts } = (await detail(jobId)) as { attempts: object[] };
      expect(attempts).toHaveLength(2);
      expect(attempts).toMatchObject([
        { error_code: 'download_error', facts: { http_status: 503 }, phase: 'render' },
        made,
      ]);
      const row = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) =>
        storage.sql.exec<{ state: string }>('SELECT state FROM job').one(),
      );
      expect(JSON.parse(row.state)).toMatchObject({ lastEnd: { outcome: 'completed' } });
      expect(row.state).not.toContain('download_error');
    });

    it('a code that the service gave itself has a diagnosis without an attempt', async () => {
      const jobId = await submit(scene.account.metered, { demo_url: 'https://elsewhere.example.net/a.dem' });
      expect(await detail(jobId)).toMatchObject({
        diagnosis: { error_code: 'demo_url_rejected', facts: null, retryable: false },
        attempts: [],
      });
    });

    it.each(['include=all', 'include=diagnosis,', 'include=', 'include=queue&include=queue'])(
      'refuses ?%s',
      async (query) => {
        const response = await get(`/api/jobs/${await submit(scene.account.metered)}?${query}`);
        expect(response.status).toBe(400);
        const { errors } = await response.json<{ errors: { path: string }[] }>();
        expect(errors[0]?.path).toMatch(/^include/);
      },
    );

    it('has the same fields in its events, under the id of the change', async () => {
      const jobId = await submit(scene.account.metered);
      await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
      const path = `/api/jobs/${jobId}/events?include=diagnosis,progress`;
      const headers = { Authorization: `Bearer ${scene.account.metered}` };
      const text = await firstOf(await send(path, { headers }));
      const [, id = '', data = ''] = /^retry: 2000\nid: (\d+)\ndata: (.*)\n\n$/.exec(text) ?? [];
      expect(JSON.parse(data)).toMatchObject({ status: 'error', stage: null, diagnosis: { error_code: 'demo_404' } });
      const known = await send(path, { headers: { ...headers, 'Last-Event-ID': id } });
      expect([known.status, await known.text()]).toEqual([204, '']);
      const older = await send(path, { headers: { ...headers, 'Last-Event-ID': '1' } });
      expect(await firstOf(older)).toContain(`id: ${id}`);
    });
  });

  it('a clip includes its addresses and its expiry on request, alone and in a list', { tags: ['long'] }, async () => {
    const jobId = await submit(scene.account.metered);
    await scene.host.finish(await scene.host.claimJob(jobId));
    const { clip_id: id } = await readJob<{ clip_id: string }>(scene.account.metered, jobId);
    const { created_at } = await (await get(`/api/clips/${id}`)).json<{ created_at: string }>();
    const expires_at = new Date(Date.parse(created_at) + 30 * 24 * 3_600_000).toISOString();
    const page = `${BASE_URL}/clips/${id}`;
    const urls = { page, embed: `${page}/embed`, video: `${page}/video.mp4`, thumbnail: `${page}/thumbnail.jpg` };
    const query = '?include=urls,expiry';
    expect(await (await get(`/api/clips/${id}${query}`)).json()).toMatchObject({ id, urls, expires_at });
    await fireAlarm(jobId);
    const { clips } = await (await get(`/api/clips${query}&limit=1`)).json<{ clips: unknown[] }>();
    expect(clips).toMatchObject([{ id, urls, expires_at }]);
    await sendJson(scene.account.metered, 'POST', `/api/clips/${id}/save`);
    expect(await (await get(`/api/clips/${id}${query}`)).json()).toMatchObject({ expires_at: null });
    const plain = await (await get(`/api/clips/${id}`)).json<object>();
    expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['urls']));
  });

  async function makeSecret(): Promise<{ id: string; secret: string }> {
    return (await sendJson(scene.account.metered, 'POST', '/api/webhook-secrets')).json();
  }

  it('webhooks of an account with secrets are signed under each of them, by the id of their delivery', async () => {
    const inbox = createInbox();
    const [first, second] = [await makeSecret(), await makeSecret()];
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url, extras: { order: 7 } });
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
    await fireAlarm(jobId);
    const [received] = await inbox.received();
    const { headers = {}, body = '' } = received ?? {};
    expect(headers['webhook-id']).toBe(headers['x-service-delivery-id']);
    const header = (name: string) => String(headers[name]);
    for (const { secret } of [first, second])
      expect(await isSigned(secret, { header, body, now: Date.now() })).toBe(true);
    expect(await isSigned(first.secret, { header, body: `${body} `, now: Date.now() })).toBe(false);
  });

  it('without a secret they are unsigned, also after it was deleted', async () => {
    const { id, secret } = await makeSecret();
    const hints = await (await sendJson(scene.account.metered, 'GET', '/api/webhook-secrets')).text();
    expect(hints).toContain(id);
    expect(hints).not.toContain(secret);
    const path = `/api/webhook-secrets/${id}`;
    expect((await sendJson((await createAccount()).metered, 'DELETE', path)).status).toBe(404);
    expect((await sendJson(scene.account.metered, 'DELETE', path)).status).toBe(204);
    const inbox = createInbox();
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
    await fireAlarm(jobId);
    const [received] = await inbox.received();
    expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it('a test webhook says why there was no answer, or where a redirect leads', { tags: ['long'] }, async () => {
    const tls = 'TLS failed: the certificate is not valid for the host, or the port takes no TLS';
    const name = 'DNS has no public address for the host';
    for (const [webhook_url, error] of [
      ['http://receiver.invalid/', name],
      ['https://receiver.invalid/', name],
      // The system assigns lower ports only.
      ['http://127.0.0.1:65535/', 'the connection was refused'],
      ['https://127.0.0.1:65535/', 'the connection was refused'],
      [createInbox().url.replace('http:', 'https:'), tls],
      [createInbox('526').url, tls],
      [createInbox('521').url, 'the connection was refused'],
      [createInbox('522').url, 'no answer within 10 seconds'],
      [createInbox('reset').url, 'the connection failed'],
      [createInbox('nowhere').url, 'the receiver answered 302, a redirect without Location'],
      [createInbox('307').url, 'the receiver answered 307, a redirect which is not followed'],
    ]) {
      const response = await sendJson(scene.account.metered, 'POST', '/api/webhooks/test', { webhook_url });
      expect(await response.json(), webhook_url).toMatchObject({ delivered: false, error });
    }
  });

  it('a test webhook ends in its time, though the connection that explains a failure does not open', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new Error('internal error'));
    const call = { url: 'https://app.example.com/', headers: {}, timeoutMs: 10_000, hop: 'webhook', explains: true };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answered = callOut(call, { allowPrivateAddresses: false });
    // The call has failed by then, and no connection can open before a turn of the event loop.
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    vi.advanceTimersByTime(10_000);
    freezeClock();
    expect(await answered).toEqual({ status: null, why: 'timeout' });
  });

  it('a test webhook is sent like any other, and the result is in the answer', async () => {
    const inbox = createInbox('500');
    const { secret } = await makeSecret();
    const test = { webhook_url: inbox.url, webhook_auth_header: 'Bearer a', event: 'job.failed' };
    const response = await sendJson(scene.account.metered, 'POST', '/api/webhooks/test', test);
    const answer = await response.json<{ delivery_id: string }>();
    const failed = { delivered: false, http_status: 500, error: 'the receiver answered 500', signatures: 1 };
    expect(answer).toMatchObject(failed);
    const [received, ...more] = await inbox.received();
    expect(more).toEqual([]);
    const { headers = {}, body = '' } = received ?? {};
    expect(headers).toMatchObject({
      authorization: 'Bearer a',
      'x-service-attempt': '1',
      'x-service-delivery-id': answer.delivery_id,
    });
    expect(JSON.parse(body)).toMatchObject({
      event: 'job.failed',
      error_code: 'no_kills_found',
      extras: { test: true },
    });
    const header = (name: string) => String(headers[name]);
    expect(await isSigned(secret, { header, body, now: Date.now() })).toBe(true);
  });

  interface Page {
    readonly jobs: { id: string; status: string; clip_id: string | null }[];
    readonly clips: { id: string; job_id: string; is_saved: boolean }[];
    readonly next_cursor: string | null;
  }

  let account: TestAccount;
  /** Sorts by time, the newest first. */
  let jobIds: string[];
  let doneId: string;

  beforeAll(async () => {
    account = await createAccount();
    const host = await createHost();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await submit(account.metered, i === 0 ? timeline() : {}));
    doneId = await submit(account.reserved, { fps: 60 });
    await host.finish(await host.claimJob(doneId));
    for (const id of [...ids, doneId]) await fireAlarm(id);
    const { results } = await bindings.DB.prepare(
      'SELECT id FROM jobs WHERE account_id = ? ORDER BY created_at DESC, id DESC',
    )
      .bind(account.id)
      .all<{ id: string }>();
    jobIds = results.map(({ id }) => id);
    expect(jobIds).toHaveLength(6);
  });

  function timeline() {
    return { steam64_id: undefined, timeline: [{ steam64_id: '1', start_tick: 0, end_tick: 64 }] };
  }

  async function listed(path: string): Promise<Page> {
    const response = await sendJson(account.metered, 'GET', path);
    expect(response.status).toBe(200);
    return response.json<Page>();
  }

  describe('lists', () => {
    it('give all jobs page by page, newest first, none twice', async () => {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Page = await listed(`/api/jobs?limit=2${cursor && `&cursor=${cursor}`}`);
        expect(page.jobs.length).toBeLessThanOrEqual(2);
        seen.push(...page.jobs.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(jobIds);
    });

    it('filter jobs by status, mode and time', async () => {
      const done = await listed('/api/jobs?status=done');
      expect(done.jobs).toMatchObject([{ id: doneId, status: 'done', clip_id: expect.any(String) }]);
      expect((await listed('/api/jobs?mode=timeline')).jobs).toHaveLength(1);
      expect((await listed('/api/jobs?mode=round')).jobs).toHaveLength(5);
      expect((await listed('/api/jobs?created_to=2020-01-01T00:00:00Z')).jobs).toEqual([]);
      expect((await listed('/api/jobs?created_from=2020-01-01T00:00:00Z')).jobs).toHaveLength(6);
    });

    it('filter clips by whether they are saved', async () => {
      expect((await listed('/api/clips')).clips).toMatchObject([{ job_id: doneId, is_saved: false }]);
      expect((await listed('/api/clips?saved=true')).clips).toEqual([]);
      expect((await listed('/api/clips?saved=false&state=ready')).clips).toHaveLength(1);
    });

    it('show an account only what is its own', async () => {
      const other = await createAccount();
      for (const path of ['/api/jobs', '/api/clips']) {
        const page = await (await sendJson(other.metered, 'GET', path)).json<Page>();
        expect(page.jobs ?? page.clips).toEqual([]);
      }
    });
  });

  describe('usage', () => {
    it('ends no earlier than it begins, also for a clock that is ahead', async () => {
      const response = await sendJson(account.metered, 'GET', '/api/usage?from=2999-01-01T00:00:00Z');
      expect(await response.json()).toEqual({
        from: '2999-01-01T00:00:00.000Z',
        to: '2999-01-01T00:00:00.000Z',
        usage: [],
      });
    });

    it('counts whole days and names the range', async () => {
      const response = await sendJson(
        account.metered,
        'GET',
        '/api/usage?from=2026-01-02T12:00:00Z&to=2026-01-03T00:00:01Z',
      );
      expect(await response.json()).toMatchObject({ from: '2026-01-02T00:00:00.000Z', to: '2026-01-04T00:00:00.000Z' });
    });

    it('adds up what was rendered by tier, resolution and frame rate', async () => {
      const response = await sendJson(account.metered, 'GET', '/api/usage');
      expect(await response.json()).toMatchObject({
        usage: [{ tier: 'reserved', resolution: 1080, fps: 60, rendered_seconds: 7.5 }],
      });
    });
  });
});
