import { createExecutionContext } from 'cloudflare:test';
import { encodeMatch } from 'csgo-sharecode';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { demoFileKey } from '#domain/storage-keys.ts';
import { sha256Hex } from '#platform/digest.ts';
import type { Demo } from '#protocol/demos.ts';
import { FOUND_DEMO } from '#protocol/examples.ts';
import type { Problem } from '#protocol/problem.ts';
import type { Upload } from '#protocol/uploads.ts';
import { createService } from '#service/service.ts';
import { createApp } from '#src/worker.ts';
import { hostOf } from '../support/host.ts';
import { BZ2, REPLAY, replayUrl } from '../support/replay-host.ts';
import { pass, resetQueue } from '../support/scenario.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bindings,
  createAccount,
  createHost,
  send,
  sendJson,
  submit,
  type TestAccount,
} from '../support/service.ts';
import { TestHost } from '../support/test-host.ts';

/** By then the first retry is due. */
const RETRIED_MS = 1.2 * (DEFAULT_SCHEDULE.retryWaits[0] ?? 0);
const SKILLS = { skills: ['inspect', 'uploads', 'steam'] };
let mine: TestAccount;
let host: TestHost;
let resolver: TestHost;

/** Sends to a Worker whose replays come from the stand-in. */
let here: ReturnType<typeof createApp>;
const sendHere: typeof send = (path, init = {}) => here(new Request(BASE_URL + path, init), createExecutionContext());

async function createResolver(): Promise<TestHost> {
  const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/hosts', { name: 'steam', resolver: true });
  return new TestHost((await made.json<{ token: string }>()).token, sendHere);
}

beforeAll(async () => {
  here = createApp(createService({ ...bindings, STEAM_REPLAY_ORIGIN: inject('replayOrigin') } as typeof bindings));
  mine = await createAccount();
  await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${mine.id}`, { limits: { steam_a_day: 1000 } });
  host = hostOf(await createHost());
  resolver = await createResolver();
});

let matches = 1n << 61n;
const newCode = () => encodeMatch({ matchId: ++matches, reservationId: matches + 7n, tvPort: 40_000 });

const post = (share_code: string, key = mine.metered) =>
  sendJson(key, 'POST', '/api/demos', { source: { kind: 'steam', share_code } });

async function ask(share_code = newCode(), account = mine) {
  const response = await post(share_code, account.metered);
  expect(response.status).toBe(202);
  return { code: share_code, demo: await response.json<Demo>() };
}

const read = async (id: string, key = mine.metered) => (await sendJson(key, 'GET', `/api/demos/${id}`)).json<Demo>();
const readUpload = async ({ demo_url }: Demo, key = mine.metered) =>
  (await sendJson(key, 'GET', new URL(demo_url).pathname)).json<Upload>();

const keyOf = ({ demo_url }: Demo) => demoFileKey(mine.id, new URL(demo_url).pathname.split('/').at(-1) ?? '');

/** Returns how many downloads have stalled. */
const stalls = async () => Number(await (await fetch(`${inject('replayOrigin')}/stalled`)).text());

/** Claims the job as a resolver. */
async function claim({ id }: Demo, by = resolver) {
  const grant = await by.claimJob(id);
  await by.heartbeat(grant, 'prefetch', 0);
  return grant;
}

async function resolve(demo: Demo, answer: number, by = resolver) {
  return by.report(await claim(demo, by), 'resolved', { url: replayUrl(answer) });
}

describe('the demo of a share code', () => {
  it('is found by a resolver, stored as an upload, inspected by a host, and can be rendered', async () => {
    const { code, demo } = await ask();
    expect(demo).toMatchObject({ state: 'pending', match: null });
    expect(await readUpload(demo)).toMatchObject({
      state: 'open',
      source: 'steam',
      sha256: null,
      name: code,
      parts: [],
    });
    expect(await host.claim(SKILLS)).toBeNull();
    const overview = await sendJson(ADMIN_TOKEN, 'GET', '/admin/overview');
    expect((await overview.json<{ waits: unknown }>()).waits).toMatchObject([{ reason: 'no_resolver', jobs: 1 }]);
    const grant = await claim(demo);
    // The share code alone: no account, no webhook, no address.
    expect(grant).toEqual({
      ...{ job_id: demo.id, share_code: code, request_id: expect.any(String) },
      lease: { fence: 1, ttl_s: expect.any(Number), heartbeat_s: expect.any(Number) },
    });
    expect((await resolver.report(grant, 'resolved', { url: replayUrl(REPLAY.stored) })).status).toBe(204);
    expect(await readUpload(demo)).toMatchObject({
      state: 'complete',
      bytes: BZ2.length,
      sha256: await sha256Hex(BZ2),
    });

    const inspection = await host.claim(SKILLS, 20);
    if (!inspection) throw new Error('no inspection');
    expect(inspection).toMatchObject({ job_id: demo.id, is_uploaded_demo: true, order: { demo_url: demo.demo_url } });
    expect(inspection.lease.fence).toBe(2);
    await host.heartbeat(inspection);
    const file = await send(`/gateway/v1/jobs/${demo.id}/demo?fence=2`, {
      headers: { Authorization: `Bearer ${host.token}` },
    });
    expect(await sha256Hex(new Uint8Array(await file.arrayBuffer()))).toBe(await sha256Hex(BZ2));
    expect((await host.report(inspection, 'inspected', { demo: FOUND_DEMO })).status).toBe(204);
    const again = await post(code);
    expect([again.status, (await again.json<Demo>()).state]).toEqual([200, 'ready']);
    const jobId = await submit(mine.metered, { demo_url: demo.demo_url });
    await sendJson(mine.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  });

  it('is one upload and one job, however often it is asked for, and nobody else sees it', async () => {
    const code = newCode();
    const demos = await Promise.all(Array.from({ length: 5 }, () => ask(code)));
    expect(new Set(demos.map(({ demo }) => demo.id)).size).toBe(1);
    const theirs = await createAccount();
    expect((await ask(code, theirs)).demo.demo_url).not.toBe(demos[0]?.demo.demo_url);
    await resetQueue();
  });

  it('replaces an upload of the same bytes that never came, so that rules run', async () => {
    const account = await createAccount();
    const sha256 = await sha256Hex(BZ2);
    const open = { name: 'a.dem.bz2', bytes: BZ2.length, sha256 };
    expect((await sendJson(account.metered, 'POST', '/api/uploads', open)).status).toBe(201);
    const { demo } = await ask(newCode(), account);
    await resolve(demo, REPLAY.stored);
    expect(await readUpload(demo, account.metered)).toMatchObject({ state: 'complete', sha256 });
    await resetQueue();
  });

  it('that the account has already keeps its own file, and starts no rule twice', async () => {
    const { demo } = await ask();
    await resolve(demo, REPLAY.stored);
    expect(await readUpload(demo)).toMatchObject({ state: 'complete', bytes: BZ2.length, sha256: null });
    await resetQueue();
  });

  it.each([
    [{ share_code: 'CSGO-GADqf-jjyJ8-cSP2r-smZRo-TO2x' }, 'source.share_code', /^must be CSGO and five groups/],
    [{ share_code: 'CSGO-GADqf-jjyJ8-cSP2r-smZRo-TO2xI' }, 'source.share_code', /^contains I/],
    [{ share_code: 'CSGO-99999-99999-99999-99999-99999' }, 'source.share_code', /^names no match/],
    [{ kind: 'faceit' }, 'source.kind', /^must be steam/],
    [{ auth_code: 'x' }, 'source.auth_code', /^is not a known field/],
  ])('with a fault is refused: %j', async (change, path, message) => {
    const source = { kind: 'steam', share_code: newCode(), ...change };
    const response = await sendJson(mine.metered, 'POST', '/api/demos', { source });
    expect(response.status).toBe(400);
    expect((await response.json<Problem>()).errors).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it('comes from one place: an address or a share code', async () => {
    const source = { kind: 'steam', share_code: newCode() };
    for (const body of [{}, { source, demo_url: 'https://demos.example.com/a.dem' }]) {
      expect((await sendJson(mine.metered, 'POST', '/api/demos', body)).status).toBe(400);
    }
  });

  it('is refused at once while no resolver is registered', async () => {
    const { results } = await bindings.DB.prepare(
      'UPDATE hosts SET revoked_at = 1 WHERE is_resolver = 1 AND revoked_at IS NULL RETURNING id',
    ).all<{ id: string }>();
    const response = await post(newCode());
    expect([response.status, (await response.json<Problem>()).type]).toEqual([
      501,
      expect.stringMatching(/#no_resolver$/),
    ]);
    for (const { id } of results) {
      await bindings.DB.prepare('UPDATE hosts SET revoked_at = NULL WHERE id = ?').bind(id).run();
    }
  });

  it('is asked for anew when its upload has expired', async () => {
    const { code, demo } = await ask();
    await resolve(demo, REPLAY.gone);
    await expect.poll(() => readUpload(demo)).toMatchObject({ status: 404 });
    expect((await ask(code)).demo).toMatchObject({ id: demo.id, state: 'pending' });
    expect(await readUpload(demo)).toMatchObject({ state: 'open' });
    expect((await resolve(demo, REPLAY.stored)).status).toBe(204);
    expect(await readUpload(demo)).toMatchObject({ state: 'complete' });
    await resetQueue();
  });

  it('is within a daily limit, which deleting does not reset', async () => {
    const account = await createAccount();
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { limits: { steam_a_day: 3 } });
    const codes = Array.from({ length: 8 }, newCode);
    const answers = await Promise.all(codes.map(async (code) => (await post(code, account.metered)).status));
    expect(answers.toSorted()).toEqual([202, 202, 202, 429, 429, 429, 429, 429]);
    const taken = codes[answers.indexOf(202)] ?? '';
    const { demo } = await ask(taken, account);
    await sendJson(account.metered, 'DELETE', new URL(demo.demo_url).pathname);
    expect((await post(newCode(), account.metered)).status).toBe(429);
    await resetQueue();
  });
});

describe('a replay that Valve', () => {
  it.each([
    ['has deleted', REPLAY.gone, 'replay_expired', 'error'],
    ['has deleted for good', REPLAY.deleted, 'replay_expired', 'error'],
    ['answers with a page for', REPLAY.page, 'demo_failed_parse', 'error'],
    ['redirects', REPLAY.moved, 'download_error', 'pending'],
    ['cuts off', REPLAY.cut, 'download_error', 'pending'],
    ['sends too little of', REPLAY.short, 'demo_failed_parse', 'error'],
    ['names no length of', REPLAY.unsized, 'download_error', 'pending'],
    ['fails to send', REPLAY.failing, 'download_error', 'pending'],
  ])('%s ends or repeats the job', async (_, answer, error_code, state) => {
    const { demo } = await ask();
    expect((await resolve(demo, answer)).status).toBe(204);
    expect(await read(demo.id)).toMatchObject({ state, error_code });
    // The upload of a code that failed does not count any more.
    await expect.poll(() => readUpload(demo)).toMatchObject(state === 'error' ? { status: 404 } : { state: 'open' });
    expect(await bindings.ASSETS.head(keyOf(demo))).toBeNull();
    await resetQueue();
  });

  it('stops to send is given up after some minutes', async () => {
    const { demo } = await ask();
    const [limit, asked] = [new AbortController(), vi.spyOn(AbortSignal, 'timeout')];
    onTestFinished(() => asked.mockRestore());
    asked.mockReturnValue(limit.signal);
    const reported = resolve(demo, REPLAY.stalled);
    await expect.poll(stalls).toBe(1);
    expect(asked).toHaveBeenCalledExactlyOnceWith(4 * 60_000);
    limit.abort(new Error('the time is over'));
    expect((await reported).status).toBe(204);
    expect(await read(demo.id)).toMatchObject({ state: 'pending', error_code: 'download_error' });
    await resetQueue();
  });

  it('cuts off after another attempt has stored it stays stored', async () => {
    const { demo } = await ask();
    const late = resolve(demo, REPLAY.stalled);
    await expect.poll(stalls).toBe(1);
    await pass(DEFAULT_SCHEDULE.leaseTtl + 1000, demo.id);
    await pass(RETRIED_MS, demo.id);
    await resolve(demo, REPLAY.stored, await createResolver());
    await fetch(`${inject('replayOrigin')}/cut`);
    expect((await late).status).toBe(409);
    expect(await readUpload(demo)).toMatchObject({ state: 'complete' });
    expect((await bindings.ASSETS.head(keyOf(demo)))?.size).toBe(BZ2.length);
    await resetQueue();
  });

  it('could not send at first is stored by the next attempt', async () => {
    const { demo } = await ask();
    await resolve(demo, REPLAY.cut);
    await pass(RETRIED_MS, demo.id);
    await resolve(demo, REPLAY.stored);
    expect(await readUpload(demo)).toMatchObject({ state: 'complete' });
    await resetQueue();
  });
});

describe('a resolver', () => {
  it('may name replays of Valve only', async () => {
    const { demo } = await ask();
    const grant = await claim(demo);
    const [good] = [replayUrl(REPLAY.stored)];
    for (const url of [
      'http://127.0.0.1/730/1_1.dem.bz2',
      'ftp://replay1.valve.net/730/1_1.dem.bz2',
      'http://replay1.valve.net.example.com/730/1_1.dem.bz2',
      'http://replay1.valve.net:8080/730/1_1.dem.bz2',
      'http://a@replay1.valve.net/730/1_1.dem.bz2',
      'http://replayx.valve.net/730/1_1.dem.bz2',
      'http://valve.net/730/1_1.dem.bz2',
      'http://replay1.valve.net/440/1_1.dem.bz2',
      'http://replay1.valve.net/730/../1_1.dem.bz2',
      `${good}?a=b`,
      `${good}\n`,
    ]) {
      expect([url, (await resolver.report(grant, 'resolved', { url })).status]).toEqual([url, 400]);
    }
    expect((await resolver.report(grant, 'fail', { code: 'share_code_unknown', detail: 'of Steam' })).status).toBe(204);
    expect(await read(demo.id)).toMatchObject({ state: 'error', error_code: 'share_code_unknown' });
  });

  it('changes nothing by repeating its report, and nothing under an old fence', async () => {
    const { demo } = await ask();
    const grant = await claim(demo);
    const report = () => resolver.report(grant, 'resolved', { url: replayUrl(REPLAY.stored) });
    const statuses = (await Promise.all([report(), report()])).map(({ status }) => status);
    expect(statuses).toContain(204);
    const before = await read(demo.id);
    expect((await report()).status).toBe(409);
    expect(await read(demo.id)).toEqual(before);
    await resetQueue();
  });

  it('gets no other work, and a host no share codes', async () => {
    await submit(mine.metered);
    await sendJson(mine.metered, 'POST', '/api/demos', { demo_url: 'https://demos.example.com/other.dem' });
    expect(await resolver.claim({ skills: ['inspect', 'uploads'] })).toBeNull();
    await resetQueue();
    const { demo } = await ask();
    expect(await host.claim(SKILLS)).toBeNull();
    const job = bindings.RENDER_JOB.getByName(demo.id);
    expect(await job.claim({ hostId: 'a host', skills: ['inspect', 'uploads'] })).toMatchObject({ ok: false });
    await resolver.report(await claim(demo), 'release');
    await resetQueue();
  });

  it('has a token for nothing else', async () => {
    const { demo } = await ask();
    const grant = await claim(demo);
    const kinds = ['inspected', 'complete', 'uploads', 'uploads/complete'];
    for (const kind of kinds) expect([kind, (await resolver.report(grant, kind)).status]).toEqual([kind, 401]);
    for (const path of ['demo', 'assets/watermark']) {
      const headers = { Authorization: `Bearer ${resolver.token}` };
      expect((await send(`/gateway/v1/jobs/${demo.id}/${path}?fence=1`, { headers })).status).toBe(401);
    }
    for (const path of ['/api/jobs', '/admin/hosts', '/api/uploads']) {
      expect((await sendJson(resolver.token, 'GET', path)).status).toBe(401);
    }
    expect((await host.report(grant, 'resolved', { url: replayUrl(REPLAY.stored) })).status).toBe(401);
    await resolver.report(grant, 'release');
    await resetQueue();
  });

  it('gives no verdict on builds of the game', async () => {
    const build = '2000999';
    await resolver.ask({ game_build: build, golden: { passed: false } });
    const { demo } = await ask();
    const grant = await claim(demo);
    const failure = { code: 'share_code_unknown', detail: 'of Steam', refused_build: build, unfit_build: build };
    expect((await resolver.report(grant, 'fail', failure)).status).toBe(204);
    const listed = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/builds')).text();
    expect(listed).not.toContain(build);
    expect(await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/hosts?limit=100')).text()).not.toContain(build);
  });

  it('is no render host for alerts and metrics', async () => {
    const countHosts = async () => {
      const overview = await sendJson(ADMIN_TOKEN, 'GET', '/admin/overview');
      const { hosts } = await overview.json<{ hosts: Record<string, number> }>();
      return Object.values(hosts).reduce((sum, count) => sum + count, 0);
    };
    const before = await countHosts();
    await (await createResolver()).claim();
    expect(await countHosts()).toBe(before);
  });

  it('that falls silent costs an attempt; another one resolves the code', async () => {
    const { demo } = await ask();
    await claim(demo);
    await pass(DEFAULT_SCHEDULE.leaseTtl + 1000, demo.id);
    expect(await read(demo.id)).toMatchObject({ state: 'pending', error_code: 'resolver_unavailable' });
    await pass(RETRIED_MS, demo.id);
    const other = await createResolver();
    expect((await resolve(demo, REPLAY.stored, other)).status).toBe(204);
    expect(await readUpload(demo)).toMatchObject({ state: 'complete' });
    await resetQueue();
  });

  it('that is absent for a week ends the job, which can be asked for again', async () => {
    const { code, demo } = await ask();
    await pass(DEFAULT_SCHEDULE.runDeadline + 1000, demo.id);
    expect(await read(demo.id)).toMatchObject({ state: 'error', error_code: 'resolver_unavailable' });
    expect((await ask(code)).demo).toMatchObject({ id: demo.id, state: 'pending' });
    expect((await resolve(demo, REPLAY.stored)).status).toBe(204);
    await resetQueue();
  });

  it('that is signed out has the code tried again', async () => {
    const { demo } = await ask();
    await resolver.report(await claim(demo), 'fail', { code: 'resolver_signed_out', detail: 'of Steam' });
    expect(await read(demo.id)).toMatchObject({ state: 'pending', error_code: 'resolver_signed_out' });
    await resetQueue();
  });

  it('is listed like a host, and its token is replaced by one of its kind', async () => {
    const { hosts } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/hosts?limit=100')).json<{
      hosts: { host_id: string; name: string; is_resolver: boolean; state: string; renderer: string | null }[];
    }>();
    const [listed] = hosts.filter(({ is_resolver }) => is_resolver);
    expect(listed).toMatchObject({ name: 'steam', state: 'idle', renderer: null });
    const rotated = await sendJson(ADMIN_TOKEN, 'POST', `/admin/hosts/${listed?.host_id}/rotate`);
    expect((await rotated.json<{ token: string }>()).token).toMatch(/^tr_resolver_/);
  });

  it('finds the upload gone', async () => {
    const { demo } = await ask();
    await bindings.DB.prepare('DELETE FROM uploads WHERE id = ?').bind(demo.demo_url.split('/').at(-1)).run();
    const fresh = await createResolver();
    await resolve(demo, REPLAY.stored, fresh);
    expect(await read(demo.id)).toMatchObject({ state: 'error', error_code: 'demo_404' });
  });

  it('gets no match whose upload its account has deleted', async () => {
    const { demo } = await ask();
    expect((await sendJson(mine.metered, 'DELETE', new URL(demo.demo_url).pathname)).status).toBe(204);
    expect((await sendJson(mine.metered, 'GET', `/api/demos/${demo.id}`)).status).toBe(404);
  });
});
