import { describe, expect, it } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, createAccount, PLAYER, readJob, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const cancel = (jobId: string, key = scene.account.metered) => sendJson(key, 'POST', `/api/jobs/${jobId}/cancel`);
const read = (jobId: string) => readJob(scene.account.metered, jobId);
const CANCELED = { status: 'error', error_code: 'canceled', clip_id: null, finished_at: expect.any(String) };

it('a queued job is canceled at once, sends its webhook, and no host gets it', async () => {
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

it('a canceled job runs again by resubmit and by a forced redo, and is then done', async () => {
  const jobId = await submit(scene.account.metered, { idempotency_key: 'again' });
  await cancel(jobId);
  expect((await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`)).status).toBe(200);
  await cancel(jobId);
  const redo = { demo_url: 'https://demos.example.com/b.dem', steam64_id: '1', idempotency_key: 'again', force: true };
  expect((await sendJson(scene.account.metered, 'POST', '/api/clips', redo)).status).toBe(200);
  expect((await scene.host.finish(await scene.host.claimJob(jobId))).status).toBe(204);
  expect(await read(jobId)).toMatchObject({ status: 'done', error_code: null });
  const refused = await cancel(jobId);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/job_finished$/) });
});

it('the slot of a reserved job is free again', async () => {
  const path = `/admin/accounts/${scene.account.id}`;
  await sendJson(ADMIN_TOKEN, 'PATCH', path, { provisioned_slots: 1 });
  const first = await submit(scene.account.reserved);
  await scene.host.heartbeat(await scene.host.claimJob(first));
  // Best effort while the first job has the slot: older jobs go first.
  const older = await submit(scene.account.metered);
  const second = await submit(scene.account.reserved);
  // All jobs are queued.
  for (const jobId of [older, second]) await fireAlarm(jobId);
  await cancel(first);
  await fireAlarm(first);
  const next = [await scene.host.claim(), await scene.host.claim()].map((grant) => grant?.job_id);
  expect(next.indexOf(second)).toBe(0);
  expect(next.indexOf(older)).toBe(1);
});

it('only the operator cancels jobs of other accounts, also all of one', async () => {
  const other = await createAccount();
  const jobs = [await submit(scene.account.metered), await submit(scene.account.metered), await submit(other.metered)];
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
  const jobs = [await submit(scene.account.metered), await submit(scene.account.metered)];
  for (const jobId of jobs) await fireAlarm(jobId);
  const faulty = createFaultyService();
  faulty.fail('RENDER_JOB.cancel', 'the job was stored by a later version of the service');
  const all = () => faulty.send(ADMIN_TOKEN, 'POST', `/admin/accounts/${scene.account.id}/cancel`);
  expect(await (await all()).json()).toEqual({ canceled: 1, failed: [jobs[0]], next_cursor: null });
  expect(await (await all()).json()).toMatchObject({ failed: [] });
  for (const jobId of jobs) expect(await read(jobId)).toMatchObject(CANCELED);
});

it('a page of them ends at the same job, though the index numbers its rows anew', async () => {
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
  // VACUUM does this after rows were deleted.
  await bindings.DB.prepare('UPDATE jobs SET rowid = rowid + 1000000 WHERE account_id = ?').bind(id).run();
  await page(`?cursor=${next_cursor}`);
  expect(faulty.calls.filter((call) => call === 'RENDER_JOB.cancel')).toHaveLength(1);
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
  expect(results.map(({ index, status }) => [index, status])).toEqual([0, 1, 2, 3].map((i) => [i, i % 2 ? 400 : 201]));
  expect(results[1]?.problem?.errors?.map(({ path }) => path)).toEqual(['round']);
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

it('jobs of one demo are granted one after the other', async () => {
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

/** test/core/platform/placed-in.test.ts checks the calls of a namespace; here a real one is called. */
describe('the place of objects, in the local runtime', () => {
  const placed = (variables: object) => createService({ ...bindings, ...variables } as Bindings);

  it('may be near a region: the object of a name is the same one', async () => {
    const jobId = await submit(scene.account.metered);
    const { job } = placed({ LOCATION_HINT: 'weur' });
    expect(await job(jobId).read(scene.account.id)).toMatchObject({ ok: true, value: { id: jobId } });
  });

  it('cannot be a jurisdiction: this test goes when workerd has them', () => {
    const service = placed({ JURISDICTION: 'eu' });
    expect(() => service.job(crypto.randomUUID())).toThrow('Jurisdiction restrictions are not implemented in workerd');
    expect(() => service.dispatchers).toThrow('Jurisdiction restrictions are not implemented in workerd');
  });
});
