import { describe, expect, it, vi } from 'vitest';
import { createRandom, pick } from '../soak/random.ts';
import { hostOf } from '../support/accounts.ts';
import { fireAlarm, resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, readJob, sendJson, submit } from '../support/service.ts';
import type { TestHost } from '../support/test-host.ts';
import { createInbox } from '../support/webhooks.ts';

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
  const jobId = await submit(scene.account.metered, request);
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
    await failAgain(broken, 'render_failed', scene.host);
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
    expect(await resubmit({ job_ids: [kept] })).toMatchObject({ refused: [{ job_id: kept, reason: 'job_finished' }] });
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
