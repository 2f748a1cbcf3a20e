import { expect, it } from 'vitest';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, createAccount, readJob, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const cancel = (jobId: string, key = scene.account.metered) => sendJson(key, 'POST', `/api/jobs/${jobId}/cancel`);
const read = (jobId: string) => readJob(scene.account.metered, jobId);
const CANCELED = { status: 'error', error_code: 'canceled', clip_id: null, finished_at: expect.any(String) };

it('a job that waits is canceled at once, says so by webhook, and no host gets it', async () => {
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

it('a host hears of it with its next heartbeat, and what it still reports changes nothing', async () => {
  const jobId = await submit(scene.account.metered);
  const grant = await scene.host.claimJob(jobId);
  expect((await scene.host.heartbeat(grant)).status).toBe(204);
  await cancel(jobId);
  const refused = await scene.host.heartbeat(grant);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/stale_lease$/) });
  expect((await scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' })).status).toBe(409);
  expect(await read(jobId)).toMatchObject(CANCELED);
  // No host can cancel what is not its own to cancel.
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
  // Best effort as long as the first one holds the slot: what is older goes before it.
  const older = await submit(scene.account.metered);
  const second = await submit(scene.account.reserved);
  await cancel(first);
  await fireAlarm(first);
  const next = [await scene.host.claim(), await scene.host.claim()].map((grant) => grant?.job_id);
  expect(next.indexOf(second)).toBe(0);
  expect(next.indexOf(older)).toBe(1);
});

it('nobody cancels a job of another account but the operator, who can cancel all of one', async () => {
  const other = await createAccount();
  const jobs = [await submit(scene.account.metered), await submit(scene.account.metered), await submit(other.metered)];
  const [first = '', , foreign = ''] = jobs;
  expect((await cancel(foreign)).status).toBe(404);
  expect((await cancel(crypto.randomUUID())).status).toBe(404);
  const asOperator = (path: string) => sendJson(ADMIN_TOKEN, 'POST', `/admin/${path}`);
  expect((await asOperator(`jobs/${first}/cancel`)).status).toBe(200);
  for (const jobId of jobs) await fireAlarm(jobId);
  const all = `accounts/${scene.account.id}/cancel`;
  expect(await (await asOperator(all)).json()).toEqual({ canceled: 1, next_cursor: null });
  for (const jobId of jobs.slice(0, 2)) expect(await read(jobId)).toMatchObject(CANCELED);
  expect(await readJob(other.metered, foreign)).toMatchObject({ status: 'pending' });
  expect((await asOperator(`accounts/${other.id}/cancel?cursor=999999`)).status).toBe(200);
  expect(await readJob(other.metered, foreign)).toMatchObject({ status: 'pending' });
  expect((await asOperator(`accounts/${crypto.randomUUID()}/cancel`)).status).toBe(404);
});
