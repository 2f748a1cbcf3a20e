import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import type { Overview } from '#protocol/operate/operate.ts';
import type { DispatcherRpc } from '#rpc/dispatcher.ts';
import { createService, dispatcherOf } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { countHostFailures, insertHostFailure } from '#storage/host/hosts.ts';
import { createAccount, createHost, type TestAccount } from '#test/support/accounts.ts';
import { createFaultyService, resetObject } from '#test/support/faulty-service.ts';
import {
  evict,
  fireAlarm,
  leaveMemory,
  pass,
  queueLength,
  resetQueue,
  ringEvicted,
  useScenario,
} from '#test/support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, sendJson, submit } from '#test/support/service.ts';
import { CAPABILITIES, type TestHost } from '#test/support/test-host.ts';

const scene = useScenario();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface View {
  readonly host_id: string;
  readonly state: string;
  readonly last_seen: string | null;
  readonly [field: string]: unknown;
}
interface Page {
  readonly hosts: View[];
  readonly next_cursor: string | null;
}

async function page(query = ''): Promise<Page> {
  return (await sendJson(ADMIN_TOKEN, 'GET', `/admin/hosts${query}`)).json<Page>();
}

/** Returns the scene's host as operators see it. */
async function seen(): Promise<View> {
  const named = bindings.DB.prepare('SELECT id FROM hosts WHERE token_sha256 = ?').bind(
    await sha256Hex(scene.host.token),
  );
  const id = await named.first('id');
  let cursor: string | null = '';
  while (cursor !== null) {
    const { hosts, next_cursor }: Page = await page(cursor && `?cursor=${cursor}`);
    const host = hosts.find(({ host_id }) => host_id === id);
    if (host) return host;
    cursor = next_cursor;
  }
  throw new Error('the host is not in the list');
}

async function change(body: unknown, id?: string): Promise<Response> {
  return sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${id ?? (await seen()).host_id}`, body);
}

/** Returns the response of one claim. */
const claim = (waitS = 0, more = {}) => scene.host.ask(more, waitS);

/** Finishes jobs that other tests left. */
async function emptyQueue(): Promise<void> {
  for (let grant = await scene.host.claim(); grant !== null; grant = await scene.host.claim()) {
    await scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' });
  }
}

const iso = (time: number) => new Date(time).toISOString();

describe('what the operator sees of a host', () => {
  it('is empty before its first claim, and then what it reported', async () => {
    expect(await seen()).toMatchObject({ state: 'gone', last_seen: null, agent_version: null, jobs: [], labels: [] });
    await claim(0, { gpu: 'RTX 4070', encoder: 'h264_nvenc', game_build: '1.41', clock_off_s: -300 });
    await expect.poll(seen).toMatchObject({
      state: 'idle',
      last_seen: iso(Date.now()),
      agent_version: 'test',
      renderer: 'radar',
      game_build: '1.41',
      gpu: 'RTX 4070',
      encoder: 'h264_nvenc',
      max_resolution: 1440,
      max_fps: 120,
      clock_off_s: -300,
      failures_24h: {},
      note: null,
    });
    const clocksOff = async () => (await queue().numbers()).hosts.reduce((sum, one) => sum + one.clocksOff, 0);
    expect(await clocksOff()).toBe(1);
    // Within a minute, which a host should leave out.
    await claim(0, { clock_off_s: 60 });
    expect(await clocksOff()).toBe(0);
    vi.setSystemTime(Date.now() + 151_000);
    expect((await seen()).state).toBe('gone');
  });

  it('is its jobs with their progress, and what failed on it', { tags: ['long'] }, async () => {
    const grant = await scene.host.claimJob(await submit(scene.account.metered));
    await scene.host.heartbeat(grant, 'render', 0.25);
    await expect.poll(seen).toMatchObject({
      state: 'busy',
      jobs: [{ job_id: grant.job_id, status: 'render', progress: 0.25 }],
    });
    await scene.host.report(grant, 'fail', { code: 'download_error', detail: '' });
    await expect.poll(seen).toMatchObject({ state: 'idle', jobs: [], failures_24h: { download_error: 1 } });
    vi.setSystemTime(Date.now() + 24 * HOUR);
    expect(await seen()).toMatchObject({ failures_24h: {} });
  });

  it('is kept, approximately, when the dispatcher and the job are evicted', async () => {
    const grant = await scene.host.claimJob(await submit(scene.account.metered));
    await scene.host.heartbeat(grant, 'render', 0.25);
    await expect.poll(seen).toMatchObject({ state: 'busy', agent_version: 'test' });
    await evict(grant.job_id);
    await leaveMemory(dispatcherOf(bindings.DISPATCHER));
    await expect.poll(seen).toMatchObject({
      state: 'busy',
      last_seen: iso(Date.now()),
      jobs: [{ job_id: grant.job_id, status: 'render', progress: null }],
    });
    await scene.host.report(grant, 'release');
  });
});

/** Reads the page of the scene's host. */
async function detail(): Promise<Record<string, unknown>> {
  return (await sendJson(ADMIN_TOKEN, 'GET', `/admin/hosts/${(await seen()).host_id}`)).json();
}

describe('a host whose lease ends without a sign of life', () => {
  /** Claims a job, works for two minutes, and falls silent until the lease has ended. */
  async function fallSilent(): Promise<{ readonly jobId: string; readonly heardAt: number }> {
    const grant = await scene.host.claimJob(await submit(scene.account.metered));
    for (let i = 0; i < 4; i++) {
      await scene.host.heartbeat(grant);
      vi.setSystemTime(Date.now() + 30_000);
    }
    const heardAt = Date.now();
    await scene.host.heartbeat(grant);
    await ringEvicted(grant.job_id, heardAt + MINUTE);
    await expect.poll(seen).toMatchObject({ jobs: [] });
    return { jobId: grant.job_id, heardAt };
  }
  const lostNow = async () => {
    const { hosts } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/overview')).json<{
      hosts: { lost?: number };
    }>();
    return hosts.lost ?? 0;
  };

  it('is lost until it asks again, also after a restart of the dispatcher, and is counted', {
    tags: ['long'],
  }, async () => {
    const { heardAt } = await fallSilent();
    expect(await seen()).toMatchObject({ state: 'lost', last_seen: iso(heardAt) });
    expect(await lostNow()).toBe(1);
    await leaveMemory(dispatcherOf(bindings.DISPATCHER));
    vi.setSystemTime(Date.now() + 20 * HOUR);
    expect(await seen()).toMatchObject({ state: 'lost', last_seen: iso(heardAt) });
    await claim();
    expect(await seen()).toMatchObject({ state: 'idle' });
    expect(await lostNow()).toBe(0);
  });

  it('is not lost once an operator gives it up', async () => {
    await fallSilent();
    expect(await (await change({ set_aside: false })).json()).toMatchObject({ state: 'idle' });
    expect(await lostNow()).toBe(0);
    vi.setSystemTime(Date.now() + 3 * MINUTE);
    expect((await seen()).state).toBe('gone');
    await fallSilent();
    await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/hosts/${(await seen()).host_id}`);
    expect(await lostNow()).toBe(0);
  });
});

it('when a host was last seen is kept over restarts of the dispatcher to a minute, for one row a minute', async () => {
  const dispatcher = dispatcherOf(bindings.DISPATCHER);
  await leaveMemory(dispatcher);
  const writes = () =>
    runInDurableObject(dispatcher, (_, { storage }) => storage.sql.exec('SELECT total_changes() AS n').one().n);
  await claim();
  const before = Number(await writes());
  for (let i = 0; i < 12; i++) {
    vi.setSystemTime(Date.now() + 22_500);
    await claim();
  }
  // 270 seconds: the row is written with the first poll after each minute.
  expect(Number(await writes()) - before).toBe(4);
  const seenAt = Date.now();
  await leaveMemory(dispatcher);
  vi.setSystemTime(Date.now() + HOUR);
  const kept = Date.parse((await seen()).last_seen ?? '');
  expect(seenAt - kept).toBeGreaterThanOrEqual(0);
  expect(seenAt - kept).toBeLessThan(MINUTE);
});

describe('the page of a host', () => {
  it('has what it reported, its latest attempts, and its faults with their jobs', async () => {
    const able = { gpu: 'RTX 4070', driver: '580.95', free_bytes: 5e9 };
    await claim(0, able);
    await expect.poll(detail).toMatchObject({
      state: 'idle',
      driver: '580.95',
      free_bytes: 5e9,
      slots: 1000,
      ended: [],
      faults: [],
    });
    const done = await scene.host.claimJob(await submit(scene.account.metered));
    const started_at = iso(Date.now());
    vi.setSystemTime(Date.now() + 20_000);
    await scene.host.heartbeat(done);
    await scene.host.finish(done);
    const failed = await scene.host.claimJob(await submit(scene.account.metered));
    await scene.host.report(failed, 'fail', { code: 'demo_404', detail: '' });
    const at = iso(Date.now());
    await expect.poll(detail).toMatchObject({
      ended: [
        { job_id: failed.job_id, code: 'demo_404', started_at: at, ended_at: at },
        { job_id: done.job_id, code: null, started_at, ended_at: at },
      ],
      faults: [{ code: 'demo_404', count: 1, last_at: at, job_ids: [failed.job_id] }],
      failures_24h: { demo_404: 1 },
    });
  });

  it('has the attempts of before a restart of the dispatcher, but for the last minute', async () => {
    const jobs: string[] = [];
    for (let i = 0; i < 3; i++) {
      const grant = await scene.host.claimJob(await submit(scene.account.metered));
      await scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' });
      await expect.poll(detail).toMatchObject({ jobs: [], faults: [{ count: i + 1 }] });
      jobs.unshift(grant.job_id);
      vi.setSystemTime(Date.now() + MINUTE);
    }
    await claim();
    await leaveMemory(dispatcherOf(bindings.DISPATCHER));
    const { ended } = await detail();
    expect((ended as { job_id: string }[]).map(({ job_id }) => job_id)).toEqual(jobs);
  });

  it('is not there for an unknown host', async () => {
    expect((await sendJson(ADMIN_TOKEN, 'GET', `/admin/hosts/${crypto.randomUUID()}`)).status).toBe(404);
  });

  it('leads to its log of one job, with seconds since it got the job', async () => {
    const grant = await scene.host.claimJob(await submit(scene.account.metered));
    const line = JSON.stringify({ level: 50, time: Date.now() + 83_200, pid: 7, job: grant.job_id, msg: 'no GPU' });
    await scene.host.report(grant, 'fail', { code: 'cs2_unavailable', detail: '', log: `${line}\n` });
    const { host_id } = await seen();
    const attempts = async (query: string) =>
      (
        await (
          await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${grant.job_id}?${query}`)
        ).json<Record<string, unknown>>()
      ).attempts;
    const one = [{ host_id, fence: 1, log: '83.2 s error no GPU\n' }];
    expect(await attempts('')).toMatchObject(one);
    expect(await attempts(`host=${host_id}&fence=1`)).toMatchObject(one);
    expect(await attempts(`host=${crypto.randomUUID()}`)).toEqual([]);
    expect(await attempts('fence=2')).toEqual([]);
  });
});

describe('what is written of a host', () => {
  /** Counts the rows of the index that a claim writes. */
  function counting() {
    const faulty = createFaultyService();
    const host = faulty.host(scene.host.token);
    return async (more: Record<string, unknown> = {}) => {
      faulty.reset();
      await (await host.ask(more)).arrayBuffer();
      return faulty.rowsWritten();
    };
  }

  it('is one row with its first claim, one an hour, and one for a change, a minute apart at least', async () => {
    const claims = counting();
    expect(await claims()).toBe(1);
    for (let i = 0; i < 20; i++) {
      vi.setSystemTime(Date.now() + 2 * MINUTE);
      expect(await claims()).toBe(0);
    }
    expect(await claims({ game_build: '2' })).toBe(1);
    expect(await claims({ game_build: '3' })).toBe(0);
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await claims({ game_build: '3' })).toBe(1);
    vi.setSystemTime(Date.now() + HOUR);
    expect(await claims({ game_build: '3' })).toBe(1);
  });

  it('is one row, however many isolates it calls', async () => {
    const isolates = Array.from({ length: 5 }, counting);
    expect(await Promise.all(isolates.map((claims) => claims()))).toContain(1);
    vi.setSystemTime(Date.now() + 31_000);
    const again = await Promise.all(isolates.map((claims) => claims()));
    expect(again).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('a host that the operator', () => {
  it('pauses gets no jobs, sees why, finishes its jobs, and continues after the pause', async () => {
    const grant = await scene.host.claimJob(await submit(scene.account.metered));
    const until = Date.now() + 10 * MINUTE;
    const paused = await change({ hold: 'paused', until: iso(until), note: 'a new driver' });
    expect(await paused.json()).toMatchObject({ state: 'paused', held_until: iso(until), note: 'a new driver' });
    const next = await submit(scene.account.metered);
    await expect.poll(queueLength).toBeGreaterThan(0);
    const answer = await claim();
    expect([answer.status, answer.headers.get('X-Host-State')]).toEqual([204, `paused until ${iso(until)}`]);
    expect((await scene.host.heartbeat(grant)).status).toBe(204);
    expect((await scene.host.finish(grant)).status).toBe(204);
    vi.setSystemTime(until);
    const resumed = await claim(20);
    const taken = await resumed.json<Grant>();
    expect(taken.job_id).toBe(next);
    await scene.host.heartbeat(taken);
    await expect.poll(seen).toMatchObject({ state: 'busy', held_until: null });
    await scene.host.report(taken, 'fail', { code: 'demo_404', detail: '' });
  });

  it('drains during a poll is notified at once, also of the end', async () => {
    const waiting = claim(20);
    await expect.poll(seen).toMatchObject({ state: 'idle' });
    expect(await (await change({ hold: 'draining' })).json()).toMatchObject({ state: 'draining', note: null });
    expect((await waiting).status).toBe(204);
    const held = claim(20);
    const jobId = await submit(scene.account.metered);
    await expect.poll(queueLength).toBeGreaterThan(0);
    await change({ hold: null });
    const answer = await held;
    expect([answer.status, answer.headers.get('X-Host-State')]).toEqual([204, null]);
    const taken = await (await claim(20)).json<Grant>();
    expect(taken.job_id).toBe(jobId);
    await scene.host.report(taken, 'fail', { code: 'demo_404', detail: '' });
  });

  it('pauses stays paused for a dispatcher that lost its state, once its token is looked up again', async () => {
    await claim();
    await change({ hold: 'paused' });
    await resetObject(dispatcherOf(bindings.DISPATCHER));
    vi.setSystemTime(Date.now() + 30_001);
    expect((await claim()).headers.get('X-Host-State')).toBe('paused');
  });

  it('labels gets the jobs that require the label, and no other host does', { tags: ['long'] }, async () => {
    await emptyQueue();
    const { id, metered } = scene.account;
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { labels: ['eu'] });
    vi.setSystemTime(Date.now() + 30_001);
    const jobId = await submit(metered);
    expect((await claim(1)).status).toBe(204);
    await change({ labels: ['eu', 'big'] });
    expect(await (await claim(20)).json()).toMatchObject({ job_id: jobId });
    expect(await seen()).toMatchObject({ labels: ['eu', 'big'] });
  });

  it.each([
    { hold: 'asleep' },
    { until: '2026-01-01T00:00:00Z' },
    { hold: null, until: '2026-01-01T00:00:00Z' },
    { hold: 'paused', until: 'tomorrow' },
    { labels: ['With Space'] },
    { set_aside: true },
    { unknown: 1 },
  ])('cannot change by %j', async (body) => {
    expect((await change(body)).status).toBe(400);
  });

  it('revoked, or an unknown one, cannot be changed', async () => {
    expect((await change({ hold: 'paused' }, crypto.randomUUID())).status).toBe(404);
    const { host_id } = await seen();
    await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/hosts/${host_id}`);
    expect((await change({ hold: 'paused' }, host_id)).status).toBe(404);
    expect((await seen()).state).toBe('gone');
  });
});

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

const queue = () => dispatcherOf(bindings.DISPATCHER);

/** Registers a second host that claims too. */
let standIn: TestHost;

/** Removes jobs that earlier tests left in the queue. */
beforeEach(async () => {
  await resetQueue();
  standIn = await createHost();
  expect(await standIn.claim()).toBeNull();
});

async function idOf({ token }: TestHost): Promise<string> {
  const named = bindings.DB.prepare('SELECT id FROM hosts WHERE token_sha256 = ?').bind(await sha256Hex(token));
  return String(await named.first('id'));
}

/** Returns the state of a host as operators see it. */
async function changeHost(host: TestHost, body: object = {}): Promise<Record<string, unknown>> {
  const answer = await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${await idOf(host)}`, body);
  return answer.json<Record<string, unknown>>();
}

/** Fails a new job on a host. */
async function failOn(host: TestHost, code = 'cs2_unavailable'): Promise<Grant> {
  const jobId = await submit(scene.account.metered);
  const grant = await host.claim({}, 20);
  if (grant?.job_id !== jobId) throw new Error(`the host got ${grant?.job_id ?? 'nothing'}`);
  expect((await host.report(grant, 'fail', { code, detail: '' })).status).toBe(204);
  await expect.poll(queueLength).toBe(0);
  return grant;
}

describe('a host that fails three jobs in a row by its own fault', () => {
  it('is tried with one job, set aside for longer if that fails too, and as good as new once it makes a clip', {
    tags: ['long'],
  }, async () => {
    for (let i = 0; i < 3; i++) await failOn(scene.host);
    await expect.poll(() => changeHost(scene.host)).toMatchObject({ state: 'set aside' });
    vi.setSystemTime(Date.now() + 5 * MINUTE);
    await leaveMemory(queue());
    expect(await standIn.claim()).toBeNull();
    await failOn(scene.host);
    const until = new Date(Date.now() + 10 * MINUTE).toISOString();
    await expect.poll(() => changeHost(scene.host)).toMatchObject({ state: 'set aside', set_aside_until: until });
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    const jobs = [await submit(scene.account.metered), await submit(scene.account.metered)];
    const grant = await scene.host.claim({}, 20);
    expect(jobs).toContain(grant?.job_id);
    if (!grant) return;
    await scene.host.heartbeat(grant);
    await expect.poll(queueLength).toBe(1);
    expect((await scene.host.ask()).headers.get('X-Host-State')).toBe('set aside');
    await scene.host.finish(grant);
    await expect.poll(async () => (await scene.host.ask()).status).toBe(200);
    const rows = await runInDurableObject(queue(), (_, { storage }) =>
      storage.sql.exec('SELECT * FROM host_faults').toArray(),
    );
    expect(rows.map(({ host_id }) => host_id)).not.toContain(await idOf(scene.host));
  });

  it('gets a job at once when the operator clears it', { tags: ['long'] }, async () => {
    for (let i = 0; i < 3; i++) await failOn(scene.host);
    await expect.poll(() => changeHost(scene.host)).toMatchObject({ state: 'set aside' });
    expect(await changeHost(scene.host, { set_aside: false })).toMatchObject({ state: 'idle', set_aside_until: null });
    await failOn(scene.host);
    expect(await changeHost(scene.host)).toMatchObject({ state: 'idle' });
  });

  it('counts leases that it lost', async () => {
    for (let i = 0; i < 3; i++) {
      const jobId = await submit(scene.account.metered);
      const grant = await scene.host.claim({}, 20);
      expect(grant?.job_id).toBe(jobId);
      if (grant) await scene.host.heartbeat(grant);
      await ringEvicted(jobId, Date.now() + MINUTE);
      await expect.poll(queueLength).toBe(0);
    }
    const aside = { state: 'lost', jobs: [], set_aside_until: iso(Date.now() + 5 * MINUTE) };
    await expect.poll(() => changeHost(scene.host)).toMatchObject(aside);
    expect(await changeHost(scene.host)).toMatchObject({ failures_24h: { cs2_unavailable: 3 } });
    await scene.host.ask();
    expect(await changeHost(scene.host)).toMatchObject({ state: 'set aside' });
  });
});

describe('a host whose recorder does not fit its build of the game', () => {
  const build = (game_build: string) => ({ renderer: 'cs2', game_build });
  const misfit = { code: 'cs2_unavailable', detail: 'no hook', unfit_build: '2' };

  async function failAsMisfit(): Promise<Grant> {
    const jobId = await submit(scene.account.metered, { renderer: 'cs2' });
    const grant = await scene.host.claim(build('2'), 20);
    if (grant?.job_id !== jobId) throw new Error(`the host got ${grant?.job_id ?? 'nothing'}`);
    expect((await scene.host.report(grant, 'fail', misfit)).status).toBe(204);
    await expect.poll(queueLength).toBe(0);
    return grant;
  }

  it('gets no job with that build, and another host gets the failed one as its second attempt', async () => {
    const { job_id } = await failAsMisfit();
    await expect
      .poll(() => changeHost(scene.host))
      .toMatchObject({ state: 'set aside', set_aside_until: null, set_aside_reason: '2: no hook' });
    expect((await queue().numbers()).hosts).not.toContainEqual({
      state: 'set aside',
      build: '2',
      count: 1,
      clocksOff: 0,
    });
    await ringEvicted(job_id, Date.now() + HOUR);
    await expect.poll(queueLength).toBe(1);
    const answer = await scene.host.ask(build('2'));
    expect([answer.status, answer.headers.get('X-Host-State')]).toEqual([204, 'set aside']);
    expect((await queue().numbers()).hosts).toContainEqual({ state: 'set aside', build: '2', count: 1, clocksOff: 0 });
    const other = await createHost();
    const grant = await other.claim(build('2'), 20);
    expect(grant?.job_id).toBe(job_id);
    const job = await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${job_id}`);
    expect(await job.json()).toMatchObject({ attempt: 2 });
    if (grant) await other.finish(grant);
  });

  it('gets jobs with another build', async () => {
    await failAsMisfit();
    const jobId = await submit(scene.account.metered, { renderer: 'cs2' });
    const grant = await scene.host.claim(build('3'), 20);
    expect(grant?.job_id).toBe(jobId);
    if (grant) await scene.host.finish(grant);
  });

  it('gets jobs once its operator resumes it', async () => {
    await failAsMisfit();
    expect(await changeHost(scene.host, { set_aside: false })).toMatchObject({ set_aside_reason: null });
    const jobId = await submit(scene.account.metered, { renderer: 'cs2' });
    expect((await scene.host.claim(build('2'), 20))?.job_id).toBe(jobId);
  });

  it('is not set aside by a report under a lease that it has lost', async () => {
    const jobId = await submit(scene.account.metered, { renderer: 'cs2' });
    const grant = await scene.host.claim(build('2'), 20);
    if (!grant) throw new Error(`${jobId} was not offered`);
    await scene.host.release(grant);
    expect((await scene.host.report(grant, 'fail', misfit)).status).toBe(409);
    expect(await changeHost(scene.host)).toMatchObject({ set_aside_reason: null });
  });

  it('gets no job by a poll that waited meanwhile', async () => {
    const waiting = scene.host.ask(build('2'), 20);
    const hosts = async () => (await queue().numbers()).hosts;
    await expect.poll(hosts).toContainEqual({ state: 'idle', build: '2', count: 1, clocksOff: 0 });
    const unfit = bindings.DB.prepare("UPDATE hosts SET unfit_build = '2' WHERE token_sha256 = ?");
    await unfit.bind(await sha256Hex(scene.host.token)).run();
    vi.setSystemTime(Date.now() + MINUTE);
    await submit(scene.account.metered, { renderer: 'cs2' });
    expect((await waiting).headers.get('X-Host-State')).toBe('set aside');
  });

  it('gets jobs while the index does not answer', async () => {
    const faulty = createFaultyService();
    const host = faulty.host((await createHost()).token);
    await host.ask(build('2'));
    faulty.fail('DB', 'the index is away', { times: 100 });
    const answer = await host.ask(build('2'));
    expect([answer.status, answer.headers.get('X-Host-State')]).toEqual([204, null]);
  });
});

describe('the order of claims', () => {
  /** Claims from a service that requires a version. */
  async function claimAs(agent_version: string): Promise<Response> {
    const app = createApp(createService({ ...bindings, MIN_AGENT_VERSION: '1.4.0' } as typeof bindings));
    const headers = { Authorization: `Bearer ${(await createHost()).token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ capabilities: { ...CAPABILITIES, max_fps: 5, agent_version }, wait_s: 0 });
    const context = createExecutionContext();
    const response = await app(new Request(`${BASE_URL}/gateway/v1/claim`, { method: 'POST', headers, body }), context);
    await waitOnExecutionContext(context);
    return response;
  }

  it('a host below the minimum version gets the reason, and is listed', async () => {
    const refused = await claimAs('1.3.9');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      type: expect.stringMatching(/#agent_outdated$/),
      detail: 'This host is of version 1.3.9; 1.4.0 or newer gets work.',
    });
    const seen = bindings.DB.prepare("SELECT COUNT(*) AS n FROM hosts WHERE capabilities LIKE '%1.3.9%'");
    expect(await seen.first('n')).toBe(1);
  });

  /** Returns how long the dispatcher holds a poll, in seconds, when the host asks for this long. */
  async function heldFor(wait_s: number, random: number): Promise<number> {
    const asked: number[] = [];
    const next: DispatcherRpc['next'] = async ({ waitMs }) => {
      asked.push(waitMs / 1000);
      return null;
    };
    const service = createService({ ...bindings, DISPATCHER: { getByName: () => ({ next }) } as never });
    const app = createApp({ ...service, now: () => 0, random: () => random });
    const response = await app(
      new Request(`${BASE_URL}/gateway/v1/claim`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${(await createHost()).token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ capabilities: CAPABILITIES, wait_s }),
      }),
      createExecutionContext(),
    );
    expect(response.status).toBe(204);
    return asked[0] ?? Number.NaN;
  }

  describe('a poll', () => {
    it('is held 20 to 25 seconds, however long its host would wait, so that hosts do not poll in step', async () => {
      expect([await heldFor(30, 0), await heldFor(30, 0.5), await heldFor(30, 0.999_999)]).toEqual([
        20, 22.5, 24.999995,
      ]);
    });

    it('is held no longer than its host asks for', async () => {
      expect([await heldFor(3, 0.5), await heldFor(0, 0.5)]).toEqual([3, 0]);
    });
  });

  const scene = useScenario();
  const HOUR = 3_600_000;
  const queue = () => dispatcherOf(bindings.DISPATCHER);
  const build = (game_build: string) => ({ renderer: 'cs2', game_build });

  beforeEach(async () => {
    await resetQueue();
  });

  /** Creates a job that a host with this build has refused. */
  async function refused(by: string): Promise<string> {
    const jobId = await submit(scene.account.metered, { renderer: 'cs2' });
    await refuse(jobId, by);
    return jobId;
  }

  async function refuse(jobId: string, by: string, refused_build: string | undefined = by): Promise<void> {
    const grant = await scene.host.claim(build(by), 20);
    expect(grant?.job_id).toBe(jobId);
    if (!grant) return;
    const failed = await scene.host.report(grant, 'fail', { code: 'demo_incompatible', detail: 'no', refused_build });
    expect(failed.status).toBe(204);
  }

  const job = (jobId: string) => readJob(scene.account.metered, jobId);
  const ended = { status: 'error', error_code: 'demo_incompatible' };

  describe('a demo that a build of the game refuses', () => {
    const crashes = (demo: string) => ({ crashed_loading: { demo: demo.repeat(64), has_recorded: true } });
    it.each<[string, object[], boolean, boolean]>([
      ['one demo, by three links, crashes the game of two hosts', ['a', 'a', 'a'].map(crashes), true, false],
      ['three demos crash the game of one host', ['a', 'b', 'c'].map(crashes), false, true],
      ['three players are signed in there', Array(3).fill({ own_match: true }), false, false],
    ])('%s', { tags: ['long'] }, async (_, causes, isBoth, isSetAside) => {
      const hosts = [scene.host, await createHost()];
      for (const [at, cause] of causes.entries()) {
        const demo_url = `https://demos.example.com/m.dem?signed=${at}`;
        const jobId = await submit(scene.account.metered, { renderer: 'cs2', demo_url });
        for (const host of hosts) {
          const grant = await host.claim(build('1'), 20);
          expect(grant?.job_id).toBe(jobId);
          if (!grant) return;
          await host.heartbeat(grant);
          const body = { code: 'cs2_unavailable', detail: 'it crashed', ...cause };
          const isFailing = isBoth || host === scene.host;
          await (isFailing ? host.report(grant, 'fail', body) : host.finish(grant));
          if (host === scene.host) await ringEvicted(jobId, Date.now() + 20_000);
        }
        await expect.poll(() => job(jobId)).toMatchObject(isBoth ? ended : { status: 'done' });
      }
      const { hosts: states } = await queue().numbers();
      expect(states.some(({ state }) => state === 'set aside')).toBe(isSetAside);
    });

    it('waits for a build that was there within a day, and no longer', { tags: ['long'] }, async () => {
      await (await createHost()).claim(build('2'));
      vi.setSystemTime(Date.now() + 12 * HOUR);
      const jobId = await refused('1');
      await ringEvicted(jobId, Date.now() + 11 * HOUR);
      await leaveMemory(queue());
      expect(await job(jobId)).toMatchObject({ status: 'pending' });
      await ringEvicted(jobId, Date.now() + 2 * HOUR);
      expect(await job(jobId)).toMatchObject(ended);
    });
  });

  const DEMO = 'https://demos.example.com/a.dem?signed=1';
  const OTHER = 'https://demos.example.com/b.dem';

  let mine: TestAccount;
  let host: TestHost;

  beforeAll(async () => {
    mine = await createAccount();
    host = await createHost();
  });

  /** Returns the job that a host with these demos gets, and fails it. */
  async function claim(demo_keys: readonly string[] = []): Promise<Grant> {
    const grant = await (await host.ask({}, 20, { demo_keys })).json<Grant>();
    await host.heartbeat(grant);
    await host.report(grant, 'fail', { code: 'demo_404', detail: 'It is not there.' });
    return grant;
  }

  async function keysOf(account: TestAccount, demo_url: string): Promise<{ demo: string; account: string }> {
    const jobId = await submit(account.metered, { demo_url });
    const grant = await claim();
    expect(grant.job_id).toBe(jobId);
    return { demo: grant.demo_key ?? '', account: grant.account_key ?? '' };
  }

  const keyOf = async (account: TestAccount, demoUrl: string) => (await keysOf(account, demoUrl)).demo;

  describe('the key of a demo', () => {
    it('identifies an account and an address with its query, and reveals neither', { tags: ['long'] }, async () => {
      const key = await keyOf(mine, DEMO);
      expect(key).toMatch(/^[0-9a-f]{32}$/);
      expect(await keyOf(mine, DEMO)).toBe(key);
      const others = [
        await keyOf(await createAccount(), DEMO),
        await keyOf(mine, DEMO.replace('signed=1', 'signed=2')),
        await keyOf(mine, OTHER),
      ];
      expect(new Set([key, ...others]).size).toBe(4);
    });

    it('comes with one of the account alone, the same for all its demos', { tags: ['long'] }, async () => {
      const first = await keysOf(mine, DEMO);
      expect(first.account).toMatch(/^[0-9a-f]{32}$/);
      expect((await keysOf(mine, OTHER)).account).toBe(first.account);
      expect((await keysOf(await createAccount(), DEMO)).account).not.toBe(first.account);
    });

    it('has a host that kept the demo get a job of it before others of its account', { tags: ['long'] }, async () => {
      const key = await keyOf(mine, DEMO);
      const first = await submit(mine.metered, { demo_url: OTHER });
      const second = await submit(mine.metered, { demo_url: DEMO });
      const third = await submit(mine.metered, { demo_url: DEMO });
      // All jobs are queued before the first claim.
      for (const jobId of [first, second, third]) await fireAlarm(jobId);
      expect((await claim([key])).job_id).toBe(second);
      expect((await claim(['0'.repeat(32)])).job_id).toBe(first);
      expect((await claim([key])).job_id).toBe(third);
    });
  });
});

describe('why a job waits', () => {
  const scene = useScenario();
  const MINUTE = 60_000;
  const RADAR = { renderer: 'radar' };
  const game = (game_build: string) => ({ renderer: 'cs2', game_build });

  beforeEach(resetQueue);

  const get = async <T>(path: string) => (await sendJson(ADMIN_TOKEN, 'GET', path)).json<T>();
  const story = async (jobId: string) => (await get<{ queue: object | null }>(`/admin/jobs/${jobId}`)).queue;
  const asClient = async (jobId: string) =>
    ((await readJob(scene.account.metered, `${jobId}?include=queue`)) as unknown as { queue: { text: string } | null })
      .queue;
  const listed = async () => {
    const { jobs } = await get<{ jobs: { waits: string | null }[] }>(`/admin/jobs?account=${scene.account.id}`);
    return jobs.map(({ waits }) => waits ?? '').toSorted();
  };
  const overview = () => get<Overview>('/admin/overview?days=1');
  const change = (body: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, body);

  /** Submits a job, which is queued when this resolves. */
  async function queued(request: object = {}, key = scene.account.metered): Promise<string> {
    const jobId = await submit(key, { fps: 60, ...request });
    await fireAlarm(jobId);
    return jobId;
  }

  describe('a job that waits', () => {
    it('says the same to its client, in its story, in lists and in the overview', { tags: ['long'] }, async () => {
      const host = await createHost();
      const [first, second] = [await queued({ renderer: 'cs2' }), await queued({ renderer: 'cs2' })];
      const grant = await host.claim(game('1'), 20);
      expect(grant?.job_id).toBe(first);
      if (grant) await host.heartbeat(grant);
      const text = 'The only host that can render 1080p at 60 fps with the game is busy.';
      const busy = { reason: 'hosts_busy', text, hosts: 1, until: null };
      expect(await asClient(second)).toEqual({ ...busy, renderer: 'cs2', position: 1, estimate_s: null });
      expect(await story(second)).toEqual(await asClient(second));
      expect(await story(first)).toBeNull();
      await expect.poll(listed).toEqual(['', text]);
      const needs = { resolution: 1080, fps: 60, renderer: 'cs2', labels: [], skills: [], refused_builds: [] };
      expect((await overview()).waits).toEqual([{ ...busy, jobs: 1, oldest_s: expect.any(Number), needs }]);
      await sendJson(scene.account.metered, 'POST', `/api/jobs/${second}/cancel`);
      expect((await overview()).waits).toEqual([]);
    });

    it('says what its account requires and no host has, with labels only to operators', {
      tags: ['long'],
    }, async () => {
      await change({ renderer: 'cs2', labels: ['eu'] });
      vi.setSystemTime(Date.now() + 30_001);
      await (await createHost()).claim(RADAR);
      const jobId = await queued();
      const start = 'No host can render 1080p at 60 fps with the game for';
      expect((await asClient(jobId))?.text).toBe(
        `${start} the account: none has the game, none is one that the account requires.`,
      );
      const text = `${start} eu: none has the game, none has the label eu.`;
      expect(await story(jobId)).toMatchObject({ reason: 'no_host', text, hosts: 0 });
      await expect.poll(listed).toEqual([text]);
      const unservable = async () => {
        const { waits, firing } = await overview();
        const metrics = await sendJson('a-token-for-scraping', 'GET', '/metrics');
        const [, jobs] = /^tickreel_jobs_unservable (\d+)$/m.exec(await metrics.text()) ?? [];
        const isFiring = firing.some(({ alert }) => alert === 'JobsWithoutHost');
        return [waits[0]?.reason, jobs, isFiring];
      };
      expect(await unservable()).toEqual(['no_host', '1', false]);
      vi.setSystemTime(Date.now() + 6 * MINUTE);
      await (await createHost()).claim(RADAR);
      expect(await unservable()).toEqual(['no_host', '1', true]);
      await change({ renderer: null, labels: [] });
    });

    it('says until when the hosts are held, or that their account is suspended', { tags: ['long'] }, async () => {
      const host = await createHost();
      const grant = await host.claimJob(await queued());
      const { lease } = await get<{ lease: { host_id: string } }>(`/admin/jobs/${grant.job_id}`);
      await host.report(grant, 'fail', { code: 'demo_404', detail: '' });
      const { host_id } = lease;
      const until = new Date(Date.now() + 60 * MINUTE).toISOString();
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host_id}`, { hold: 'paused', until });
      const jobId = await queued();
      expect(await story(jobId)).toMatchObject({
        reason: 'hosts_held',
        until,
        text: expect.stringContaining('held by the operator'),
      });
      await change({ suspended: true });
      expect(await asClient(jobId)).toMatchObject({ reason: 'account_suspended', position: null });
      await change({ suspended: false });
      expect((await overview()).waits).toMatchObject([{ reason: 'hosts_held', jobs: 1 }]);
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host_id}`, { hold: null });
      expect(await story(jobId)).toMatchObject({ reason: 'in_turn', hosts: 1 });
    });

    it('waits for hosts that have not called since a restart, because they may be able to do less', {
      tags: ['long'],
    }, async () => {
      const host = await createHost();
      await host.claim(RADAR);
      vi.setSystemTime(Date.now() + MINUTE);
      await host.claim(RADAR);
      const jobId = await queued();
      expect(await story(jobId)).toMatchObject({ reason: 'in_turn', hosts: 1 });
      await leaveMemory(dispatcherOf(bindings.DISPATCHER));
      expect(await story(jobId)).toMatchObject({ reason: 'hosts_awaited', hosts: 0 });
    });

    it('says that its slots are in use, and after a failure that it is tried again and avoids the host', async () => {
      await change({ provisioned_slots: 1 });
      const host = await createHost();
      const first = await queued({}, scene.account.reserved);
      const second = await queued({}, scene.account.reserved);
      const grant = await host.claim(RADAR, 20);
      if (!grant) throw new Error('there was no job');
      await host.heartbeat(grant);
      expect(await story(second)).toMatchObject({
        reason: 'slots_in_use',
        text: expect.stringMatching(/^1 provisioned slot of the account is in use\. The only host /),
      });
      await host.report(grant, 'fail', { code: 'cs2_unavailable', detail: '' });
      expect(await story(first)).toMatchObject({ reason: 'retry_later', until: expect.any(String) });
      await expect.poll(listed).toEqual([expect.any(String), 'It waits for its next attempt.']);
      await (await createHost()).claim({ ...RADAR, max_fps: 30 });
      await pass(20_000, first);
      const other = await createHost();
      expect((await other.claim(RADAR, 20))?.job_id).toBe(second);
      expect(await story(first)).toMatchObject({ reason: 'host_avoided', until: expect.any(String) });
    });

    it('says when the radar takes over, and that a host which can was seen today', async () => {
      const jobId = await queued({ fallback: 'radar' });
      await (await createHost()).claim(RADAR);
      const radar = / The radar makes the clip if this lasts until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/;
      expect(await asClient(jobId)).toMatchObject({ reason: 'no_host', text: expect.stringMatching(radar) });
      vi.setSystemTime(Date.now() + 2000);
      const player = await createHost();
      const grant = await player.claim(game('1'), 20);
      if (grant) await player.report(grant, 'fail', { code: 'demo_404', detail: '' });
      const other = await queued({ fallback: 'radar' });
      vi.setSystemTime(Date.now() + 4 * MINUTE);
      expect((await overview()).waits).toMatchObject([{ reason: 'hosts_gone' }]);
      await leaveMemory(dispatcherOf(bindings.DISPATCHER));
      expect((await overview()).waits).toMatchObject([{ reason: 'hosts_awaited' }]);
      expect((await asClient(other))?.text).toMatch(/^The service has just started/);
    });
  });
});
