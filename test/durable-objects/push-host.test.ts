import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { leaseOf } from '#domain/job/job.ts';
import { Dispatcher } from '#durable-objects/dispatcher/dispatcher.ts';
import { dispatcherOf } from '#service/lib/service.ts';
import { createHost } from '../support/accounts.ts';
import { evictAll, loseQueue, PushTestHost, storedJob, until } from '../support/push-test-host.ts';
import { fireAlarm, pass, queueLength, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, sendJson, submit } from '../support/service.ts';

const scene = useScenario();
const hosts: PushTestHost[] = [];

async function register(...args: Parameters<typeof PushTestHost.register>): Promise<PushTestHost> {
  const host = await PushTestHost.register(...args);
  hosts.push(host);
  return host;
}

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.revoke();
  await loseQueue();
});

const statusOf = async (job: string) => (await readJob(scene.account.metered, job)).status;
/** Waits until a job that its host refused is queued again, before a test makes the dispatcher crash. */
async function untilFree(job: string): Promise<void> {
  await until(async () => (await statusOf(job)) === 'pending');
  await fireAlarm(job);
}

describe('a push host', () => {
  it('is sent the same grant as the answer to a claim, and uses the same protocol', async () => {
    const host = await register();
    const job = await submit(scene.account.metered);
    const grant = await host.grant();
    expect(await host.grants()).toMatchObject([{ job_id: job, lease: { fence: 1, ttl_s: 60 } }]);
    expect((await host.inbox.received())[0]?.headers).toMatchObject({ 'x-service-hop': 'push' });
    expect((await host.finish(grant)).status).toBe(204);
    expect(await storedJob(job)).toMatchObject({ status: 'done', attempt: 1 });
    await host.revoke();
    const other = await submit(scene.account.metered);
    const polled = await scene.host.claimJob(other);
    expect(Object.keys(polled).sort()).toEqual(Object.keys(grant).sort());
  });

  it('has a whole term from its 202 to its first heartbeat', async () => {
    const host = await register();
    const job = await submit(scene.account.metered);
    const grant = await host.grant();
    await untilConfirmed(job);
    await pass(59_000, job);
    expect((await host.heartbeat(grant)).status).toBe(204);
    await pass(59_000, job);
    expect(await storedJob(job)).toMatchObject({ status: 'render', attempt: 1 });
  });

  it('has as many jobs as it has slots, the next one when one has ended, and never one that it cannot do', async () => {
    const host = await register('202', {
      slots: 2,
      capabilities: { renderer: 'radar', max_resolution: 1080, max_fps: 60, game_build: null },
    });
    const beyond = await submit(scene.account.metered, { fps: 120 });
    const jobs = [];
    for (let n = 1; n <= 3; n++) {
      jobs.push(await submit(scene.account.metered));
      // Calls of a host run concurrently, so this waits for each.
      if (n <= 2) await host.grant(n);
    }
    const [first] = await host.grants();
    expect((await host.grants()).map(({ job_id }) => job_id)).toEqual(jobs.slice(0, 2));
    if (first) await host.finish(first);
    await host.grant(3);
    expect((await host.grants()).map(({ job_id }) => job_id)).toEqual(jobs);
    expect(await statusOf(beyond)).toBe('pending');
  });

  it('is sent jobs after a first registration with the dispatcher has failed', async () => {
    const unreachable = vi.spyOn(Dispatcher.prototype, 'registerPushHost').mockRejectedValue(new Error('it was reset'));
    const host = await register();
    expect(unreachable).toHaveBeenCalled();
    unreachable.mockRestore();
    const job = await submit(scene.account.metered);
    await untilFree(job);
    expect(await host.grants()).toEqual([]);
    await host.rest();
    expect(await host.grant()).toMatchObject({ job_id: job });
  });

  it('is sent jobs by evicted objects, whatever dies, and each job is done once', async () => {
    const host = await register('500,reset,202');
    await evictAll(host);
    const job = await submit(scene.account.metered);
    for (let calls = 1; calls < 3; calls++) {
      await untilGranted(host, calls, job);
      await untilFree(job);
      await host.rest();
      await evictAll(host);
      await pass(60_000, job);
    }
    await untilGranted(host, 3, job);
    const grant = await host.grant(3);
    await untilConfirmed(job);
    await evictAll(host);
    expect((await host.heartbeat(grant)).status).toBe(204);
    await pass(20_000, job);
    expect((await host.finish(grant)).status).toBe(204);
    expect(await storedJob(job)).toMatchObject({ status: 'done', attempt: 1 });
    expect(await host.grants()).toHaveLength(3);
  });
});

/** The job offers itself again a minute later if its offer met a dispatcher that was dying. */
async function untilGranted(host: PushTestHost, count: number, job: string): Promise<void> {
  for (let tries = 1; (await host.inbox.received()).length < count; tries++) {
    if (tries === 5000) throw new Error(`${count} grants were not sent`);
    if (tries % 500 === 0) await pass(60_000, job);
  }
}

/** The service has the host's answer: the grant is not revoked within seconds. */
const untilConfirmed = (job: string) => until(async () => leaseOf(await storedJob(job))?.isConfirmed === true);

describe('a host without a free slot', () => {
  it.each(['429:30', '503:30'])(
    'answers %s, and is called again after that time; the job keeps its place',
    async (answer) => {
      const host = await register(`${answer},202`);
      const job = await submit(scene.account.metered);
      await host.grant();
      await untilFree(job);
      const later = await submit(scene.account.metered);
      expect(await storedJob(job)).toMatchObject({ attempt: 0, fence: 1 });
      expect(((await host.alarmAt()) ?? 0) - Date.now()).toBe(30_000);
      await host.rest();
      expect(await host.grant(2)).toMatchObject({ job_id: job, lease: { fence: 2 } });
      expect(await statusOf(later)).toBe('pending');
    },
  );

  it('leaves its job to a polling host', async () => {
    const host = await register('503:3600');
    const job = await submit(scene.account.metered);
    await host.grant();
    await untilFree(job);
    expect((await scene.host.claimJob(job)).lease.fence).toBe(2);
    expect(await host.grants()).toHaveLength(1);
  });

  it('that sends no Retry-After counts as failed', async () => {
    const host = await register('503');
    const job = await submit(scene.account.metered);
    await host.grant();
    await untilFree(job);
    const wait = ((await host.alarmAt()) ?? 0) - Date.now();
    expect(wait).toBeGreaterThanOrEqual(500);
    expect(wait).toBeLessThanOrEqual(1000);
  });
});

describe('a host that does not answer as it should', () => {
  it.each(['500', '200', '302', 'reset', 'close'])('and answers %s gets its job again after a rest', async (answer) => {
    const host = await register(`${answer},202`);
    const job = await submit(scene.account.metered);
    const lost = await host.grant();
    await untilFree(job);
    expect((await host.heartbeat(lost)).status).toBe(409);
    expect(await storedJob(job)).toMatchObject({ attempt: 0, fence: 1 });
    await host.rest();
    const grant = await host.grant(2);
    expect(grant.lease.fence).toBe(2);
    expect((await host.heartbeat(lost)).status).toBe(409);
    expect((await host.finish(grant)).status).toBe(204);
    expect(await statusOf(job)).toBe('done');
  });

  it('and has another time in its answer is logged with the seconds', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    // The receiver has the real time, and the tests' clock is a year ahead.
    const host = await register('401');
    const job = await submit(scene.account.metered);
    await host.grant();
    await untilFree(job);
    const lines = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('a push host rests'));
    expect(lines).toEqual([expect.stringMatching(/"why":"it answered 401, and its clock is \d{8} s behind ours"/)]);
    logged.mockRestore();
  });

  it('within eight seconds is cut off', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
    const host = await register('hang,202');
    const job = await submit(scene.account.metered);
    await host.grant();
    expect(await statusOf(job)).toBe('prefetch');
    await host.waitFor(8000);
    await untilFree(job);
    await host.rest();
    expect(await host.grant(2)).toMatchObject({ job_id: job, lease: { fence: 2 } });
  });

  it('but sends heartbeats keeps the job', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
    const host = await register('hang');
    const job = await submit(scene.account.metered);
    const grant = await host.grant();
    expect((await host.heartbeat(grant)).status).toBe(204);
    await host.waitFor(8000);
    await until(async () => (await host.alarmAt()) !== null);
    expect((await host.finish(grant)).status).toBe(204);
    expect(await storedJob(job)).toMatchObject({ status: 'done', attempt: 1 });
  });

  it('three times in a row is tried with one job at a time, until it takes one', async () => {
    const host = await register('500,500,500,202', { slots: 2 });
    const waits: number[] = [];
    const job = await submit(scene.account.metered);
    for (let failures = 1; failures <= 3; failures++) {
      await host.grant(failures);
      await untilFree(job);
      waits.push(((await host.alarmAt()) ?? 0) - Date.now());
      if (failures < 3) await host.rest();
    }
    waits.forEach((wait, n) => {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** n);
      expect(wait).toBeLessThanOrEqual(1000 * 2 ** n);
    });
    const second = await submit(scene.account.metered);
    await untilFree(second);
    await host.inbox.answerWith('500');
    await host.rest();
    await host.grant(4);
    await untilFree(job);
    expect(await host.grants()).toHaveLength(4);
    await host.inbox.answerWith('202');
    await host.rest();
    await host.grant(6);
    const sent = (await host.grants()).slice(4).map(({ job_id }) => job_id);
    expect(sent).toEqual([job, second]);
    expect(await host.alarmAt()).toBeNull();
  });
});

describe('a push host, as operators see it,', () => {
  const view = async (host: PushTestHost) =>
    (await sendJson(ADMIN_TOKEN, 'GET', `/admin/hosts/${host.id}`)).json<Record<string, unknown>>();
  const resting = async () => {
    const { hosts: states } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/overview')).json<{
      hosts: { resting?: number };
    }>();
    return states.resting ?? 0;
  };

  it.each([
    ['401', /^it answered 401/],
    ['503:60', /^it answered 503$/],
  ])('that answers %s rests, with the reason, until it takes a job; evicted or not', async (answer, why) => {
    const host = await register(`${answer},202`);
    const before = await resting();
    expect(await view(host)).toMatchObject({ state: 'idle', resting_until: null, resting_reason: null });
    const job = await submit(scene.account.metered);
    await host.grant();
    await untilFree(job);
    const end = new Date((await host.alarmAt()) ?? 0).toISOString();
    const rests = { state: 'resting', resting_until: end, resting_reason: expect.stringMatching(why) };
    expect(await view(host)).toMatchObject(rests);
    expect(await resting()).toBe(before + 1);
    await evictAll(host);
    expect(await view(host)).toMatchObject(rests);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await view(host)).toMatchObject(rests);
    await host.rest();
    await host.grant(2);
    await untilConfirmed(job);
    await until(async () => (await view(host)).state === 'busy');
    expect(await view(host)).toMatchObject({ resting_until: null, resting_reason: null });
    expect(await resting()).toBe(before);
  });

  it('that falls silent with a job is lost until it takes one again', async () => {
    const host = await register('202');
    vi.setSystemTime(Date.now() + 3_600_000);
    const job = await submit(scene.account.metered);
    await host.grant();
    await until(async () => (await view(host)).state === 'busy');
    await pass(60_000, job);
    await until(async () => (await view(host)).state === 'lost');
    await evictAll(host);
    expect(await view(host)).toMatchObject({ state: 'lost', last_seen: new Date(Date.now() - 60_000).toISOString() });
    await pass(3_600_000, job);
    await untilGranted(host, 2, job);
    await untilConfirmed(job);
    await until(async () => {
      // An abort may have interrupted the effect.
      await fireAlarm(job);
      return (await view(host)).state === 'busy';
    });
  });

  it('whose recorder does not fit its build is sent nothing until an operator resumes it', async () => {
    const host = await register('202', { slots: 2 });
    const job = await submit(scene.account.metered);
    const grant = await host.grant();
    await untilConfirmed(job);
    const misfit = { code: 'cs2_unavailable', detail: 'no hook', unfit_build: '2' };
    expect((await host.report(grant, 'fail', misfit)).status).toBe(204);
    expect(await view(host)).toMatchObject({ state: 'set aside', set_aside_reason: '2: no hook' });
    await evictAll(host);
    await pass(3_600_000, job);
    await runDurableObjectAlarm(host.object);
    expect(await statusOf(job)).toBe('pending');
    expect(await host.inbox.received()).toHaveLength(1);
    const resumed = await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host.id}`, { set_aside: false });
    expect(await resumed.json()).toMatchObject({ set_aside_reason: null });
    expect(await host.grant(2)).toMatchObject({ job_id: job });
  });
});

describe('a job with a fallback that only a push host could do', () => {
  const capabilities = { renderer: 'cs2', max_resolution: 1440, max_fps: 120, game_build: '1' } as const;
  const asked = () => submit(scene.account.metered, { fallback: 'radar' });
  /** Advances the clock by minutes, in each of which the object of the host wakes up. */
  async function wait(minutes: number, job: string, each: () => Promise<unknown>): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await each();
      await pass(60_000, job);
    }
    await fireAlarm(job);
  }

  it.each([
    ['503:60', false],
    ['503:60', true],
    ['500', false],
    ['500', true],
  ])('falls back if the host answers %s for ten minutes; both objects are evicted: %s', async (answer, evicts) => {
    const host = await register(answer, { capabilities });
    vi.setSystemTime(Date.now() + 3_600_000);
    const job = await asked();
    await host.grant();
    await untilFree(job);
    await wait(15, job, async () => {
      if (evicts) await evictAll(host);
      await runDurableObjectAlarm(host.object);
    });
    expect(await storedJob(job)).toMatchObject({ status: 'pending', renderer: 'radar' });
  });

  it.each([false, true])('waits while the host works; both objects are evicted: %s', async (evicts) => {
    const host = await register('503:60,202', { capabilities });
    const first = await asked();
    await host.grant();
    await untilFree(first);
    await host.rest();
    const grant = await host.grant(2);
    await untilConfirmed(first);
    const job = await asked();
    await wait(40, job, async () => {
      await host.heartbeat(grant);
      if (evicts) await evictAll(host);
    });
    expect(await storedJob(job)).toMatchObject({ status: 'pending', renderer: 'cs2' });
    await host.finish(grant);
    expect((await host.grant(3)).job_id).toBe(job);
  });
});

describe('the operator', () => {
  const push = (overrides: object) => ({
    name: 'host',
    push: {
      url: 'https://gpu.example.com/grants',
      slots: 1,
      capabilities: { renderer: 'radar', max_resolution: 1080, max_fps: 60, game_build: null },
      ...overrides,
    },
  });

  it.each([
    [{ url: `${BASE_URL}/grants` }, 'push.url'],
    [{ url: 'ftp://gpu.example.com' }, 'push.url'],
    [{ url: 'https://name:secret@gpu.example.com' }, 'push.url'],
    [{ slots: 0 }, 'push.slots'],
    [{ slots: 1001 }, 'push.slots'],
  ])('is refused %o', async (overrides, path) => {
    const response = await sendJson(ADMIN_TOKEN, 'POST', '/admin/hosts', push(overrides));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path }] });
  });

  it('sets secret headers, which are sent with each grant and shown nowhere', async () => {
    const host = await register('202', { slots: 2 });
    const put = (headers: object, id = host.id) =>
      sendJson(ADMIN_TOKEN, 'PUT', `/admin/hosts/${id}/headers`, { headers });
    const secret = 'a-secret-of-cloudflare-access';
    expect((await put({ 'CF-Access-Client-Id': 'an-id', 'CF-Access-Client-Secret': secret })).status).toBe(204);
    await submit(scene.account.metered);
    await host.grant();
    await sendJson(ADMIN_TOKEN, 'POST', `/admin/hosts/${host.id}/rotate`);
    await submit(scene.account.metered);
    await host.grant(2);
    for (const { headers } of await host.inbox.received()) {
      expect(headers).toMatchObject({ 'cf-access-client-id': 'an-id', 'cf-access-client-secret': secret });
    }
    for (const path of ['/admin/hosts', '/admin/audit']) {
      const shown = await (await sendJson(ADMIN_TOKEN, 'GET', path)).text();
      expect(shown).toContain(host.id);
      expect(shown).not.toContain(secret);
    }
    const rows = await bindings.DB.prepare('SELECT * FROM hosts').all();
    expect(JSON.stringify(rows.results)).not.toContain(secret);
    expect((await put({})).status).toBe(204);
    const stored = await runInDurableObject(host.object, (_, { storage }) => [...storage.kv.list()]);
    expect(JSON.stringify(stored)).not.toContain(secret);
    await createHost();
    const { hosts: all } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/hosts?limit=100')).json<{
      hosts: { host_id: string; push: unknown }[];
    }>();
    expect((await put({ A: 'b' }, all.find(({ push: called }) => called === null)?.host_id)).status).toBe(404);
  });

  it.each([
    [{ 'Webhook-Signature': 'x' }],
    [{ host: 'x' }],
    [{ 'CF-Connecting-IP': '1.1.1.1' }],
    [{ 'a b': 'x' }],
    [{ A: 'x\r\nB: y' }],
    [Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`X-${i}`, 'x']))],
  ])('may not set the headers %o', async (headers) => {
    const response = await sendJson(ADMIN_TOKEN, 'PUT', `/admin/hosts/${crypto.randomUUID()}/headers`, { headers });
    expect(response.status).toBe(400);
  });

  it('pauses a host, which gets no jobs until it is resumed, also after an eviction', async () => {
    const host = await register('202', { slots: 2 });
    const change = (changes: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host.id}`, changes);
    expect(await (await change({ hold: 'paused' })).json()).toMatchObject({ state: 'paused' });
    await evictAll(host);
    const job = await submit(scene.account.metered);
    await pass(60_000, job);
    expect(await statusOf(job)).toBe('pending');
    expect(await (await change({ hold: null })).json()).toMatchObject({ held_until: null, push: { slots: 2 } });
    expect(await host.grant()).toMatchObject({ job_id: job, lease: { fence: 1 } });
  });

  it('pauses a host for a time, after which it is sent its job, by an evicted dispatcher that nobody calls', async () => {
    const host = await register();
    const dispatcher = () => dispatcherOf(bindings.DISPATCHER);
    const end = Date.now() + 3 * 60 * 60_000;
    const pause = { hold: 'paused', until: new Date(end).toISOString() };
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host.id}`, pause);
    const job = await submit(scene.account.metered);
    await until(async () => (await queueLength()) === 1);
    await evictAll(host);
    expect(await runInDurableObject(dispatcher(), (_, { storage }) => storage.getAlarm())).toBe(end);
    await evictAll(host);
    vi.setSystemTime(end);
    expect(await runDurableObjectAlarm(dispatcher())).toBe(true);
    expect(await host.grant()).toMatchObject({ job_id: job, lease: { fence: 1 } });
  });

  it('gives a host another token and secret, and takes both away', async () => {
    const host = await register();
    const { hosts: listed } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/hosts')).json<{
      hosts: { host_id: string; push: unknown }[];
    }>();
    expect(listed.find(({ host_id }) => host_id === host.id)?.push).toMatchObject({ url: host.inbox.url, slots: 1 });
    const rotated = await sendJson(ADMIN_TOKEN, 'POST', `/admin/hosts/${host.id}/rotate`);
    const { push_secret } = await rotated.json<{ push_secret: string }>();
    const job = await submit(scene.account.metered);
    await host.grant();
    expect(await host.grants(push_secret)).toMatchObject([{ job_id: job }]);
    await expect(host.grants()).rejects.toThrow('not signed');
    await host.revoke();
    expect(await runInDurableObject(host.object, (_, { storage }) => [...storage.kv.list()])).toEqual([]);
    const next = await submit(scene.account.metered);
    expect((await scene.host.claimJob(next)).lease.fence).toBe(1);
  });
});
