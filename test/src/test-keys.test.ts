import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, inject, it, vi } from 'vitest';
import { readEvents } from '#client/events.ts';
import { TEST_KEPT_MS } from '#domain/job/test-end.ts';
import TEST_CLIP from '#domain/lib/test-clip.json' with { type: 'json' };
import { LIMITS } from '#domain/operate/limits.ts';
import { sha256Hex } from '#platform/digest.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { ensureTestAccount } from '#storage/account/accounts.ts';
import { selectAccountsNearLimit } from '#storage/job/retention.ts';
import { indexText, storedKeys } from '#test/support/objects.ts';
import { createAccount } from '../support/accounts.ts';
import { createChannel } from '../support/discord-channel.ts';
import { parsePage } from '../support/parsed-page.ts';
import { PICTURES } from '../support/pictures.ts';
import { fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const operate = (method: string, path: string, body?: unknown) => sendJson(ADMIN_TOKEN, method, `/admin/${path}`, body);
/** A busy machine takes longer. */
const PATIENCE = 20_000;
const demo = (name: string) => `https://demo.test/${name}.dem`;

async function testKey(accountId = scene.account.id, body: object = {}): Promise<string> {
  const made = await operate('POST', `accounts/${accountId}/keys`, { kind: 'test', ...body });
  expect(made.status).toBe(201);
  const { key, kind } = await made.json<{ key: string; kind: string }>();
  expect([kind, key.slice(0, 8)]).toEqual(['test', 'tr_test_']);
  return key;
}

/** Fires each alarm of a job within a second, and evicts its object before each. */
async function play(jobId: string, ms = 1000): Promise<void> {
  const until = Date.now() + ms;
  await fireAlarm(jobId);
  await ringEvicted(jobId, until);
}

/** Submits a job of a test key, and plays it. */
async function played(key: string, name: string, overrides: object = {}) {
  const jobId = await submit(key, { demo_url: demo(name), ...overrides });
  await play(jobId);
  return readJob<{ id: string; status: string; clip_id: string | null }>(key, jobId);
}

/** Runs the cron at a later time. */
async function upkeep(ms = 0): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  for (let run = 0; run < 2; run++) await runUpkeep(createService(bindings), Date.now());
}

async function twinOf(accountId: string): Promise<string> {
  const row = await bindings.DB.prepare('SELECT id FROM accounts WHERE test_of = ?').bind(accountId).first();
  return String(row?.id);
}

const listed = async (key: string) =>
  Promise.all(
    ['jobs', 'clips', 'uploads', 'rules', 'assets', 'webhook-secrets'].map(async (list) => {
      const answer = await (await sendJson(key, 'GET', `/api/${list}`)).json<Record<string, unknown>>();
      return JSON.stringify(Object.values(answer)[0]);
    }),
  );

describe('a job of a test key', () => {
  it('ends within a second with the clip that is drawn for it, at the picture asked for', async () => {
    const key = await testKey();
    const { status, clip_id } = await played(key, 'ok', { resolution: 1440, fps: 60 });
    expect(status).toBe('done');
    const clip = await (await sendJson(key, 'GET', `/api/clips/${clip_id}?include=expiry,urls`)).json<{
      size: string;
    }>();
    const expires_at = new Date(Date.now() + TEST_KEPT_MS).toISOString().slice(0, 15);
    expect(clip).toMatchObject({
      state: 'ready',
      resolution: 1440,
      fps: 60,
      tier: 'metered',
      title: expect.stringMatching(/^Test: /),
      expires_at: expect.stringContaining(expires_at),
    });
    const video = await send(`/clips/${clip_id}/video.mp4`, { headers: { Range: 'bytes=4-7' } });
    expect([video.status, await video.text()]).toEqual([206, 'ftyp']);
    const types = { 'video.mp4': 'video/mp4', 'thumbnail.jpg': 'image/jpeg', 'storyboard.jpg': 'image/jpeg' };
    for (const [file, type] of Object.entries(types)) {
      const answer = await send(`/clips/${clip_id}/${file}`);
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, type]);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const stored = await (await bindings.STATIC.fetch(`https://static/test/${file}`)).arrayBuffer();
      expect(await sha256Hex(bytes)).toBe(await sha256Hex(new Uint8Array(stored)));
    }
  });

  it.each([
    ['9:16', 1080, 1920, [540, 960], [720, 1280], 'page shape-9-16 tall'],
    ['1:1', 1080, 1080, [540, 540], [720, 720], 'page shape-1-1'],
    ['4:5', 1080, 1350, [540, 675], [720, 900], 'page shape-4-5 tall'],
  ] as const)('has the shape %s on every screen', async (aspect, width, height, embed, thumbnail, classes) => {
    const key = await testKey();
    const { clip_id } = await played(key, 'ok', { aspect });
    const clip = await sendJson(key, 'GET', `/api/clips/${clip_id}?include=picture`);
    expect(await clip.json()).toMatchObject({ resolution: 1080, width, height });
    const list = await sendJson(key, 'GET', '/api/clips?include=picture');
    expect(await list.json()).toMatchObject({ clips: [{ width, height }] });
    const page = await (await send(`/clips/${clip_id}`)).text();
    for (const text of [
      `<video class="${classes.slice(5)}" playsinline preload="none" tabindex="0" width="${width}" height="${height}"`,
      `<meta property="og:video:width" content="${width}">\n<meta property="og:video:height" content="${height}">`,
      `<meta property="og:image:width" content="${thumbnail[0]}">\n<meta property="og:image:height" content="${thumbnail[1]}">`,
      `width=&#34;${embed[0]}&#34; height=&#34;${embed[1]}&#34;`,
      `1080p, ${aspect}, 30 fps`,
      `<body class="${classes}">`,
    ]) {
      expect(page).toContain(text);
    }
    const about = await (await send(`/oembed?url=${BASE_URL}/clips/${clip_id}&maxheight=480`)).json<object>();
    expect(about).toMatchObject({ height: 480, width: Math.floor((480 * embed[0]) / embed[1]) });
    expect(await (await send(`/oembed?url=${BASE_URL}/clips/${clip_id}`)).json()).toMatchObject({
      width: embed[0],
      height: embed[1],
      thumbnail_width: thumbnail[0],
      thumbnail_height: thumbnail[1],
    });
    const stored = `https://static/test/${aspect.replace(':', 'x')}/video.mp4`;
    const [shown, kept] = await Promise.all([send(`/clips/${clip_id}/video.mp4`), bindings.STATIC.fetch(stored)]);
    expect((await shown.arrayBuffer()).byteLength).toBe((await kept.arrayBuffer()).byteLength);
  });

  it('goes through the states of a live one, and its followers see each', { tags: ['long'] }, async () => {
    const key = await testKey();
    const inbox = createInbox();
    const jobId = await submit(key, { demo_url: demo('retry-then-ok'), webhook_url: inbox.url, extras: { a: 1 } });
    const stream = await send(`/api/jobs/${jobId}/events`, { headers: { Authorization: `Bearer ${key}` } });
    const statuses: string[] = [];
    const followed = (async () => {
      for await (const { data } of readEvents(stream.body as ReadableStream<Uint8Array>, 60_000)) {
        const { status } = JSON.parse(data) as { status: string };
        if (status !== statuses.at(-1)) statuses.push(status);
      }
    })();
    await fireAlarm(jobId);
    for (let step = 0; step < 8; step++) await pass(200, jobId);
    await followed;
    const attempt = ['prefetch', 'render'];
    expect(statuses.slice(statuses[0] === 'pending' ? 1 : 0)).toEqual([
      ...[...attempt, 'retrying', 'pending'],
      ...[...attempt, 'done'],
    ]);
    const job = await readJob(key, jobId);
    const received = await inbox.received();
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'job.completed', job_id: jobId, clip_id: job.clip_id, extras: { a: 1 } },
    ]);
    const live = await submit(scene.account.metered, { webhook_url: inbox.url });
    await scene.host.finish(await scene.host.claimJob(live));
    await fireAlarm(live);
    const [ofTest, ofLive] = (await inbox.received()).map(({ body }) => Object.keys(JSON.parse(body)));
    expect(ofTest).toEqual(ofLive);
    const more = await (await sendJson(key, 'GET', `/api/jobs/${jobId}?include=attempts`)).json();
    expect(more).toMatchObject({
      attempts: [{ outcome: 'failed', error_code: 'cs2_unavailable' }, { outcome: 'completed' }],
    });
  });

  it('may be slow, shows its progress, and is canceled meanwhile', { tags: ['long'] }, async () => {
    const key = await testKey();
    const jobId = await submit(key, { demo_url: demo('slow') });
    await play(jobId, 10_000);
    await pass(0, jobId);
    const stream = await send(`/api/jobs/${jobId}/events`, { headers: { Authorization: `Bearer ${key}` } });
    for await (const { data } of readEvents(stream.body as ReadableStream<Uint8Array>, 60_000)) {
      expect(JSON.parse(data)).toMatchObject({ status: 'render', progress: 0.5 });
      break;
    }
    expect((await sendJson(key, 'POST', `/api/jobs/${jobId}/cancel`)).status).toBe(200);
    await fireAlarm(jobId);
    expect(await readJob(key, jobId)).toMatchObject({ status: 'error', error_code: 'canceled' });
  });

  it('is run again, redone and deleted like a live one, with the same clip', { tags: ['long'] }, async () => {
    const key = await testKey();
    const failed = await played(key, 'download_error');
    expect((await sendJson(key, 'POST', `/api/jobs/${failed.id}/resubmit`)).status).toBe(200);
    await play(failed.id);
    expect(await readJob(key, failed.id)).toMatchObject({ status: 'error', error_code: 'download_error' });
    const redo = { demo_url: demo('no_kills_found'), idempotency_key: 'again' };
    const first = await played(key, 'no_kills_found', redo);
    const again = { steam64_id: '76561198000000001', demo_url: demo('ok'), idempotency_key: 'again', force: true };
    const redone = await sendJson(key, 'POST', '/api/clips', again);
    expect(await redone.json()).toEqual({ job_id: first.id });
    await play(first.id);
    const { clip_id } = await readJob(key, first.id);
    expect((await send(`/clips/${clip_id}/video.mp4`)).status).toBe(200);
    expect((await sendJson(key, 'DELETE', `/api/clips/${clip_id}`)).status).toBe(204);
    await fireAlarm(first.id);
    expect((await send(`/clips/${clip_id}/video.mp4`)).status).toBe(410);
    expect((await storedKeys()).filter((stored) => stored.startsWith(`clips/${clip_id}/`))).toEqual([]);
  });

  it('reaches no dispatcher and no host', async () => {
    const jobId = await submit(await testKey(), { demo_url: demo('slow') });
    await play(jobId, 5000);
    expect(await scene.host.claim()).toBeNull();
    const { queue, running } = await (await operate('GET', 'overview')).json<{
      queue: { waiting: number }[];
      running: number;
    }>();
    expect([...queue.map(({ waiting }) => waiting), running]).toEqual([0, 0, 0]);
  });

  it('has pages that are marked and that search engines leave out', async () => {
    const { clip_id } = await played(await testKey(), 'ok');
    for (const path of [`/clips/${clip_id}`, `/clips/${clip_id}/embed`]) {
      const { title, meta } = await parsePage(await send(path));
      expect([meta.get('robots'), title, meta.get('og:title')]).toEqual([
        'noindex',
        expect.stringMatching(/^Test: \d kills by/),
        expect.stringMatching(/^Test: /),
      ]);
    }
    expect(await (await send(`/clips/${clip_id}`)).text()).toContain('<h1><bdi>Test: ');
    const oembed = await send(`/oembed?url=${BASE_URL}/clips/${clip_id}`);
    expect(await oembed.json()).toMatchObject({ title: expect.stringMatching(/^Test: /) });
    const live = await submit(scene.account.metered);
    await scene.host.finish(await scene.host.claimJob(live));
    const { clip_id: id } = await readJob(scene.account.metered, live);
    expect((await parsePage(await send(`/clips/${id}`))).meta.get('robots')).toBeUndefined();
  });
});

describe('test and live things', () => {
  it('never mix: in lists, by id, by idempotency key, in rules and in usage', async () => {
    const { account } = scene;
    const key = await testKey();
    const before = [await listed(account.metered), await listed(key)];
    const mine = await played(key, 'ok', { idempotency_key: 'one' });
    const live = await submit(account.metered, { idempotency_key: 'one' });
    expect(live).not.toBe(mine.id);
    await scene.host.finish(await scene.host.claimJob(live));
    await fireAlarm(live);
    for (const [own, other, ofOther] of [
      [key, account.metered, live],
      [account.metered, key, mine.id],
    ] as const) {
      expect((await sendJson(own, 'GET', `/api/jobs/${ofOther}`)).status).toBe(404);
      expect((await listed(own))[0]).not.toContain(ofOther);
      expect((await listed(other))[0]).toContain(ofOther);
    }
    expect(before.flat().every((list) => list === '[]')).toBe(true);
    const usage = async (of: string) => (await sendJson(of, 'GET', '/api/usage')).json<{ usage: unknown[] }>();
    expect([(await usage(key)).usage, (await usage(account.metered)).usage]).toMatchObject([[], [{}]]);
    const rule = { name: 'all', render: { what: 'highlights' } };
    expect((await sendJson(key, 'POST', '/api/rules', rule)).status).toBe(201);
    expect((await listed(account.metered))[3]).toBe('[]');
  });

  it('do not mix for operators: accounts, search, jobs, usage, failures and failing webhooks', async () => {
    const { account } = scene;
    const name = `Customer ${crypto.randomUUID()}`;
    await operate('PATCH', `accounts/${account.id}`, { name });
    const before = await (await operate('GET', 'overview')).json<{ days: unknown; webhooks: unknown }>();
    const usageBefore = await (await operate('GET', 'usage')).text();
    const key = await testKey();
    const done = await played(key, 'ok');
    const inbox = createInbox('500');
    const failed = await played(key, 'no_kills_found', { webhook_url: inbox.url });
    const atOnce = await played(key, 'demo_url_rejected');
    const after = await (await operate('GET', 'overview')).json<typeof before>();
    expect([after.days, after.webhooks]).toEqual([before.days, before.webhooks]);
    expect(await (await operate('GET', 'usage')).text()).toBe(usageBefore);
    expect((await indexText()).includes(failed.id)).toBe(true);
    for (const list of ['jobs?limit=100', 'jobs?status=error&limit=100', 'troubles']) {
      const text = await (await operate('GET', list)).text();
      for (const { id } of [done, failed, atOnce]) expect(text).not.toContain(id);
    }
    const found = await (await operate('GET', `search?q=${encodeURIComponent(name)}`)).json<{ found: unknown[] }>();
    expect(JSON.stringify(found).match(new RegExp(name, 'g'))).toHaveLength(1);
    const accounts = await (await operate('GET', 'accounts?limit=100')).text();
    expect(accounts.match(new RegExp(name, 'g'))).toHaveLength(1);
    expect((await operate('GET', `jobs/${failed.id}`)).status).toBe(200);
  });

  it('have their own keys, which are listed, rotated and revoked with the account’s others', async () => {
    const { account } = scene;
    const key = await testKey(account.id, { name: 'ci' });
    await testKey();
    expect((await operate('POST', `accounts/${account.id}/keys`, { kind: 'test' })).status).toBe(429);
    const list = async () =>
      (await (await operate('GET', `accounts/${account.id}/keys`)).json<{ keys: Record<string, string>[] }>()).keys;
    expect((await list()).map(({ kind }) => kind).sort()).toEqual(['metered', 'reserved', 'test', 'test']);
    const [first] = (await list()).filter(({ name }) => name === 'ci');
    const [second] = (await list()).filter(({ name, kind }) => kind === 'test' && name === null);
    expect((await operate('DELETE', `accounts/${account.id}/keys/${second?.key_id}`)).status).toBe(204);
    const rotated = await operate('POST', `accounts/${account.id}/keys/${first?.key_id}/rotate`);
    const { key: next } = await rotated.json<{ key: string }>();
    const { id } = await played(key, 'ok');
    expect(await readJob(next, id)).toMatchObject({ status: 'done' });
    expect((await operate('DELETE', `accounts/${account.id}/keys/${first?.key_id}`)).status).toBe(204);
    vi.setSystemTime(Date.now() + 31_000);
    expect((await sendJson(key, 'GET', '/api/jobs')).status).toBe(401);
    const other = await createAccount();
    expect((await operate('DELETE', `accounts/${other.id}/keys/${first?.key_id}`)).status).toBe(404);
  });

  it('have limits of their own, as the operator sets them for the account', async () => {
    const { account } = scene;
    const early = await testKey();
    await operate('PATCH', `accounts/${account.id}`, { limits: { jobs_kept: 1 } });
    vi.setSystemTime(Date.now() + 31_000);
    const key = await testKey();
    await played(early, 'ok');
    vi.setSystemTime(Date.now() + 31_000);
    const body = { demo_url: demo('ok'), steam64_id: '76561198000000001' };
    expect((await sendJson(key, 'POST', '/api/clips', body)).status).toBe(429);
    await submit(account.metered);
  });

  it('keep no more than 10,000 jobs, whatever the limit of the account is', async () => {
    const { account } = scene;
    const key = await testKey();
    await played(key, 'ok', { idempotency_key: 'kept' });
    const twin = await twinOf(account.id);
    const kept = "UPDATE budgets SET used = ? WHERE name = 'jobs_kept' AND owner IN (?, ?)";
    await bindings.DB.prepare(kept).bind(LIMITS.test.jobs_kept.preset, account.id, twin).run();
    vi.setSystemTime(Date.now() + 31_000);
    const body = { demo_url: demo('ok'), steam64_id: '76561198000000001' };
    const refused = await sendJson(key, 'POST', '/api/clips', body);
    expect([refused.status, await refused.json()]).toMatchObject([429, { detail: expect.stringContaining('10000') }]);
    await submit(account.metered);
    const { database, settings } = createService(bindings);
    const nearLimit = await selectAccountsNearLimit(database, settings.limits);
    expect(nearLimit).toContainEqual({ id: twin, isTest: true, jobs: 1000, bytes: expect.any(Number) });
    expect(nearLimit).not.toContainEqual(expect.objectContaining({ id: account.id }));
  });

  it('are shown to operators as the customer’s: in a job’s story and a search', async () => {
    const { account } = scene;
    const key = await testKey();
    const { id, clip_id } = await played(key, 'ok');
    const slow = await submit(key, { demo_url: demo('slow') });
    await play(slow);
    for (const path of [`jobs/${id}`, `jobs/${slow}`, `search?q=${id}`, `search?q=${clip_id}`]) {
      const text = await (await operate('GET', path)).text();
      expect(text).toContain(`"account_id":"${account.id}"`);
      expect(text).not.toContain(await twinOf(account.id));
    }
    const changed = await operate('PATCH', `accounts/${await twinOf(account.id)}`, { suspended: true });
    expect(changed.status).toBe(404);
    expect((await sendJson(key, 'POST', `/api/jobs/${slow}/cancel`)).status).toBe(200);
  });

  it('have one test account: a test key that makes keys makes them of its own', async () => {
    const { account } = scene;
    await testKey();
    const { database } = createService(bindings);
    const twin = await twinOf(account.id);
    const another = { id: crypto.randomUUID(), idSalt: '00', createdAt: 1 };
    expect(await ensureTestAccount(database, twin, another)).toBe(twin);
    expect(await ensureTestAccount(database, account.id, another)).toBe(twin);
  });

  it('are hidden if the account was hidden before its first test key', async () => {
    const { account } = scene;
    await operate('PATCH', `accounts/${account.id}`, { suspended: true, hide_clips: true });
    const key = await testKey();
    await operate('PATCH', `accounts/${account.id}`, { suspended: true });
    await bindings.DB.prepare('UPDATE accounts SET suspended_at = NULL WHERE test_of = ?').bind(account.id).run();
    const { clip_id } = await played(key, 'ok');
    expect((await send(`/clips/${clip_id}`)).status).toBe(410);
  });

  it('are suspended, hidden and erased with the account', { tags: ['long'] }, async () => {
    const { account } = scene;
    const key = await testKey();
    const { id, clip_id } = await played(key, 'ok');
    await operate('PATCH', `accounts/${account.id}`, { suspended: true, hide_clips: true });
    await upkeep(61_000);
    const body = { demo_url: demo('ok'), steam64_id: '76561198000000001' };
    expect((await sendJson(key, 'POST', '/api/clips', body)).status).toBe(403);
    await fireAlarm(id);
    expect((await send(`/clips/${clip_id}`)).status).toBe(410);
    await operate('POST', `accounts/${account.id}/erase`, { name: 'test account' });
    await upkeep(61_000);
    await upkeep(61 * 60_000);
    expect((await sendJson(key, 'GET', '/api/jobs')).status).toBe(401);
    const left = await indexText(['audit']);
    for (const gone of [account.id, id, String(clip_id)]) expect(left).not.toContain(gone);
  });
});

describe('what test keys make', () => {
  it('inspects for a replay, which is marked, and cuts the ticks of a clip out of it', async () => {
    const key = await testKey();
    const ask = async () =>
      (await sendJson(key, 'POST', '/api/demos', { demo_url: demo('ok'), replay: true })).json<Demo>();
    const { id } = await ask();
    await play(id);
    const { state, replay_url, match } = await ask();
    expect(state).toBe('ready');
    const page = await (await send(String(replay_url).slice(BASE_URL.length))).text();
    expect(page).toContain('<h1><bdi>Test: Replay of a match</bdi></h1>');
    expect(page).toContain('noindex');
    const tracks = await send(`${String(replay_url).slice(BASE_URL.length)}/tracks`);
    expect([tracks.status, (await tracks.arrayBuffer()).byteLength]).toEqual([200, TEST_CLIP.tracks.bytes]);
    const { demo_url = '', ...moment } = match?.highlights[0]?.request ?? {};
    const jobId = await submit(key, { demo_url, ...moment, aspect: '9:16' });
    const { replay } = await (await sendJson(key, 'POST', `/api/jobs/${jobId}/replay`)).json<{ replay: string }>();
    expect((await send(`${replay.slice(BASE_URL.length)}/tracks`)).status).toBe(200);
    // The film has its shape there and on the front page.
    await play(jobId);
    const { clip_id } = await readJob(key, jobId);
    const film = '<video class="shape-9-16 tall"';
    expect(await (await send(replay.slice(BASE_URL.length))).text()).toContain(film);
    // The picture of a replay is wide, whatever the shape of the clip.
    expect(await (await send(`/oembed?url=${replay}`)).json()).toMatchObject({ width: 960, height: 540 });
    const front = createApp(createService({ ...bindings, BASE_URL, LANDING_CLIP_ID: String(clip_id) } as Bindings));
    const landing = await front(new Request(`${BASE_URL}/`), createExecutionContext());
    expect(await landing.text()).toContain(film);
  });

  it('ends after seven days, saved or not: jobs, clips, inspections, uploads, assets, runs of rules', {
    tags: ['long'],
  }, async () => {
    const { account } = scene;
    const key = await testKey();
    const bytes = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' };
    const asset = await send('/api/assets?kind=watermark', { method: 'POST', headers: bytes, body: PICTURES.png });
    expect(asset.status).toBe(201);
    const rule = { name: 'all', render: { what: 'highlights', limit: 1 } };
    await sendJson(key, 'POST', '/api/rules', rule);
    const { id, clip_id } = await played(key, 'ok');
    await sendJson(key, 'POST', `/api/clips/${clip_id}/save`);
    await fireAlarm(id);
    const failed = await played(key, 'demo_404', { idempotency_key: 'kept' });
    const inspected = await (await sendJson(key, 'POST', '/api/demos', { demo_url: demo('ok') })).json<Demo>();
    await play(inspected.id);
    const sent = await arrive(key, 1);
    const live = await submit(account.metered);
    await scene.host.finish(await scene.host.claimJob(live));
    await fireAlarm(live);
    const kept = await readJob<{ clip_id: string }>(account.metered, live);
    await sendJson(account.metered, 'POST', `/api/clips/${kept.clip_id}/save`);
    await fireAlarm(live);

    await upkeep(TEST_KEPT_MS - 60_000);
    expect(await readJob(key, id)).toMatchObject({ status: 'done' });
    await upkeep(120_000);
    for (const gone of [id, failed.id]) expect((await sendJson(key, 'GET', `/api/jobs/${gone}`)).status).toBe(404);
    expect((await sendJson(key, 'GET', `/api/demos/${inspected.id}`)).status).toBe(404);
    expect((await sendJson(key, 'GET', `/api/uploads/${sent}`)).status).toBe(404);
    expect((await send(`/clips/${clip_id}`)).status).toBe(410);
    const [jobs, clips, uploads, rules, assets] = await listed(key);
    expect([jobs, clips, uploads, assets]).toEqual(['[]', '[]', '[]', '[]']);
    // Settings stay.
    expect(rules).toContain('"all"');
    const index = await indexText();
    for (const gone of [id, failed.id, String(clip_id), inspected.id, sent]) expect(index).not.toContain(gone);
    const files = (await storedKeys()).filter((stored) => !stored.startsWith('records/'));
    expect(files.filter((stored) => stored.includes(String(clip_id)) || /^(assets|demos)/.test(stored))).toEqual([]);
    expect(await readJob(account.metered, live)).toMatchObject({ status: 'done' });
  });

  it('is a clip that can be watched, also under an idempotency key whose job was deleted', {
    tags: ['long'],
  }, async () => {
    const key = await testKey();
    const clips: unknown[] = [];
    for (let week = 0; week < 2; week++) {
      const { status, clip_id } = await played(key, 'ok', { idempotency_key: 'ci' });
      clips.push(clip_id);
      vi.setSystemTime(Date.now() + 60_000);
      const page = await send(`/clips/${clip_id}`);
      const video = await send(`/clips/${clip_id}/video.mp4`);
      expect([status, page.status, video.status]).toEqual(['done', 200, 200]);
      await page.arrayBuffer();
      await video.arrayBuffer();
      await upkeep(TEST_KEPT_MS + 60_000);
      await upkeep(1);
    }
    expect(clips[0]).toBe(clips[1]);
  });

  it('is what a host finds in the sample demo, for each demo: its plan and its clips follow from it', {
    tags: ['long'],
  }, async () => {
    const key = await testKey();
    const asked = await sendJson(key, 'POST', '/api/demos', { demo_url: 'https://elsewhere.example.com/1.dem' });
    expect(asked.status).toBe(202);
    const { id, match } = await asked.json<Demo>();
    expect(match).toBeNull();
    await play(id);
    const found = await (await sendJson(key, 'GET', `/api/demos/${id}`)).json<Demo>();
    const [best] = found.match?.highlights ?? [];
    expect([found.state, best?.request.demo_url]).toEqual(['ready', 'https://elsewhere.example.com/1.dem']);
    const plan = await sendJson(key, 'POST', '/api/plan', best?.request);
    expect([plan.status, await plan.json()]).toMatchObject([200, { shots: [{}, {}, {}] }]);
    const batch = await sendJson(key, 'POST', '/api/clips/batch', { clips: [best?.request] });
    const [made] = (await batch.json<{ results: { job_id: string }[] }>()).results;
    await play(made?.job_id ?? '');
    expect(await readJob(key, made?.job_id ?? '')).toMatchObject({ status: 'done' });
    const refused = await (
      await sendJson(key, 'POST', '/api/demos', { demo_url: demo('demo_failed_parse') })
    ).json<Demo>();
    await play(refused.id);
    expect(await (await sendJson(key, 'GET', `/api/demos/${refused.id}`)).json()).toMatchObject({
      state: 'error',
      error_code: 'demo_failed_parse',
    });
  });

  it('comes by rules: a demo that arrives is inspected, and its clips are made and announced', {
    tags: ['long'],
  }, async () => {
    const key = await testKey();
    const inbox = createInbox();
    const discord = await createChannel(inject('discordUrl'));
    const to = { webhook_url: inbox.url, discord_url: discord.url };
    const rule = { name: 'all', render: { what: 'highlights', limit: 2 }, send: to };
    expect((await sendJson(key, 'POST', '/api/rules', rule)).status).toBe(201);
    await arrive(key, 2);
    const { jobs } = await (await sendJson(key, 'GET', '/api/jobs')).json<{ jobs: { status: string }[] }>();
    expect(jobs.map(({ status }) => status)).toEqual(['done', 'done']);
    expect((await inbox.received()).map(({ body }) => JSON.parse(body).event)).toEqual([
      'job.completed',
      'job.completed',
    ]);
    await expect.poll(async () => (await discord.posts()).length).toBe(1);
    const [post] = await discord.posts();
    expect(JSON.stringify(post?.message)).toMatch(/"title":"Test\\*: 2 kills/);
  });

  it('signs a test webhook with the secrets that a test key has made', async () => {
    const key = await testKey();
    const inbox = createInbox();
    const body = { webhook_url: inbox.url };
    const tried = async () => (await sendJson(key, 'POST', '/api/webhooks/test', body)).json();
    expect((await sendJson(scene.account.metered, 'POST', '/api/webhook-secrets')).status).toBe(201);
    expect(await tried()).toMatchObject({ delivered: true, http_status: 200, signatures: 0 });
    expect((await sendJson(key, 'POST', '/api/webhook-secrets')).status).toBe(201);
    expect(await tried()).toMatchObject({ delivered: true, signatures: 1 });
    expect((await inbox.received()).map(({ body: got }) => JSON.parse(got).extras)).toEqual([
      { test: true },
      { test: true },
    ]);
  });
});

it('a live key finds nothing on demo.test', async () => {
  const jobId = await submit(scene.account.metered, { demo_url: demo('ok') });
  expect(await readJob(scene.account.metered, jobId)).toMatchObject({
    status: 'error',
    error_code: 'demo_url_rejected',
  });
});

/** Sends a demo as a game server does, and plays its inspection and the jobs that rules make of it. */
async function arrive(key: string, clips: number): Promise<string> {
  const body = new TextEncoder().encode(`PBDEMS2\0${crypto.randomUUID().repeat(10)}`);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Length': String(body.length) };
  const answer = await send('/api/ingest', { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
  const { id } = await answer.json<{ id: string }>();
  const made = async (query: string, count: number) => {
    const { results } = await bindings.DB.prepare(query).bind(id).all<{ id: string }>();
    expect(results).toHaveLength(count);
    return results;
  };
  const ofRun = 'SELECT j.id FROM jobs j JOIN rule_runs r ON r.id = j.rule_run WHERE r.upload_id = ?';
  const inspection = 'SELECT id FROM jobs WHERE inspected_upload = ?';
  for (const job of await vi.waitFor(() => made(inspection, 1), PATIENCE)) await play(job.id);
  for (const job of await vi.waitFor(() => made(ofRun, clips), PATIENCE)) await play(job.id);
  return id;
}
