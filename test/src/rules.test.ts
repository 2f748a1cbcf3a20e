import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { sha256Hex } from '#platform/digest.ts';
import { type Upload, uploadIdIn } from '#protocol/demo/uploads.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import type { Problem } from '#protocol/lib/problem.ts';
import type { Rule } from '#protocol/rule/rules.ts';
import { notePosted } from '#service/job/send-discord.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { ruleRuns, rules } from '#storage/schema/rules.ts';
import { apiKeys } from '#storage/schema/schema.ts';
import { createAccount, createHost, isolate, spendBudget, statuses, type TestAccount } from '#test/support/accounts.ts';
import { createFaultyService } from '#test/support/faulty-service.ts';
import { arrive, demoUrlOf, newContent } from '#test/support/rules.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, PLAYER, send, sendJson } from '#test/support/service.ts';
import type { TestHost } from '#test/support/test-host.ts';
import { createInbox } from '#test/support/webhooks.ts';

describe('rules', () => {
  const service = createService(bindings);
  const { database } = service;
  const SKILLS = { skills: ['inspect', 'uploads'] };
  const HOUR = 60 * 60_000;
  const DAY = 24 * HOUR;
  const [FIRST, SECOND] = FOUND_DEMO.players;
  const HIGHLIGHT = FOUND_DEMO.highlights[0];
  if (!FIRST || !SECOND || !HIGHLIGHT) throw new Error('the example has too little');
  /** Two moments of the first player, one of the second. */
  const DEMO = {
    ...FOUND_DEMO,
    highlights: [
      { ...HIGHLIGHT, kinds: ['ace'], request: { steam64_id: FIRST.steam64_id, round: 7 } },
      { ...HIGHLIGHT, player: 1, request: { steam64_id: SECOND.steam64_id, round: 7 } },
      {
        ...HIGHLIGHT,
        round: 9,
        kinds: ['last_second_defuse'],
        request: { timeline: [{ steam64_id: FIRST.steam64_id, start_tick: 1000, end_tick: 2000 }] },
      },
    ],
  };

  let mine: TestAccount;
  let host: TestHost;

  beforeAll(async () => {
    host = await createHost();
  });
  beforeEach(async () => {
    mine = await createAccount();
  });

  const request = (more: object = {}) => ({ name: 'all', render: { what: 'highlights' }, ...more });
  const post = (body: object, key = mine.metered) => sendJson(key, 'POST', '/api/rules', body);

  async function make(more: object = {}, key = mine.metered): Promise<Rule> {
    const response = await post(request(more), key);
    expect(response.status, await response.clone().text()).toBe(201);
    return response.json<Rule>();
  }

  const read = async ({ id }: Rule, key = mine.metered) =>
    (await sendJson(key, 'GET', `/api/rules/${id}`)).json<Rule>();
  const latest = async (rule: Rule) => (await read(rule)).last_run;
  const patch = (rule: Rule, body: object, key = mine.metered) => sendJson(key, 'PATCH', `/api/rules/${rule.id}`, body);
  const errorsOf = async (response: Response) => (await response.json<Problem>()).errors;

  /** Claims until the host gets this work, and then releases the rest. */
  async function claim(isWanted: (grant: Grant) => boolean): Promise<Grant> {
    const others: Grant[] = [];
    let grant = await host.claim(SKILLS, 20);
    while (grant && !isWanted(grant)) {
      others.push(grant);
      grant = await host.claim(SKILLS, 20);
    }
    for (const other of others) await host.release(other);
    if (!grant) throw new Error('the work was not offered');
    return grant;
  }

  /** Claims the inspection of a demo. */
  const claimInspection = (url: string) =>
    claim(({ order }) => order.demo_url === url && order.selection.mode === 'inspect');

  /** Lets a host read the demo of an upload, whose runs then go on. */
  async function inspect(uploadId: string): Promise<void> {
    await readUpload(uploadId);
    await advanceRuns(service, uploadId);
  }

  /** The same, but only the job's object tells the runs. */
  async function readUpload(uploadId: string): Promise<void> {
    await advanceRuns(service, uploadId);
    const grant = await claimInspection(demoUrlOf(uploadId));
    await host.heartbeat(grant);
    expect((await host.report(grant, 'inspected', { demo: DEMO })).status).toBe(204);
  }

  /** Returns the payloads of the jobs of a run, in the order of its clips. */
  async function payloads(rule: Rule, count: number): Promise<Record<string, unknown>[]> {
    await expect.poll(async () => (await latest(rule))?.jobs.length).toBe(count);
    const jobs = (await latest(rule))?.jobs ?? [];
    const read = await Promise.all(
      jobs.map(async ({ id }) => (await sendJson(mine.metered, 'GET', `/api/jobs/${id}?include=rule`)).json()),
    );
    const found = read as { payload: { idempotency_key: string }; rule: unknown }[];
    for (const { rule: of } of found) expect(of).toEqual({ id: rule.id, run: (await latest(rule))?.id });
    return found.map(({ payload }) => payload).sort((a, b) => (a.idempotency_key < b.idempotency_key ? -1 : 1));
  }

  /** The states of all runs of an account, oldest first. */
  async function runsIn({ id }: TestAccount): Promise<string[]> {
    const found = await database.select().from(ruleRuns).where(eq(ruleRuns.accountId, id)).orderBy(ruleRuns.createdAt);
    return found.map(({ state }) => state);
  }

  /** Ends each job of a run with a clip, or with a failure. `fault`: why Discord refuses its post. */
  async function finishAll(rule: Rule, isDone: boolean, fault: string | null = null): Promise<void> {
    const { id = '', jobs = [] } = (await latest(rule)) ?? {};
    for (const job of jobs) {
      const grant = await claim(({ job_id }) => job_id === job.id);
      if (isDone) await host.complete(grant);
      else await host.fail(grant, 'demo_404');
      await expect
        .poll(async () => (await read(rule)).runs?.flatMap((run) => run.jobs).find((one) => one.id === job.id)?.status)
        .toBe(isDone ? 'done' : 'error');
    }
    const isOver = async () => (await read(rule)).runs?.find((run) => run.id === id)?.state;
    await expect.poll(isOver).toBe(isDone ? 'done' : 'failed');
    if (isDone && rule.send.discord_url) await notePosted(database, DEFAULT_SCHEDULE, id, fault);
  }

  describe('POST /api/rules', () => {
    it('makes a rule, which never shows its secrets', async () => {
      const send = { webhook_url: 'https://hooks.example.com/a', webhook_auth_header: 'Bearer secret' };
      const discord_url = 'https://discord.com/api/webhooks/123/a-token';
      const response = await post(
        request({ when: { tags: ['league'] }, options: { fps: 60, aspect: '9:16' }, send: { ...send, discord_url } }),
      );
      const text = await response.clone().text();
      const rule = await response.json<Rule>();
      expect(response.headers.get('Location')).toBe(`/api/rules/${rule.id}`);
      expect(text).not.toMatch(/secret|a-token/);
      expect(rule).toEqual({
        id: rule.id,
        name: 'all',
        enabled: true,
        when: { tags: ['league'] },
        render: { what: 'highlights' },
        options: { fps: 60, aspect: '9:16' },
        send: { webhook_url: send.webhook_url, discord_url: 'https://discord.com/api/webhooks/123/…' },
        budget: { demos_a_day: 20, clips_a_day: 50 },
        paused: null,
        failures: 0,
        used: { demos_a_day: 0, clips_a_day: 0 },
        last_run: null,
        runs: [],
        made_by: { key_id: expect.any(String), name: null },
        created_at: new Date().toISOString(),
      });
      const { rules } = await (await sendJson(mine.metered, 'GET', '/api/rules')).json<{ rules: Rule[] }>();
      const { runs: _runs, ...listed } = rule;
      expect(rules).toEqual([listed]);
    });

    it.each<[object, string, RegExp]>([
      [{ unknown: 1 }, 'unknown', /is not/],
      [{ when: { server: 'a' } }, 'when.server', /is not/],
      [{ when: { tags: [] } }, 'when.tags', /must not be empty/],
      [{ when: { players: ['STEAM_1:0:1'] } }, 'when.players[0]', /64-bit/],
      [{ render: { what: 'everything' } }, 'render.what', /must be highlights/],
      [{ render: { what: 'kills', kinds: ['ace'] } }, 'render.kinds', /kills/],
      [{ render: { what: 'kills', limit: 11 } }, 'render.limit', /at most 10/],
      [{ options: { fps: 1 } }, 'options.fps', /at least/],
      [{ options: { steam64_id: PLAYER } }, 'options.steam64_id', /is not/],
      [{ options: { card_seconds: 2 } }, 'options.card_seconds', /needs an intro_asset_id/],
      [
        { options: { aspect: '1:1', commands: { cl_draw_only_deathnotices: '0' } } },
        'options.commands.cl_draw_only_deathnotices',
        /laid out for 16:9/,
      ],
      [
        { options: { watermark_image_id: crypto.randomUUID() } },
        'options.watermark_image_id',
        /one of your assets of kind watermark/,
      ],
      [{ send: { webhook_auth_header: 'x' } }, 'send.webhook_auth_header', /needs a webhook_url/],
      [{ send: { discord_url: 'https://discord.com.example.com/api/webhooks/1/a' } }, 'send.discord_url', /Discord/],
      [{ send: { discord_url: 'https://discord.com/api/webhooks/123/…' } }, 'send.discord_url', /Discord/],
      [{ budget: { demos_a_day: 1, clips_a_day: 0 } }, 'budget.clips_a_day', /at least 1/],
    ])('refuses %j', async (wrong, path, message) => {
      const response = await post(request(wrong));
      expect(response.status).toBe(400);
      expect(await errorsOf(response)).toEqual([{ path, message: expect.stringMatching(message) }]);
    });

    it('refuses a key that may not submit, and more rules than the limit', async () => {
      const path = `/admin/accounts/${mine.id}/keys`;
      const reader = await sendJson(ADMIN_TOKEN, 'POST', path, { kind: 'metered', scope: 'read' });
      const { key } = await reader.json<{ key: string }>();
      const rule = await make();
      expect((await post(request(), key)).status).toBe(403);
      expect((await patch(rule, { name: 'x' }, key)).status).toBe(403);
      expect((await sendJson(key, 'DELETE', `/api/rules/${rule.id}`)).status).toBe(403);
      expect((await sendJson(key, 'GET', `/api/rules/${rule.id}`)).status).toBe(200);

      const two = isolate({}, {}, { rules: 2 });
      const once = () => two('POST', '/api/rules', mine.metered, JSON.stringify(request()));
      expect(statuses(await Promise.all([once(), once(), once()])).sort()).toEqual([201, 429, 429]);
    });

    it('shows nothing to another account', async () => {
      const rule = await make();
      const { metered: other } = await createAccount();
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '', { name: 'x' }],
        ['DELETE', ''],
        ['POST', '/try', { demo_url: 'https://demos.example.com/a.dem' }],
      ] as const) {
        expect((await sendJson(other, method, `/api/rules/${rule.id}${path}`, body)).status).toBe(404);
      }
      expect(await (await sendJson(other, 'GET', '/api/rules')).json()).toEqual({ rules: [] });
      expect((await read(rule)).name).toBe('all');
    });
  });

  describe('PATCH and DELETE /api/rules/:id', () => {
    it('replace a field, keep the rest, and make the rule one of the caller', async () => {
      const send = { webhook_url: 'https://hooks.example.com/a', webhook_auth_header: 'Bearer secret' };
      const rule = await make({ options: { fps: 60 }, send, budget: { demos_a_day: 20, clips_a_day: 5 } });
      const changed = await (await patch(rule, { render: { what: 'kills' }, name: 'new' }, mine.reserved)).json<Rule>();
      expect(changed).toMatchObject({ name: 'new', render: { what: 'kills' }, options: { fps: 60 } });
      expect(changed.budget).toEqual({ demos_a_day: 20, clips_a_day: 5 });
      expect(changed.made_by.key_id).not.toBe(rule.made_by.key_id);
      expect((await patch(rule, { options: { fps: 1 } })).status).toBe(400);
      expect(await errorsOf(await patch(rule, { options: { card_seconds: 2 } }))).toMatchObject([
        { path: 'options.card_seconds' },
      ]);

      const upload = await arrive(database, mine.id);
      await inspect(upload);
      expect(await payloads(rule, 2)).toMatchObject([
        { webhook_url: send.webhook_url, fps: 60, steam64_id: PLAYER },
        {},
      ]);
      expect((await sendJson(mine.metered, 'DELETE', `/api/rules/${rule.id}`)).status).toBe(204);
      expect((await sendJson(mine.metered, 'GET', `/api/rules/${rule.id}`)).status).toBe(404);
      await arrive(database, mine.id);
      expect(await runsIn(mine)).toEqual([]);
    });
  });

  describe('POST /api/rules/:id/try', () => {
    it('returns each clip with its plan and price, or why it cannot be made', async () => {
      const rule = await make({ options: { fps: 60, resolution: 1080 }, when: { maps: ['de_nuke'] } });
      const upload = await arrive(database, (await createAccount()).id);
      const tried = (demo_url: string) => sendJson(mine.metered, 'POST', `/api/rules/${rule.id}/try`, { demo_url });
      const demo_url = `https://demos.example.com/${upload}.dem`;
      expect((await tried(demo_url)).status).toBe(409);
      expect((await sendJson(mine.metered, 'POST', '/api/demos', { demo_url })).status).toBe(202);
      const grant = await claimInspection(demo_url);
      await host.heartbeat(grant);
      await host.report(grant, 'inspected', { demo: DEMO });
      const trial = await (await tried(demo_url)).json<{ clips: { request: object; plan: object | null }[] }>();
      expect(trial).toMatchObject({
        mismatch: null,
        clips: [
          { request: { steam64_id: FIRST.steam64_id, round: 7 }, plan: { shots: [{}] }, problem: null },
          { request: { steam64_id: SECOND.steam64_id }, plan: null, problem: expect.stringContaining('kills') },
          { request: { timeline: [{}] }, plan: { shots: [{}] } },
        ],
      });
      // What is planned is what `POST /api/plan` plans of the same request.
      const [first] = trial.clips;
      const body = { ...first?.request, demo_url, fps: 60 };
      const planned = await sendJson(mine.metered, 'POST', '/api/plan', body);
      expect(await planned.json()).toEqual({ ...first?.plan, host_online: expect.any(Boolean) });
      const definition = { ...rule, options: { watermark_image_id: crypto.randomUUID() } };
      await database.update(rules).set({ definition }).where(eq(rules.id, rule.id));
      const problem = expect.stringMatching(/^watermark_image_id must be/);
      expect(await (await tried(demo_url)).json()).toMatchObject({ clips: [{ plan: null, problem }, {}, {}] });
      await patch(rule, { when: { maps: ['de_dust2'] }, options: {} });
      expect(await (await tried(demo_url)).json()).toEqual({ mismatch: 'its map is de_nuke', clips: [] });
      expect(await runsIn(mine)).toEqual([]);
    });
  });

  describe('a demo that comes', () => {
    it('is inspected once for all rules, each of which submits its clips with its key and options', {
      tags: ['long'],
    }, async () => {
      const options = { pre_kill_padding: 4, pov: 'both', merge_gap: 5, fps: 60 };
      const best = await make({ options, when: { sources: ['ingest'], tags: ['a', 'b'] } }, mine.reserved);
      const kills = await make({ render: { what: 'kills', limit: 1 } });
      const other = await make({ when: { tags: ['c'] } });
      const elsewhere = await make({ when: { maps: ['de_dust2'] } });
      const none = await make({ render: { what: 'highlights', kinds: ['knife'] } });
      const upload = await arrive(database, mine.id, { tag: 'b' });
      expect((await latest(best))?.state).toBe('waiting');
      await inspect(upload);
      expect(await payloads(best, 3)).toMatchObject([
        { demo_url: demoUrlOf(upload), steam64_id: FIRST.steam64_id, round: 7, ...options },
        { steam64_id: SECOND.steam64_id, round: 7 },
        { timeline: [{ start_tick: 1000 }], fps: 60 },
      ]);
      expect(await payloads(kills, 1)).toMatchObject([{ steam64_id: FIRST.steam64_id }]);
      expect((await payloads(kills, 1))[0]).not.toHaveProperty('round');
      await expect
        .poll(() => latest(best))
        .toMatchObject({ state: 'running', clips: 3, detail: null, upload_id: upload });
      const [job] = (await latest(best))?.jobs ?? [];
      expect(await (await sendJson(mine.metered, 'GET', `/api/jobs/${job?.id}`)).json()).toMatchObject({
        priority: true,
      });
      expect(await latest(other)).toBeNull();
      expect(await latest(elsewhere)).toMatchObject({ state: 'skipped', detail: 'its map is de_nuke', jobs: [] });
      expect(await latest(none)).toMatchObject({ state: 'skipped', detail: 'the demo has no such moment' });

      await advanceRuns(service, upload);
      await finishAll(best, true);
      expect(await latest(best)).toMatchObject({ state: 'done', ended_at: new Date().toISOString() });
      await finishAll(kills, false);
      expect(await latest(kills)).toMatchObject({ state: 'failed', detail: 'no clip was made: demo_404' });
      expect(await payloads(best, 3)).toHaveLength(3);
    });

    it('is rendered once, also if it comes again, even after its run was deleted', { tags: ['long'] }, async () => {
      const rule = await make();
      const sha256 = newContent();
      await inspect(await arrive(database, mine.id, { sha256 }));
      await payloads(rule, 3);
      await advanceRuns(service, await arrive(database, mine.id, { sha256, bytes: 2 }));
      expect(await runsIn(mine)).toHaveLength(1);
      vi.setSystemTime(Date.now() + 91 * DAY);
      await runUpkeep(service, Date.now());
      expect(await runsIn(mine)).toEqual([]);
      await arrive(database, mine.id, { sha256, bytes: 3 });
      expect(await runsIn(mine)).toEqual([]);
    });

    it('stays within the budgets of the day of the rule and of the key that sent it', { tags: ['long'] }, async () => {
      const rule = await make({ budget: { demos_a_day: 2, clips_a_day: 4 } });
      const path = `/admin/accounts/${mine.id}/keys`;
      const { key_id: keyId } = await (
        await sendJson(ADMIN_TOKEN, 'POST', path, { kind: 'metered', scope: 'ingest' })
      ).json<{ key_id: string }>();
      const ingested = async (arrival = {}) => {
        const upload = await arrive(database, mine.id, arrival);
        await advanceRuns(service, upload);
        if ((await latest(rule))?.state === 'waiting') await inspect(upload);
        // The report of the host continues the run, too.
        await expect.poll(async () => (await latest(rule))?.state).toMatch(/running|skipped/);
        return latest(rule);
      };
      expect(await ingested()).toMatchObject({ state: 'running', clips: 3 });
      vi.setSystemTime(Date.now() + 1000);
      const detail = 'the budget of the day has room for 1 of 3 clips';
      expect(await ingested()).toMatchObject({ state: 'running', clips: 1, detail });
      vi.setSystemTime(Date.now() + 1000);
      expect(await ingested()).toMatchObject({ state: 'skipped', detail: 'the rule has used its demos of the day' });
      vi.setSystemTime(Date.now() + DAY);
      await database
        .update(apiKeys)
        .set({ ingestLimits: { clips: 2 } })
        .where(eq(apiKeys.id, keyId));
      expect(await ingested({ keyId })).toMatchObject({ state: 'running', clips: 2 });
      vi.setSystemTime(Date.now() + 1000);
      expect(await ingested({ keyId })).toMatchObject({ state: 'skipped', clips: 0 });
    });

    const limit = (limits: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${mine.id}`, { limits });

    it('waits for a limit of the account as long as a job may, then goes on with the clips that it has', {
      tags: ['long'],
    }, async () => {
      await limit({ jobs: 2 });
      const rule = await make();
      const upload = await arrive(database, mine.id);
      vi.setSystemTime(Date.now() + HOUR);
      await readUpload(upload);
      expect(await payloads(rule, 2)).toHaveLength(2);
      await expect
        .poll(() => latest(rule))
        .toMatchObject({ state: 'submitting', clips: 3, detail: expect.stringMatching(/^2 jobs/) });
      // Its jobs have an hour more.
      vi.setSystemTime(Date.now() + DEFAULT_SCHEDULE.runDeadline - HOUR);
      await runUpkeep(service, Date.now());
      const detail = expect.stringMatching(/^2 of 3 clips: 2 jobs/);
      expect(await latest(rule)).toMatchObject({ state: 'running', clips: 2, detail, ended_at: null });
      // The run has used what it has claimed.
      const { clips } = (await database.select().from(ruleRuns).where(eq(ruleRuns.ruleId, rule.id)).get()) ?? {};
      expect(clips).toBe(3);
      await finishAll(rule, true);
      expect(await latest(rule)).toMatchObject({ state: 'done', clips: 2, detail });
    });

    it.each([
      ['done', 'discord'],
      ['failed', undefined],
    ])('ends a run as %s whose jobs had all ended when the rest was given up', async (state, event) => {
      await limit({ jobs: 2 });
      const rule = await make({ send: { discord_url: 'https://discord.com/api/webhooks/123/a-token' } });
      const upload = await arrive(database, mine.id);
      // Two calls at once would count apart, and pass the limit.
      await readUpload(upload);
      expect(await payloads(rule, 2)).toHaveLength(2);
      const jobs = (await latest(rule))?.jobs ?? [];
      // The run waits meanwhile: it would submit the rest.
      await database.update(rules).set({ enabled: false, pausedAt: 1 }).where(eq(rules.id, rule.id));
      for (const [at, job] of jobs.entries()) {
        const grant = await claim(({ job_id }) => job_id === job.id);
        if (state === 'done' && at === 0) await host.complete(grant);
        else await host.fail(grant, 'demo_404');
      }
      await expect
        .poll(async () => (await latest(rule))?.jobs.every(({ status }) => /done|error/.test(status)))
        .toBe(true);
      await patch(rule, { enabled: false });
      const detail = state === 'done' ? '2 of 3 clips: the rule is disabled' : 'no clip was made: demo_404';
      await advanceRuns(service, upload);
      await expect.poll(() => latest(rule)).toMatchObject({ state, detail, clips: 2 });
      const deliveries = async () => {
        const read = async (id: string) => (await sendJson(mine.metered, 'GET', `/api/jobs/${id}/deliveries`)).json();
        const found = (await Promise.all(jobs.map(({ id }) => read(id)))) as { deliveries: { event: string }[] }[];
        return found.flatMap((one) => one.deliveries)[0]?.event;
      };
      await expect.poll(deliveries).toBe(event);
    });
  });

  describe('a rule', () => {
    const admin = (method: string, path: string, body?: object) =>
      sendJson(ADMIN_TOKEN, method, `/admin/accounts/${mine.id}${path}`, body);

    it('is paused without its key, and resumes with the key that changes it', async () => {
      const rule = await make();
      const upload = await arrive(database, mine.id);
      await admin('DELETE', `/keys/${rule.made_by.key_id}`);
      await advanceRuns(service, upload);
      const reason = 'the key of the rule is revoked or has expired';
      const paused = { enabled: false, paused: { at: new Date().toISOString(), reason } };
      expect(await read(rule, mine.reserved)).toMatchObject({
        ...paused,
        last_run: { state: 'waiting', detail: reason },
      });
      await arrive(database, mine.id);
      expect(await runsIn(mine)).toHaveLength(1);
      const resumed = await (await patch(rule, { enabled: true }, mine.reserved)).json<Rule>();
      expect(resumed).toMatchObject({ enabled: true, paused: null });
      await arrive(database, mine.id);
      expect(await runsIn(mine)).toHaveLength(2);
    });

    it('keeps its key in step with rotation', async () => {
      const rule = await make();
      const other = await make({}, mine.reserved);
      await admin('DELETE', `/keys/${other.made_by.key_id}`);
      const rotated = await admin('POST', `/keys/${rule.made_by.key_id}/rotate`);
      const { key_id } = await rotated.json<{ key_id: string }>();
      expect((await read(rule)).made_by.key_id).toBe(key_id);
      expect((await read(other)).made_by.key_id).toBe(other.made_by.key_id);
    });

    it('does nothing while its account is suspended or it is disabled', { tags: ['long'] }, async () => {
      const rule = await make();
      const first = await arrive(database, mine.id);
      await admin('PATCH', '', { suspended: true });
      await advanceRuns(service, first);
      expect(await latest(rule)).toMatchObject({ state: 'waiting', detail: 'the account is suspended' });
      expect(await read(rule)).toMatchObject({ enabled: true, failures: 0 });
      await admin('PATCH', '', { suspended: false });
      vi.setSystemTime(Date.now() + 1);
      const second = await arrive(database, mine.id);
      await patch(rule, { enabled: false });
      await advanceRuns(service, second);
      expect(await latest(rule)).toMatchObject({ state: 'skipped', detail: 'the rule is disabled' });
      expect((await read(rule)).paused).toBeNull();
    });

    it('is paused after five failures in a row', { tags: ['long'] }, async () => {
      const discord_url = 'https://discord.com/api/webhooks/123/a-token';
      const rule = await make({ render: { what: 'kills', limit: 1 }, send: { discord_url } });
      const failed = async (isDone: boolean, fault: string | null) => {
        vi.setSystemTime(Date.now() + 1);
        await inspect(await arrive(database, mine.id));
        await payloads(rule, 1);
        await finishAll(rule, isDone, fault);
        return (await read(rule)).failures;
      };
      expect(await failed(false, null)).toBe(1);
      expect(await failed(true, null)).toBe(0);
      // A post that fails counts, although the clips are made.
      expect(await failed(true, 'Discord answered 404')).toBe(1);
      expect(await failed(true, 'Discord answered 404')).toBe(2);
      expect(await failed(false, null)).toBe(3);
      expect(await failed(false, null)).toBe(4);
      expect(await read(rule)).toMatchObject({ enabled: true, paused: null });
      expect(await failed(true, 'Discord answered 403')).toBe(5);
      const reason = '5 runs in a row have failed; the last one: Discord answered 403';
      expect(await read(rule)).toMatchObject({ enabled: false, paused: { reason }, last_run: { state: 'failed' } });
      await arrive(database, mine.id);
      expect(await runsIn(mine)).toHaveLength(7);
      expect(await (await patch(rule, { enabled: true })).json()).toMatchObject({
        enabled: true,
        paused: null,
        failures: 0,
      });
    });
  });
});

describe('runs of a rule', () => {
  /** What a run keeps to, whatever happens to its rule, its account and its hosts. */

  const service = createService(bindings);
  const SKILLS = { skills: ['inspect', 'uploads'] };
  const HOUR = 60 * 60_000;
  const DAY = 24 * HOUR;
  const CRON = 5 * 60_000;
  const DEADLINE = DEFAULT_SCHEDULE.runDeadline;

  vi.setConfig({ testTimeout: 300_000 });
  let mine: TestAccount;
  let host: TestHost;
  beforeAll(async () => {
    host = await createHost();
  });
  beforeEach(async () => {
    mine = await createAccount();
  });

  async function make(more: object = {}): Promise<Rule> {
    const body = { name: 'all', render: { what: 'kills', limit: 1 }, ...more };
    const response = await sendJson(mine.metered, 'POST', '/api/rules', body);
    expect(response.status, await response.clone().text()).toBe(201);
    return response.json<Rule>();
  }

  const read = async ({ id }: Rule) => (await sendJson(mine.metered, 'GET', `/api/rules/${id}`)).json<Rule>();
  const runsOf = async (rule: Rule) => (await read(rule)).runs ?? [];
  const statesOf = async (rule: Rule) => (await runsOf(rule)).map(({ state }) => state);
  const patch = (rule: Rule, body: object) => sendJson(mine.metered, 'PATCH', `/api/rules/${rule.id}`, body);
  const limit = (limits: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${mine.id}`, { limits });
  const come = (arrival = {}) => arrive(service.database, mine.id, arrival);

  async function upkeep(after = CRON, by = service): Promise<void> {
    vi.setSystemTime(Date.now() + after);
    await runUpkeep(by, Date.now());
  }

  /** Reads the demos that wait for a host, until there is none. Releases other work. Returns how many were read. */
  async function readAll(isReadable: (uploadId: string) => boolean = () => true): Promise<number> {
    const others: Grant[] = [];
    let count = 0;
    for (let grant = await host.claim(SKILLS, 1); grant; grant = await host.claim(SKILLS, 0)) {
      if (grant.order.selection.mode !== 'inspect') {
        others.push(grant);
        continue;
      }
      await host.begin(grant);
      const id = uploadIdIn(grant.order.demo_url, [new URL(BASE_URL)]) ?? '';
      if (isReadable(id)) await host.report(grant, 'inspected', { demo: FOUND_DEMO });
      else await host.fail(grant, 'demo_failed_parse');
      count++;
    }
    for (const other of others) await host.release(other);
    return count;
  }

  let made = 0;
  function demoFile(): Uint8Array<ArrayBuffer> {
    const bytes = crypto.getRandomValues(new Uint8Array(1000));
    bytes.set(new TextEncoder().encode('PBDEMS2\0'));
    new DataView(bytes.buffer).setUint32(8, ++made);
    return bytes;
  }

  /** Sends a demo as a game server does, and waits for the work behind its answer. */
  async function ingest(body: Uint8Array<ArrayBuffer>): Promise<Upload> {
    const { default: worker } = await import('#src/worker.ts');
    const context = createExecutionContext();
    const headers = { Authorization: `Bearer ${mine.metered}`, 'Content-Length': String(body.length) };
    const request = new Request(`${BASE_URL}/api/ingest`, { method: 'POST', headers, body });
    const answer = await worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, bindings, context);
    await waitOnExecutionContext(context);
    return answer.json<Upload>();
  }

  /** Sends a demo as a client does. */
  async function upload(bytes: Uint8Array<ArrayBuffer>): Promise<Upload> {
    const body = { name: 'a.dem', bytes: bytes.length, sha256: await sha256Hex(bytes) };
    const begun = await (await sendJson(mine.metered, 'POST', '/api/uploads', body)).json<Upload>();
    const headers = { Authorization: `Bearer ${mine.metered}` };
    for (const { url } of begun.parts) await send(url.replace(BASE_URL, ''), { method: 'PUT', headers, body: bytes });
    if (begun.parts.length > 0) await sendJson(mine.metered, 'POST', `/api/uploads/${begun.id}/complete`);
    return begun;
  }

  describe('a run that nobody can take on', () => {
    it('survives a weekend without a host: no demo is lost, and the rule is not paused', {
      tags: ['long'],
    }, async () => {
      const few = createService({ ...bindings, LIMIT_INSPECTIONS: '1' } as Bindings);
      const rule = await make();
      for (let day = 0; day < 2; day++) {
        for (let i = 0; i < 2; i++) await advanceRuns(few, await come());
        await upkeep(DAY, few);
        await upkeep(CRON, few);
      }
      expect(await read(rule)).toMatchObject({ enabled: true, paused: null, failures: 0 });
      expect(await statesOf(rule)).toEqual(Array(4).fill('waiting'));
      expect((await runsOf(rule)).filter(({ detail }) => detail?.includes('looked into already'))).toHaveLength(3);
      for (let turn = 0; turn < 5; turn++) {
        await readAll();
        await upkeep(CRON, few);
      }
      expect(await statesOf(rule)).toEqual(Array(4).fill('running'));
    });

    it('waits for a limit of the account as long as a job may. That is no failure of the rule', {
      tags: ['long'],
    }, async () => {
      const rule = await make();
      const id = await come();
      await advanceRuns(service, id);
      await readAll(() => false);
      await upkeep();
      const { failures } = await read(rule);
      const next = await come();
      vi.setSystemTime(Date.now() + HOUR);
      // A job of a client, which waits for a host.
      await limit({ jobs: 1 });
      const body = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' };
      expect((await sendJson(mine.metered, 'POST', '/api/clips', body)).status).toBe(201);
      const run = async () => (await runsOf(rule)).find(({ upload_id }) => upload_id === next);
      for (const [after, state] of [
        [CRON, 'waiting'],
        [DEADLINE - 2 * HOUR, 'waiting'],
        [HOUR - CRON, 'skipped'],
      ] as const) {
        await upkeep(after);
        expect(await run()).toMatchObject({ state, detail: expect.stringMatching(/^1 jobs/) });
      }
      expect(await read(rule)).toMatchObject({ failures, paused: null });
    });

    it('goes on when its rule is resumed that the service had paused, and its demo is read by then', async () => {
      const rule = await make();
      const id = await come();
      await advanceRuns(service, id);
      await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/accounts/${mine.id}/keys/${rule.made_by.key_id}`);
      await readAll();
      await upkeep();
      const { paused, runs } = await (await sendJson(mine.reserved, 'GET', `/api/rules/${rule.id}`)).json<Rule>();
      expect(paused).not.toBeNull();
      expect(runs).toMatchObject([{ state: 'waiting', detail: expect.stringContaining('revoked') }]);
      expect((await sendJson(mine.reserved, 'PATCH', `/api/rules/${rule.id}`, { enabled: true })).status).toBe(200);
      await upkeep();
      mine = { ...mine, metered: mine.reserved };
      expect(await statesOf(rule)).toEqual(['running']);
    });
  });

  describe('a run that made no job', () => {
    it('is revived when its rule is resumed', { tags: ['long'] }, async () => {
      const rule = await make();
      const id = await come();
      await patch(rule, { enabled: false });
      await advanceRuns(service, id);
      expect(await runsOf(rule)).toMatchObject([{ state: 'skipped', detail: 'the rule is disabled' }]);
      await patch(rule, { enabled: true });
      expect(await runsOf(rule)).toMatchObject([{ state: 'waiting', detail: null, ended_at: null }]);
      await upkeep();
      await readAll();
      await upkeep();
      expect(await statesOf(rule)).toEqual(['running']);
      // A run with a job stays as it is.
      await patch(rule, { enabled: false });
      await patch(rule, { enabled: true });
      expect(await statesOf(rule)).toEqual(['running']);
    });

    it('is revived by the same content, whose demo is then read again', { tags: ['long'] }, async () => {
      const rule = await make();
      const file = demoFile();
      await ingest(file);
      await readAll(() => false);
      await upkeep();
      expect(await statesOf(rule)).toEqual(['failed']);
      vi.setSystemTime(Date.now() + 1000);
      await ingest(file);
      await readAll();
      await upkeep();
      expect(await statesOf(rule)).toEqual(['running']);
    });

    it('is one of a demo that was known before its rule, once that comes again', { tags: ['long'] }, async () => {
      const [first, second] = [demoFile(), demoFile()];
      await upload(first);
      await upload(second);
      const rule = await make();
      expect(await runsOf(rule)).toEqual([]);
      await ingest(first);
      await upload(second);
      expect(await statesOf(rule)).toEqual(['waiting', 'waiting']);
      await upkeep();
      await readAll();
      await upkeep();
      expect(await statesOf(rule)).toEqual(['running', 'running']);
    });

    it('moves to the new upload of its content', { tags: ['long'] }, async () => {
      const rule = await make();
      const file = demoFile();
      const first = await ingest(file);
      await sendJson(mine.metered, 'DELETE', `/api/uploads/${first.id}`);
      const second = await ingest(file);
      expect(second.id).not.toBe(first.id);
      expect(await runsOf(rule)).toMatchObject([{ state: 'waiting', upload_id: second.id }]);
      await readAll((id) => id === second.id);
      await upkeep();
      expect(await runsOf(rule)).toMatchObject([{ state: 'running', upload_id: second.id }]);
    });

    it.each([
      ['failed', false, /^the demo cannot be read: ./],
      ['skipped', true, /^its map is de_nuke$/],
    ] as const)('says by a webhook why it %s', async (state, isReadable, detail) => {
      const inbox = createInbox('500,200');
      const to = { webhook_url: inbox.url, webhook_auth_header: 'Bearer of-rule' };
      const rule = await make({ send: to, when: { maps: ['de_dust2'] } });
      const id = await come();
      await advanceRuns(service, id);
      // Its account has used its budget of webhooks of this hour, and later that of the next.
      await spendBudget(mine.id, { webhook_attempts: 6000 });
      await readAll(() => isReadable);
      await upkeep(HOUR - (Date.now() % HOUR) - 1);
      expect(await inbox.received()).toEqual([]);
      await upkeep(1);
      await spendBudget(mine.id, { webhook_attempts: 6000 });
      for (const later of [HOUR / 4, HOUR / 2]) await upkeep(later);
      expect(await inbox.received()).toHaveLength(1);
      await upkeep(HOUR / 4);
      const [run] = await runsOf(rule);
      expect(run).toMatchObject({ state, detail: expect.stringMatching(detail) });
      const received = await inbox.received();
      const bodies = received.map(({ body }) => JSON.parse(body));
      const about = { rule_id: rule.id, run_id: run?.id, upload_id: id, state, detail: run?.detail };
      expect(bodies.at(-1)).toEqual({ event: 'rule.ended', ...about });
      const ids = new Set(received.map(({ headers }) => headers['x-service-delivery-id']));
      expect(ids.size).toBe(1);
      expect(received.at(-1)?.headers.authorization).toBe('Bearer of-rule');
      const { length } = received;
      await upkeep(HOUR);
      expect(await inbox.received()).toHaveLength(length);
    });
  });

  describe('the budget of a day', () => {
    it('of demos is used by a match that was read, not by what cannot be read', { tags: ['long'] }, async () => {
      const rule = await make({ budget: { demos_a_day: 1, clips_a_day: 9 } });
      const rubbish = [await come(), await come(), await come()];
      for (const id of rubbish) await advanceRuns(service, id);
      await readAll(() => false);
      await upkeep();
      expect((await read(rule)).used).toEqual({ demos_a_day: 0, clips_a_day: 0 });
      const good = await come();
      await advanceRuns(service, good);
      await readAll();
      await upkeep();
      expect((await runsOf(rule)).find(({ upload_id }) => upload_id === good)).toMatchObject({ state: 'running' });
      expect((await read(rule)).used).toEqual({ demos_a_day: 1, clips_a_day: 1 });
      const late = await come();
      await advanceRuns(service, late);
      const detail = 'the rule has used its demos of the day';
      expect((await runsOf(rule)).find(({ upload_id }) => upload_id === late)).toMatchObject({
        state: 'skipped',
        detail,
      });
    });
  });

  describe('PATCH /api/rules/:id', () => {
    it('changes the sent fields only, also of two requests at once', async () => {
      const rule = await make();
      for (const fps of [30, 60, 90, 120]) {
        const budget = { demos_a_day: fps, clips_a_day: fps };
        await Promise.all([
          patch(rule, { budget }),
          patch(rule, { options: { fps } }),
          patch(rule, { name: `r${fps}` }),
        ]);
        expect(await read(rule)).toMatchObject({ budget, options: { fps }, name: `r${fps}` });
      }
      await patch(rule, { when: { tags: ['a'] } });
      await patch(rule, { when: { maps: ['de_nuke'] } });
      expect((await read(rule)).when).toEqual({ maps: ['de_nuke'] });
    });
  });

  describe('the cron', () => {
    it('asks only runs that can move', { tags: ['long'] }, async () => {
      const rule = await make();
      const ids = [await come(), await come(), await come()];
      for (const id of ids) await advanceRuns(service, id);
      const [first = ''] = ids;
      const asked = async (): Promise<number> => {
        const faulty = createFaultyService();
        vi.setSystemTime(Date.now() + CRON);
        await runUpkeep(faulty.service, Date.now());
        return faulty.calls.filter((call) => call === 'RENDER_JOB.readDemo' || call === 'RENDER_JOB.submit').length;
      };
      // The host has not read them.
      await expect.poll(() => indexed(ids)).toBe(3);
      expect(await asked()).toBe(0);
      await readAll((id) => id === first);
      await upkeep();
      // One run waits for its job, and two have ended.
      expect((await statesOf(rule)).sort()).toEqual(['failed', 'failed', 'running']);
      expect(await asked()).toBe(0);
      // A paused rule: nothing can move before it is resumed.
      const late = await come({ sha256: newContent() });
      await advanceRuns(service, late);
      await bindings.DB.prepare('UPDATE rules SET enabled = 0, paused_at = 1 WHERE id = ?').bind(rule.id).run();
      await readAll();
      expect(await asked()).toBe(0);
    });
  });

  /** Returns how many unfinished inspections of these uploads the index has. */
  async function indexed(ids: readonly string[]): Promise<number> {
    const found = bindings.DB.prepare(
      'SELECT COUNT(*) AS n FROM jobs WHERE finished_at IS NULL AND inspected_upload IN (SELECT value FROM json_each(?))',
    );
    return (await found.bind(JSON.stringify(ids)).first<{ n: number }>())?.n ?? 0;
  }
});
