import { createExecutionContext, SELF, waitOnExecutionContext } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Grant } from '#protocol/gateway.ts';
import { dispatcherOf } from '#service/dispatcher.ts';
import { createService } from '#service/service.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { readKnownBuilds } from '#storage/game-builds.ts';
import { CAPABILITIES } from '../support/capabilities.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { hostOf } from '../support/host.ts';
import { resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, createHost, sendJson, submit } from '../support/service.ts';
import type { TestHost } from '../support/test-host.ts';

const scene = useScenario();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const GOOD = { passed: true };
const BAD = { passed: false, reason: 'ace.dem: black' };

/** Returns capabilities of a host with a build; `golden` is its own verdict. */
const build = (game_build: string, golden?: object) => ({ renderer: 'cs2', game_build, ...(golden && { golden }) });

beforeEach(async () => {
  await bindings.DB.prepare('DELETE FROM build_verdicts').run();
  await resetQueue();
});

/** Returns the state of a claim: whether the host is set aside, or may wait for a job. */
async function asks(host: TestHost, able: object): Promise<'waits' | string> {
  const answer = await host.ask(able);
  expect(answer.status).toBe(204);
  return answer.headers.get('X-Host-State') ?? 'waits';
}

/** Returns why a host is set aside, as its operator sees it. */
async function reasonFor(host: TestHost): Promise<unknown> {
  const named = bindings.DB.prepare('SELECT id FROM hosts WHERE token_sha256 = ?').bind(await sha256Hex(host.token));
  const view = await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${await named.first('id')}`, {});
  return (await view.json<Record<string, unknown>>()).set_aside_reason;
}

async function grantTo(host: TestHost, able: object): Promise<Grant> {
  const jobId = await submit(scene.account.metered);
  const grant = await host.claim(able, 20);
  if (grant?.job_id !== jobId) throw new Error(`the host got ${grant?.job_id ?? 'nothing'}`);
  return grant;
}

const verdicts = async () =>
  (await bindings.DB.prepare('SELECT * FROM build_verdicts ORDER BY demo_build, verdict').all()).results;

describe('a build of the game', () => {
  it('that nobody has recorded with gets jobs where no host has golden demos', async () => {
    expect(await asks(scene.host, build('2'))).toBe('waits');
  });

  it('gets jobs after it has passed, on hosts without golden demos too', async () => {
    const golden = hostOf(await createHost());
    await asks(golden, build('1', GOOD));
    expect(await asks(scene.host, build('2'))).toBe('set aside');
    await expect.poll(() => reasonFor(scene.host)).toBe('2: nothing was recorded with it yet');
    expect(await asks(golden, build('2', GOOD))).toBe('waits');
    expect(await asks(scene.host, build('2'))).toBe('waits');
    expect(await reasonFor(scene.host)).toBeNull();
  });

  it('that fails is set aside on all hosts until it passes on one, and then on the failing host alone', async () => {
    const [failing, passing] = [hostOf(await createHost()), hostOf(await createHost())];
    expect(await asks(failing, build('2', BAD))).toBe('set aside');
    expect(await asks(scene.host, build('2'))).toBe('set aside');
    await expect.poll(() => reasonFor(failing)).toBe('2: a golden demo failed: ace.dem: black');
    await expect.poll(() => reasonFor(scene.host)).toBe('2: golden demos of another host failed with it');
    expect(await asks(passing, build('2', GOOD))).toBe('waits');
    expect(await asks(scene.host, build('2'))).toBe('waits');
    expect(await asks(failing, build('2', BAD))).toBe('set aside');
    expect(await asks(failing, build('2', GOOD))).toBe('waits');
  });

  it('that fails leaves its job to a host that passes', async () => {
    const failing = hostOf(await createHost());
    const jobId = await submit(scene.account.metered);
    expect(await asks(failing, build('2', BAD))).toBe('set aside');
    const grant = await scene.host.claim(build('2', GOOD), 20);
    expect(grant?.job_id).toBe(jobId);
    if (grant) await scene.host.finish(grant);
  });

  it('that fails while a host waits with it gives that host no job', async () => {
    const failing = hostOf(await createHost());
    const waiting = failing.ask(build('2'), 20);
    const hosts = async () => (await dispatcherOf(bindings.DISPATCHER).numbers()).hosts;
    await expect.poll(hosts).toContainEqual({ state: 'idle', build: '2', count: 1, clocksOff: 0 });
    await asks(hostOf(await createHost()), build('2', BAD));
    vi.setSystemTime(Date.now() + MINUTE);
    const jobId = await submit(scene.account.metered);
    expect((await waiting).headers.get('X-Host-State')).toBe('set aside');
    expect((await scene.host.claim(build('2', GOOD), 20))?.job_id).toBe(jobId);
    expect(await hosts()).toContainEqual({ state: 'set aside', build: '2', count: 2, clocksOff: 0 });
  });

  it('is good once a client’s clip was made with it', async () => {
    const grant = await grantTo(scene.host, build('2'));
    const failing = hostOf(await createHost());
    await asks(failing, build('2', BAD));
    expect(await asks(scene.host, build('2'))).toBe('set aside');
    await scene.host.finish(grant, { game: { game_build: '2', demo_patch: 14160 } });
    await expect.poll(() => asks(scene.host, build('2'))).toBe('waits');
  });

  it('that is unproven waits for golden demos until a day after their last verdict', async () => {
    const golden = hostOf(await createHost());
    await asks(golden, build('1', GOOD));
    vi.setSystemTime(Date.now() + DAY - 1);
    expect(await asks(scene.host, build('2'))).toBe('set aside');
    vi.setSystemTime(Date.now() + 1);
    expect(await asks(scene.host, build('2'))).toBe('waits');
  });

  it('that is unproven gets no jobs where the operator refuses it', async () => {
    const app = createApp(createService({ ...bindings, UNPROVEN_BUILDS: 'refuse' } as typeof bindings));
    const token = await createHost();
    const ask = async (able: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ capabilities: { ...CAPABILITIES, ...able }, wait_s: 0 });
      const context = createExecutionContext();
      const request = new Request(`${BASE_URL}/gateway/v1/claim`, { method: 'POST', headers, body });
      const answer = await app(request, context);
      await waitOnExecutionContext(context);
      return answer.headers.get('X-Host-State');
    };
    expect(await ask(build('2'))).toBe('set aside');
    expect(await ask({})).toBeNull();
    expect(await ask(build('2', GOOD))).toBeNull();
    expect(await ask(build('2'))).toBeNull();
  });
});

it('a failed build may have jobs again a day after its host was last there', async () => {
  const failing = hostOf(await createHost());
  await asks(failing, build('2', BAD));
  vi.setSystemTime(Date.now() + DAY - 1);
  expect(await asks(scene.host, build('2'))).toBe('set aside');
  vi.setSystemTime(Date.now() + 1);
  expect(await asks(scene.host, build('2'))).toBe('waits');
});

it('golden demos that the game refuses bar no host: the setting for unproven builds decides', async () => {
  const golden = hostOf(await createHost());
  await asks(golden, build('1', GOOD));
  expect(await asks(scene.host, build('2'))).toBe('set aside');
  expect(await asks(golden, build('2', { passed: false, refused: true }))).toBe('waits');
  expect(await asks(scene.host, build('2'))).toBe('waits');
});

it('an operator may trust a build, and forget what is known of it', async () => {
  const change = async (method: string, name: string) =>
    (await sendJson(ADMIN_TOKEN, method, `/admin/builds/${name}`)).status;
  const failing = hostOf(await createHost());
  await asks(failing, build('2', BAD));
  expect(await change('PUT', '2')).toBe(204);
  expect(await asks(scene.host, build('2'))).toBe('waits');
  expect(await asks(failing, build('2', BAD))).toBe('set aside');
  expect(await verdicts()).toMatchObject([{ verdict: 'failed' }, { demo_build: 'operator', verdict: 'passed' }]);
  expect(await change('DELETE', '2')).toBe(204);
  expect(await verdicts()).toEqual([]);
  expect(await change('DELETE', '2')).toBe(404);
  expect(await change('PUT', '2%3Cb')).toBe(404);
});

it('hosts get jobs while the index does not answer, except those whose own demos failed', async () => {
  const faulty = createFaultyService();
  const host = faulty.host(await createHost());
  expect(await asks(host, build('2', BAD))).toBe('set aside');
  faulty.fail('DB', 'the index is away', { times: 100 });
  expect(await asks(host, build('2'))).toBe('waits');
  expect(await asks(host, build('2', GOOD))).toBe('waits');
  expect(await asks(host, build('2', BAD))).toBe('set aside');
});

describe('the list of verdicts', () => {
  const read = (path: string) => SELF.fetch(`${BASE_URL}${path}`);

  it('is for operators and the public, and has no host, account or demo', async () => {
    await asks(scene.host, build('2.b', GOOD));
    const grant = await grantTo(scene.host, build('2.b', GOOD));
    await scene.host.finish(grant, { game: { game_build: '2.b', demo_patch: 14160 } });
    await expect.poll(verdicts).toHaveLength(2);
    const at = { first_at: new Date().toISOString(), last_at: new Date().toISOString(), game_build: '2.b' };
    const listed = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/builds')).json<{ builds: object[] }>();
    expect(listed.builds).toHaveLength(2);
    expect(listed.builds).toContainEqual({ ...at, demo_build: '14160', verdict: 'passed', jobs: 1 });
    expect(listed.builds).toContainEqual({ ...at, demo_build: 'golden', verdict: 'passed', jobs: 0 });
    const page = await read('/status/builds');
    expect(page.headers.get('Cache-Control')).toBe('public, max-age=60');
    const text = await page.text();
    expect(text).toMatch(/2\.b.*14160/s);
    for (const secret of [grant.job_id, grant.order.demo_url, scene.account.id]) expect(text).not.toContain(secret);
  });

  it('is a minute old at most', async () => {
    vi.setSystemTime(Date.now() + DAY);
    await read('/status/builds');
    await asks(scene.host, build('3', GOOD));
    vi.setSystemTime(Date.now() + 59_999);
    expect(await (await read('/status/builds')).text()).not.toContain('<td>3<');
    vi.setSystemTime(Date.now() + 1);
    expect(await (await read('/status/builds')).text()).toContain('<td>3<');
  });
});

describe('verdicts', () => {
  it('are counted by the builds of game and demo, except golden ones', async () => {
    const refused = { code: 'demo_incompatible', detail: '', refused_build: '2', facts: { demo_patch: 14170 } };
    for (let i = 0; i < 2; i++) {
      const grant = await grantTo(scene.host, build('2', GOOD));
      await scene.host.finish(grant, { game: { game_build: '2', demo_patch: 14160 } });
    }
    expect((await scene.host.report(await grantTo(scene.host, build('2', GOOD)), 'fail', refused)).status).toBe(204);
    await scene.host.finish(await grantTo(scene.host, build('2')), { game: { game_build: '2' } });
    const row = { game_build: '2', verdict: 'passed' };
    await expect.poll(verdicts).toMatchObject([
      { ...row, demo_build: '14160', jobs: 2 },
      { ...row, demo_build: '14170', jobs: 1, verdict: 'refused' },
      { ...row, demo_build: 'golden', jobs: 0 },
      { ...row, demo_build: 'unknown', jobs: 1 },
    ]);
  });

  it('have a first and a last time, a golden one to the hour', async () => {
    const firstAt = Date.now();
    await asks(scene.host, build('2', GOOD));
    vi.setSystemTime(firstAt + DAY / 24 - 1);
    await asks(scene.host, build('2', GOOD));
    expect(await verdicts()).toMatchObject([{ first_at: firstAt, last_at: firstAt }]);
    vi.setSystemTime(firstAt + DAY / 24);
    await asks(scene.host, build('2', GOOD));
    expect(await verdicts()).toMatchObject([{ first_at: firstAt, last_at: Date.now() }]);
  });

  it('are deleted half a year after they were last given, and beyond the latest 10,000', async () => {
    const { service } = createFaultyService();
    const put = bindings.DB.prepare("INSERT INTO build_verdicts VALUES (?, 'golden', 'passed', 0, 1, ?)");
    const now = Date.now();
    await put.bind('1', now - 180 * DAY - 1).run();
    await put.bind('2', now - 180 * DAY).run();
    await runUpkeep(service, now);
    expect((await readKnownBuilds(service.database, ['1', '2', '3'], now)).passed).toEqual(new Set(['2']));
    const names = JSON.stringify(Array.from({ length: 10_100 }, (_, i) => i));
    await bindings.DB.prepare(
      "INSERT INTO build_verdicts SELECT 'b' || value, '', 'passed', 1, ?, ? + value FROM json_each(?)",
    )
      .bind(now, now, names)
      .run();
    await runUpkeep(service, now);
    const left = await bindings.DB.prepare('SELECT COUNT(*) AS n, MIN(last_at) AS first FROM build_verdicts').first();
    expect(left).toEqual({ n: 10_000, first: now + 100 });
  });
});
