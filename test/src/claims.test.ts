import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import type { DispatcherRpc } from '#rpc/dispatcher.ts';
import { createService, dispatcherOf } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { createAccount, createHost, type TestAccount } from '../support/accounts.ts';
import { fireAlarm, leaveMemory, queueLength, resetQueue, ringEvicted, useScenario } from '../support/scenario.ts';
import { BASE_URL, bindings, readJob, submit } from '../support/service.ts';
import { CAPABILITIES, type TestHost } from '../support/test-host.ts';

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

it.each(['1.4.0', '2.0.0'])('a host of version %s gets work', async (version) => {
  expect((await claimAs(version)).status).toBe(204);
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
    expect([await heldFor(30, 0), await heldFor(30, 0.5), await heldFor(30, 0.999_999)]).toEqual([20, 22.5, 24.999995]);
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
  const jobId = await submit(scene.account.metered);
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
  it('waits for another build of the fleet, shows that, and is rendered there', { tags: ['long'] }, async () => {
    const other = await createHost();
    expect(await other.claim(build('2'))).toBeNull();
    const jobId = await refused('1');
    expect(await job(jobId)).toMatchObject({ status: 'retrying', error_code: 'demo_incompatible' });
    await ringEvicted(jobId, Date.now() + 20_000);
    await expect.poll(queueLength).toBe(1);
    expect(await scene.host.claim(build('1'))).toBeNull();
    const grant = await other.claim(build('2'), 20);
    expect(grant?.job_id).toBe(jobId);
    if (grant) await other.finish(grant);
    expect(await job(jobId)).toMatchObject({ status: 'done', error_code: null });
  });

  it('fails at once if the fleet has no other', async () => {
    const jobId = await refused('1');
    await expect.poll(() => job(jobId)).toMatchObject(ended);
    await ringEvicted(jobId, Date.now() + HOUR);
    expect(await job(jobId)).toMatchObject(ended);
  });

  it('fails with the last build that refuses it', async () => {
    const other = await createHost();
    await other.claim(build('2'));
    const jobId = await refused('1');
    await ringEvicted(jobId, Date.now() + 20_000);
    await refuse(jobId, '2');
    await expect.poll(() => job(jobId)).toMatchObject(ended);
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

  it('has a host that kept the demo get a job of it before others of its account', async () => {
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

  it('is refused if it is invalid, or if there are too many', async () => {
    for (const demo_keys of [['A'.repeat(32)], ['a'], Array.from({ length: 17 }, () => 'a'.repeat(32))]) {
      expect((await host.ask({}, 0, { demo_keys })).status).toBe(400);
    }
  });
});
