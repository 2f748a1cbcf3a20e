import { runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Grant } from '#protocol/gateway.ts';
import { dispatcherOf } from '#service/dispatchers.ts';
import { createService } from '#service/service.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { countHostFailures, insertHostFailure } from '#storage/hosts.ts';
import { hostOf } from '../support/host.ts';
import { leaveMemory, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, createHost, sendJson, submit } from '../support/service.ts';
import type { TestHost } from '../support/test-host.ts';

const service = createService(bindings);
const { database: db } = service;
const DAY = 86_400_000;
const NOW = Date.now();

const rows = async (hostId: string) =>
  (await bindings.DB.prepare('SELECT COUNT(*) AS n FROM host_failures WHERE host_id = ?').bind(hostId).first('n')) ?? 0;

describe('failures of hosts', () => {
  it('are counted by code, each attempt once, over the time that is asked for', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
    const fail = (hostId: string, code: string, failedAt: number, jobId = 'j') =>
      insertHostFailure(db, { hostId, code, failedAt, jobId });
    await fail(a, 'demo_404', NOW);
    await fail(a, 'demo_404', NOW);
    await fail(a, 'demo_404', NOW, 'k');
    await fail(a, 'upload_error', NOW - DAY);
    await fail(a, 'upload_error', NOW - DAY - 1);
    await fail(b, 'demo_404', NOW);
    const counted = await countHostFailures(db, [a, b, crypto.randomUUID()], NOW - DAY);
    expect(counted.toSorted((x, y) => y.count - x.count || (x.hostId === a ? -1 : 1))).toEqual([
      { hostId: a, code: 'demo_404', count: 2 },
      { hostId: a, code: 'upload_error', count: 1 },
      { hostId: b, code: 'demo_404', count: 1 },
    ]);
  });

  it('are limited per code, however often a host fails', async () => {
    const hostId = crypto.randomUUID();
    const put = bindings.DB.prepare("INSERT INTO host_failures SELECT ?, 'demo_404', value, 'j' FROM json_each(?)");
    await put.bind(hostId, JSON.stringify(Array.from({ length: 499 }, (_, i) => NOW + i))).run();
    for (let i = 1; i <= 3; i++)
      await insertHostFailure(db, { hostId, code: 'demo_404', failedAt: NOW - i, jobId: 'j' });
    expect(await rows(hostId)).toBe(500);
    await insertHostFailure(db, { hostId, code: 'upload_error', failedAt: NOW, jobId: 'j' });
    expect(await rows(hostId)).toBe(501);
  });

  it('are deleted by the cron after a day, also where there are thousands', async () => {
    const hostId = crypto.randomUUID();
    const put = bindings.DB.prepare(
      "INSERT INTO host_failures SELECT ?, 'c' || (value % 9), ?, 'j' || value FROM json_each(?)",
    );
    const numbers = JSON.stringify(Array.from({ length: 3000 }, (_, i) => i));
    await put.bind(hostId, NOW - DAY - 1, numbers).run();
    await put.bind(hostId, NOW - DAY - 5000, numbers).run();
    await insertHostFailure(db, { hostId, code: 'demo_404', failedAt: NOW - DAY, jobId: 'j' });
    await runUpkeep(service, NOW);
    expect(await rows(hostId)).toBe(1);
  });
});

const scene = useScenario();
const MINUTE = 60_000;
const _HOUR = 60 * MINUTE;
const queue = () => dispatcherOf(bindings.DISPATCHER);

/** Registers a second host that claims too. */
let standIn: TestHost;

/** Removes jobs that earlier tests left in the queue. */
beforeEach(async () => {
  await runInDurableObject(queue(), (_, { storage }) => {
    for (const table of ['ready', 'leases', 'running', 'host_kinds']) storage.sql.exec(`DELETE FROM ${table}`);
  });
  await leaveMemory(queue());
  standIn = hostOf(await createHost());
  expect(await standIn.claim()).toBeNull();
});

async function idOf({ token }: TestHost): Promise<string> {
  const named = bindings.DB.prepare('SELECT id FROM hosts WHERE token_sha256 = ?').bind(await sha256Hex(token));
  return String(await named.first('id'));
}

/** Returns the state of a host as operators see it. */
async function change(host: TestHost, body: object = {}): Promise<Record<string, unknown>> {
  const answer = await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${await idOf(host)}`, body);
  return answer.json<Record<string, unknown>>();
}

/** Fails a new job on a host. */
async function failOn(host: TestHost, code = 'cs2_unavailable'): Promise<Grant> {
  const jobId = await submit(scene.account.metered);
  const grant = await host.claim({}, 20);
  if (grant?.job_id !== jobId) throw new Error(`the host got ${grant?.job_id ?? 'nothing'}`);
  expect((await host.report(grant, 'fail', { code, detail: '' })).status).toBe(204);
  await expect.poll(() => queue().size()).toBe(0);
  return grant;
}

describe('a host that fails three jobs in a row by its own fault', () => {
  it('gets no more for five minutes, and the others go on', async () => {
    for (let i = 0; i < 3; i++) await failOn(scene.host);
    const until = Date.now() + 5 * MINUTE;
    await expect
      .poll(() => change(scene.host))
      .toMatchObject({ state: 'set aside', set_aside_until: new Date(until).toISOString() });
    const jobId = await submit(scene.account.metered);
    await expect.poll(() => queue().size()).toBe(1);
    const answer = await scene.host.ask();
    expect(answer.headers.get('X-Host-State')).toBe(`set aside until ${new Date(until).toISOString()}`);
    await leaveMemory(queue());
    expect((await scene.host.ask()).status).toBe(204);
    const other = hostOf(await createHost());
    const grant = await other.claim({}, 20);
    expect(grant?.job_id).toBe(jobId);
    expect(await change(other)).toMatchObject({ state: 'idle', set_aside_until: null });
  });

  it('is tried with one job, set aside for longer if that fails too, and as good as new once it makes a clip', async () => {
    for (let i = 0; i < 3; i++) await failOn(scene.host);
    await expect.poll(() => change(scene.host)).toMatchObject({ state: 'set aside' });
    vi.setSystemTime(Date.now() + 5 * MINUTE);
    await leaveMemory(queue());
    expect(await standIn.claim()).toBeNull();
    await failOn(scene.host);
    const until = new Date(Date.now() + 10 * MINUTE).toISOString();
    await expect.poll(() => change(scene.host)).toMatchObject({ state: 'set aside', set_aside_until: until });
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    const jobs = [await submit(scene.account.metered), await submit(scene.account.metered)];
    const grant = await scene.host.claim({}, 20);
    expect(jobs).toContain(grant?.job_id);
    if (!grant) return;
    await scene.host.heartbeat(grant);
    await expect.poll(() => queue().size()).toBe(1);
    expect((await scene.host.ask()).headers.get('X-Host-State')).toBe('set aside');
    await scene.host.finish(grant);
    await expect.poll(async () => (await scene.host.ask()).status).toBe(200);
    const rows = await runInDurableObject(queue(), (_, { storage }) =>
      storage.sql.exec('SELECT * FROM host_faults').toArray(),
    );
    expect(rows.map(({ host_id }) => host_id)).not.toContain(await idOf(scene.host));
  });

  it('gets a job at once when the operator clears it', async () => {
    for (let i = 0; i < 3; i++) await failOn(scene.host);
    await expect.poll(() => change(scene.host)).toMatchObject({ state: 'set aside' });
    expect(await change(scene.host, { set_aside: false })).toMatchObject({ state: 'idle', set_aside_until: null });
    await failOn(scene.host);
    expect(await change(scene.host)).toMatchObject({ state: 'idle' });
  });

  it('counts leases that it lost', async () => {
    for (let i = 0; i < 3; i++) {
      const jobId = await submit(scene.account.metered);
      const grant = await scene.host.claim({}, 20);
      expect(grant?.job_id).toBe(jobId);
      if (grant) await scene.host.heartbeat(grant);
      await ringEvicted(jobId, Date.now() + MINUTE);
      await expect.poll(() => queue().size()).toBe(0);
    }
    await expect.poll(() => change(scene.host)).toMatchObject({ state: 'set aside', jobs: [] });
    expect(await change(scene.host)).toMatchObject({ failures_24h: { cs2_unavailable: 3 } });
  });
});

it('a host that fails three jobs by no fault of its own is not set aside', async () => {
  for (let i = 0; i < 3; i++) await failOn(scene.host, 'upload_error');
  expect(await change(scene.host)).toMatchObject({ state: 'idle', failures_24h: { upload_error: 3 } });
});
