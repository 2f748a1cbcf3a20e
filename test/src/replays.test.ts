import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import type { Upload } from '#protocol/demo/uploads.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { JOB_INCLUDES, type JobDetail } from '#protocol/job/job-detail.ts';
import { methodOf, pathOf } from '#protocol/lib/routes.ts';
import { type Operation, splitScope } from '#service/lib/operation.ts';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import * as OPERATIONS from '#src/operations.ts';
import { allAtRest, countRows, indexText, storedFiles, storedKeys, watchWork } from '#test/support/objects.ts';
import { loadChunks, matchOf, openTracks, shotsOf, writeTracks } from '#tracks/file.ts';
import { buildKill, buildMatch } from '../packages/render-host/builders.ts';
import { clipIdOf, createAccount } from '../support/accounts.ts';
import { PICTURES } from '../support/pictures.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson } from '../support/service.ts';
import { announced } from '../support/test-host.ts';

const SKILLS = { skills: ['inspect', 'tracks', 'uploads'] };
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const [player, other] = FOUND_DEMO.players.map(({ steam64_id }) => steam64_id);
const scene = useScenario();
const admin = (method: string, path: string, body?: object) => sendJson(ADMIN_TOKEN, method, `/admin${path}`, body);
const upkeep = async (after: number) => {
  vi.setSystemTime(Date.now() + after);
  await runUpkeep(createService(bindings), Date.now());
};

/** A minute and a half of the example's match, around its kill, as a host writes it. */
const FIRST = 42_000;
const recorded = buildMatch({ ticks: 6000, players: FOUND_DEMO.players.map(({ name }) => ({ name })) });
const later = { firstTick: FIRST, lastTick: FIRST + 5999, tracks: { ...recorded.tracks, firstTick: FIRST } };
const kills = [buildKill({ tick: 45_312, attacker: 0, victim: 1, round: 7 })];
const TRACKS = await writeTracks({ ...recorded, ...later, kills, rounds: [] }, [1, 2, 3]);

let made = 0;
const newDemo = () => `https://demos.example.com/replayed-${++made}.dem`;
const ask = async (demo_url: string, more: object = { replay: true }, key = scene.account.metered) =>
  (await sendJson(key, 'POST', '/api/demos', { demo_url, ...more })).json<Demo>();
const readDemo = async (id: string) => (await sendJson(scene.account.metered, 'GET', `/api/demos/${id}`)).json<Demo>();

async function claim(id: string): Promise<Grant> {
  const grant = await scene.host.claimJob(id, SKILLS);
  await scene.host.begin(grant);
  return grant;
}

async function report(grant: Grant, bytes = TRACKS, demo: object = FOUND_DEMO) {
  await scene.host.upload(grant, 'tracks', bytes);
  return scene.host.report(grant, 'inspected', { demo, tracks: await announced(bytes) });
}

/** Inspects a demo with `replay`. Returns the demo with the path of its tracks. */
async function inspected(demo_url = newDemo()) {
  const { id } = await ask(demo_url);
  expect((await report(await claim(id))).status).toBe(204);
  const demo = await readDemo(id);
  const replayId = (demo.replay_url ?? '').replace(`${BASE_URL}/replays/`, '');
  return { ...demo, replayId, tracks: `/replays/${replayId}/tracks` };
}

/** Submits a clip of the kill, with a segment of the example's other player. */
async function submitted(demo_url: string, more: object = {}): Promise<string> {
  const timeline = [
    { steam64_id: player, start_tick: 45_200, end_tick: 45_400 },
    { steam64_id: other, start_tick: 43_000, end_tick: 43_064 },
  ];
  const response = await sendJson(scene.account.metered, 'POST', '/api/clips', { demo_url, timeline, ...more });
  expect(response.status).toBe(201);
  return (await response.json<{ job_id: string }>()).job_id;
}

const readJob = async (id: string) =>
  (await sendJson(scene.account.metered, 'GET', `/api/jobs/${id}?include=replay`)).json<JobDetail>();
const statusOf = async (path: string, init?: RequestInit) => {
  const response = await send(path, init);
  await response.arrayBuffer();
  return response.status;
};
/** Makes a key of the scene's account. */
async function newKey(more: object = {}): Promise<string> {
  const made = await admin('POST', `/accounts/${scene.account.id}/keys`, { kind: 'metered', ...more });
  return (await made.json<{ key: string }>()).key;
}
const publish = (id: string, key = scene.account.metered) => sendJson(key, 'POST', `/api/jobs/${id}/replay`);
/** Returns the path of a job's tracks, and cuts them if they are not there yet. */
async function tracksOf(id: string): Promise<string> {
  const { replay } = await (await publish(id)).json<{ replay: string }>();
  return `${new URL(replay).pathname}/tracks`;
}
const filesOf = async (clipId: string) => (await storedKeys()).filter((key) => key.includes(clipId));

async function openAt(path: string) {
  const file = await openTracks(async (start, length) => {
    const response = await send(path, { headers: { Range: `bytes=${start}-${start + length - 1}` } });
    return new Uint8Array(await response.arrayBuffer());
  });
  const span = { startTick: file.firstTick, endTick: file.lastTick + 1 };
  return { file, match: matchOf(file, await loadChunks(file, span)) };
}

describe('the replay of a demo', () => {
  it('is public once a host with the skill has written it, and a moment is one range request', async () => {
    const demo_url = newDemo();
    expect(await ask(demo_url)).toMatchObject({ state: 'pending', replay_url: null });
    expect(await scene.host.claim({ skills: ['inspect'] })).toBeNull();
    const { id } = await ask(demo_url);
    const grant = await claim(id);
    expect(grant.optional_files).toEqual(['tracks']);
    expect((await report(grant)).status).toBe(204);
    const { replay_url } = await readDemo(id);
    expect(replay_url).toBe(`${BASE_URL}/replays/${await clipIdOf(id)}`);
    expect(replay_url).not.toContain(id);
    const path = `/replays/${await clipIdOf(id)}/tracks`;

    const whole = await send(path);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-robots-tag': 'noindex',
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=300',
      etag: `"${(await announced(TRACKS)).sha256}"`,
    });
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(TRACKS);
    const etag = whole.headers.get('ETag') ?? '';
    expect(await statusOf(path, { headers: { 'If-None-Match': etag } })).toBe(304);
    const part = await send(path, { headers: { Range: 'bytes=4-9' } });
    expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, TRACKS.slice(4, 10)]);
    const { match } = await openAt(path);
    expect(match.kills).toEqual(kills);
    expect(JSON.stringify(match)).not.toContain('7656119');
    // It is no clip, and its account alone can find it.
    expect(await statusOf(`/clips/${await clipIdOf(id)}`)).toBe(404);
    expect(await statusOf(`/replays/${id}/tracks`)).toBe(404);
  });

  it('is not there unless it was asked for, and a demo that was read without it is read again', async () => {
    const demo_url = newDemo();
    const first = await ask(demo_url, {});
    const grant = await claim(first.id);
    expect(grant.optional_files).not.toContain('tracks');
    await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO });
    expect(await readDemo(first.id)).not.toHaveProperty('replay_url');
    expect(await ask(demo_url)).toMatchObject({ id: first.id, state: 'pending', replay_url: null });
    await report(await claim(first.id));
    const { replay_url } = await readDemo(first.id);
    expect(replay_url).toMatch(/\/replays\//);
    // Neither asks for anything new.
    for (const more of [{}, { replay: true }]) {
      expect(await ask(demo_url, more)).toMatchObject({ state: 'ready', replay_url });
    }
    const wrong = await sendJson(scene.account.metered, 'POST', '/api/demos', { demo_url, replay: 'yes' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { errors: [{ path: 'replay' }] }]);
  });

  it('is refused from a host if it is damaged, another file, or not the announced one', async () => {
    const { id } = await ask(newDemo());
    const grant = await claim(id);
    const damaged = TRACKS.slice();
    damaged[40] = (damaged[40] ?? 0) ^ 255;
    for (const bytes of [damaged, TRACKS.slice(0, -1), new Uint8Array(100)]) {
      const answer = await report(grant, bytes);
      expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ path: 'tracks' }] }]);
    }
    const announcedTracks = { ...(await announced(TRACKS)), bytes: 7 };
    const wrong = await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO, tracks: announcedTracks });
    expect(wrong.status).toBe(409);
    expect((await report(grant)).status).toBe(204);
  });

  it('ends with its inspection, with all its files', { tags: ['long'] }, async () => {
    const { id, demo_url, replayId, tracks } = await inspected();
    await upkeep(6 * DAY);
    expect(await statusOf(tracks)).toBe(200);
    await upkeep(2 * DAY);
    expect(await statusOf(tracks)).toBe(404);
    expect(await filesOf(replayId)).toEqual([`records/${replayId}.json`]);
    expect((await sendJson(scene.account.metered, 'GET', `/api/demos/${id}`)).status).toBe(404);
    // Another inspection of the demo has the same address.
    expect(await inspected(demo_url)).toMatchObject({ replayId });
    expect(await statusOf(tracks)).toBe(200);
  });

  it('ends at once when its account deletes the demo, or the upload that it is of', { tags: ['long'] }, async () => {
    const key = scene.account.metered;
    const bytes = crypto.getRandomValues(new Uint8Array(1000));
    const asked = { name: 'a.dem', bytes: bytes.length, sha256: await sha256Hex(bytes) };
    const upload = await (await sendJson(key, 'POST', '/api/uploads', asked)).json<Upload>();
    const headers = { Authorization: `Bearer ${key}` };
    await send(`/api/uploads/${upload.id}/part?part=1`, { method: 'PUT', headers, body: bytes });
    await sendJson(key, 'POST', `/api/uploads/${upload.id}/complete`);
    const [linked, ofUpload] = [await inspected(), await inspected(upload.demo_url)];
    const ofArchive = await inspected(`${upload.demo_url}#b.dem`);
    const others = await createAccount();
    expect((await sendJson(others.metered, 'DELETE', `/api/demos/${linked.id}`)).status).toBe(404);
    expect((await sendJson(key, 'DELETE', `/api/demos/${await submitted(linked.demo_url)}`)).status).toBe(404);
    expect([await statusOf(linked.tracks), await statusOf(ofUpload.tracks)]).toEqual([200, 200]);
    expect((await sendJson(key, 'DELETE', `/api/demos/${linked.id}`)).status).toBe(204);
    expect((await sendJson(key, 'DELETE', `/api/uploads/${upload.id}`)).status).toBe(204);
    for (const { id, replayId, tracks } of [linked, ofUpload, ofArchive]) {
      expect([await statusOf(tracks), await statusOf(`/replays/${replayId}`)]).toEqual([404, 404]);
      expect(await filesOf(replayId)).toEqual([`records/${replayId}.json`]);
      expect((await sendJson(key, 'GET', `/api/demos/${id}`)).status).toBe(404);
      expect(await bindings.DB.prepare('SELECT id FROM jobs WHERE id = ?').bind(id).first()).toBeNull();
    }
    // A host that reads the demo at that time reports to nobody; asked again, the demo is read again.
    const pending = await ask(linked.demo_url);
    const grant = await claim(pending.id);
    expect((await sendJson(key, 'DELETE', `/api/demos/${pending.id}`)).status).toBe(204);
    expect((await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO })).status).toBe(409);
    expect(await inspected(linked.demo_url)).toMatchObject({ id: linked.id, replayId: linked.replayId });
    expect(await statusOf(linked.tracks)).toBe(200);
  });

  it('stays while a newer reader reads the demo again, and if that fails, until it is replaced', {
    tags: ['long'],
  }, async () => {
    for (const fails of [true, false]) {
      const demo_url = newDemo();
      const { id } = await ask(demo_url);
      expect((await report(await claim(id), TRACKS, { ...FOUND_DEMO, reader: undefined })).status).toBe(204);
      const { replay_url } = await readDemo(id);
      const tracks = `${new URL(replay_url ?? '').pathname}/tracks`;
      const before = await filesOf(await clipIdOf(id));
      vi.setSystemTime(Date.now() + HOUR);
      expect(await ask(demo_url)).toMatchObject({ state: 'pending', replay_url });
      expect(await statusOf(tracks)).toBe(200);
      const grant = await claim(id);
      if (fails) await scene.host.report(grant, 'fail', { code: 'demo_404', detail: 'the link has expired' });
      else await report(grant);
      expect(await readDemo(id)).toMatchObject({ state: 'ready', replay_url });
      expect(await statusOf(tracks)).toBe(200);
      const after = async () => (await filesOf(await clipIdOf(id))).filter((key) => !before.includes(key)).length;
      await expect.poll(after).toBe(fails ? 0 : 1);
      expect(await filesOf(await clipIdOf(id))).toHaveLength(2);
    }
  });

  it('is written by another run if the one under way was asked for without it', async () => {
    for (const isLeased of [false, true]) {
      const demo_url = newDemo();
      const { id } = await ask(demo_url, {});
      const grant = isLeased ? await claim(id) : null;
      expect(await ask(demo_url)).toMatchObject({ id, state: 'pending', replay_url: null });
      expect(await ask(demo_url)).toMatchObject({ id, state: 'pending', replay_url: null });
      if (grant) expect((await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO })).status).toBe(409);
      expect((await report(await claim(id))).status).toBe(204);
      expect((await readDemo(id)).replay_url).toMatch(/\/replays\//);
    }
  });

  it('ends for good when the operator takes it down, and the demo is not read for it again', async () => {
    const { id, demo_url, replayId, tracks } = await inspected();
    expect((await admin('DELETE', `/clips/${replayId}`, { reason: 'It shows an address.' })).status).toBe(204);
    expect(await statusOf(tracks)).toBe(410);
    await fireAlarm(id);
    expect(await filesOf(replayId)).toEqual([`records/${replayId}.json`]);
    expect(await ask(demo_url)).toMatchObject({ state: 'ready', replay_url: null });
    expect((await admin('DELETE', `/clips/${replayId}`, { reason: 'again' })).status).toBe(204);
    for (let i = 0; i < 2; i++) {
      expect((await sendJson(scene.account.metered, 'DELETE', `/api/demos/${id}`)).status).toBe(204);
      expect(await statusOf(tracks)).toBe(410);
      expect(await ask(demo_url)).toMatchObject({ state: 'pending' });
      await scene.host.report(await claim(id), 'inspected', { demo: FOUND_DEMO });
    }
    await upkeep(8 * DAY);
    expect(await ask(demo_url)).toMatchObject({ state: 'pending' });
    const grant = await claim(id);
    expect(grant.optional_files).not.toContain('tracks');
    await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO });
    expect(await statusOf(tracks)).toBe(410);
  });

  it('is erased with its account, and so is why the operator took it down, even if it was forgotten since', {
    tags: ['long'],
  }, async () => {
    // The inspection of the first is forgotten before the erasure.
    for (const wait of [8 * DAY, 0]) {
      const removed = await inspected();
      expect((await admin('DELETE', `/clips/${removed.replayId}`, { reason: 'It shows Ada.' })).status).toBe(204);
      await upkeep(wait);
    }
    expect(await indexText()).toContain('Ada');
    const { replayId, tracks } = await inspected();
    expect((await admin('POST', `/accounts/${scene.account.id}/erase`, { name: 'test account' })).status).toBe(202);
    for (let i = 0; i < 4; i++) await upkeep(HOUR);
    expect(await statusOf(tracks)).toBe(404);
    expect(await filesOf(replayId)).toEqual([`records/${replayId}.json`]);
    expect(await indexText()).not.toContain('Ada');
  });

  it('obeys the sites of its account, and is hidden with its clips', { tags: ['long'] }, async () => {
    const { tracks } = await inspected();
    const clip = await submitted((await inspected()).demo_url);
    const ofClip = await tracksOf(clip);
    await sendJson(scene.account.metered, 'PATCH', '/api/viewing', { embed_sites: ['example.com'] });
    for (let i = 0; i < 3; i++) await upkeep(2 * 60_000);
    for (const path of [tracks, ofClip]) {
      expect(await statusOf(path, { headers: { Origin: 'https://elsewhere.example.org' } })).toBe(403);
      expect(await statusOf(path, { headers: { Origin: 'https://example.com' } })).toBe(200);
      expect(await statusOf(path)).toBe(200);
    }
    await admin('PATCH', `/accounts/${scene.account.id}`, { suspended: true, hide_clips: true });
    for (let i = 0; i < 3; i++) await upkeep(2 * 60_000);
    for (const path of [tracks, ofClip]) expect(await statusOf(path)).toBe(410);
    await admin('PATCH', `/accounts/${scene.account.id}`, { suspended: false });
    for (let i = 0; i < 3; i++) await upkeep(2 * 60_000);
    for (const path of [tracks, ofClip]) expect(await statusOf(path)).toBe(200);
  });

  it('keeps its file when orphans are swept', { tags: ['long'] }, async () => {
    const { tracks } = await inspected();
    const ofClip = await tracksOf(await submitted((await inspected()).demo_url));
    for (let i = 0; i < 3; i++) await upkeep(2 * HOUR);
    for (const path of [tracks, ofClip]) expect(await statusOf(path)).toBe(200);
  });
});

describe('the replay of a clip', () => {
  it('is there while the job waits and no host runs, and has only its ticks, with its shots', async () => {
    const { demo_url } = await inspected();
    const jobId = await submitted(demo_url, { title_card: true, card_seconds: 2 });
    expect(await sendJson(scene.account.metered, 'GET', `/api/jobs/${jobId}`).then((r) => r.json())).not.toHaveProperty(
      'replay',
    );
    const clipId = await clipIdOf(jobId);
    expect(await readJob(jobId)).toMatchObject({ status: 'pending', replay: null });
    const replay = `${BASE_URL}/replays/${clipId}`;
    expect(await (await publish(jobId)).json()).toEqual({ job_id: jobId, replay });
    expect(await readJob(jobId)).toMatchObject({ status: 'pending', replay });
    const { file, match } = await openAt(`/replays/${clipId}/tracks`);
    expect(file).toMatchObject({ firstTick: 43_000, lastTick: 45_399, leadSeconds: 2 });
    expect(file.chunks.map(({ startTick, endTick }) => [startTick, endTick])).toEqual([
      [43_000, 43_024],
      [43_024, 43_064],
      [45_200, 45_400],
    ]);
    expect(shotsOf(file)).toMatchObject([
      { startTick: 45_200, endTick: 45_400, pov: 0, kills },
      { startTick: 43_000, endTick: 43_064, pov: 1, kills: [] },
    ]);
    const at = (tick: number) => match.tracks.x[tick - match.tracks.firstTick];
    expect(at(45_300)).toBeCloseTo(-700 + (45_300 - FIRST) * 1.5, 0);
    expect(at(44_000)).toBe(0);
    expect(await statusOf(`/clips/${clipId}`)).toBe(404);
    expect(await statusOf(`/clips/${clipId}/video.mp4`)).toBe(404);
  });

  it('is cut once, by whoever asks first, also at the same time', { tags: ['long'] }, async () => {
    const { demo_url } = await inspected();
    const jobId = await submitted(demo_url);
    const asked = await Promise.all([tracksOf(jobId), tracksOf(jobId), tracksOf(jobId)]);
    expect(new Set(asked).size).toBe(1);
    const clipId = await clipIdOf(jobId);
    expect(await filesOf(clipId)).toHaveLength(2);
    await publish(jobId);
    expect(await filesOf(clipId)).toHaveLength(2);
  });

  it('needs a demo that this account has inspected with `replay`', { tags: ['long'] }, async () => {
    const { demo_url } = await inspected();
    const theirs = await createAccount();
    const timeline = [{ steam64_id: player, start_tick: 45_200, end_tick: 45_400 }];
    const job = await sendJson(theirs.metered, 'POST', '/api/clips', { demo_url, timeline });
    const { job_id } = await job.json<{ job_id: string }>();
    for (const refused of [await publish(job_id, theirs.metered), await publish(await submitted(newDemo()))]) {
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('with `replay`')]);
    }
    expect((await publish(await submitted(demo_url), theirs.metered)).status).toBe(404);
  });

  it('is published by a key of scope `manage`, unless the account is suspended', async () => {
    const jobId = await submitted((await inspected()).demo_url);
    for (const scope of ['read', 'submit']) expect((await publish(jobId, await newKey({ scope }))).status).toBe(403);
    await admin('PATCH', `/accounts/${scene.account.id}`, { suspended: true });
    expect((await publish(jobId, await newKey())).status).toBe(403);
    expect(await filesOf(await clipIdOf(jobId))).toEqual([]);
  });

  it('stays beside the video when that is ready, and ends with it', { tags: ['long'] }, async () => {
    const { demo_url } = await inspected();
    const jobId = await submitted(demo_url);
    const tracks = await tracksOf(jobId);
    const clipId = await clipIdOf(jobId);
    await scene.host.finish(await scene.host.claimJob(jobId));
    expect([await statusOf(tracks), await statusOf(`/clips/${clipId}/video.mp4`)]).toEqual([200, 200]);
    expect((await sendJson(scene.account.metered, 'DELETE', `/api/clips/${clipId}`)).status).toBe(204);
    expect([await statusOf(tracks), await statusOf(`/clips/${clipId}/video.mp4`)]).toEqual([410, 410]);
    await fireAlarm(jobId);
    expect(await filesOf(clipId)).toEqual([`records/${clipId}.json`]);
    expect(await readJob(jobId)).toMatchObject({ replay: null });
  });

  it('expires with the clip, also after its demo has', { tags: ['long'] }, async () => {
    const { demo_url, tracks: ofDemo } = await inspected();
    const jobId = await submitted(demo_url);
    await scene.host.finish(await scene.host.claimJob(jobId));
    const tracks = await tracksOf(jobId);
    await upkeep(10 * DAY);
    expect([await statusOf(ofDemo), await statusOf(tracks)]).toEqual([404, 200]);
    await upkeep(21 * DAY);
    await fireAlarm(jobId);
    expect(await statusOf(tracks)).toBe(410);
    expect(await filesOf(await clipIdOf(jobId))).toEqual([`records/${await clipIdOf(jobId)}.json`]);
  });

  it('is that of the present request after a redo, and never of another than its clip', {
    tags: ['long'],
  }, async () => {
    const { demo_url } = await inspected();
    const jobId = await submitted(demo_url, { idempotency_key: `key-${made}` });
    const before = await openAt(await tracksOf(jobId));
    await scene.host.finish(await scene.host.claimJob(jobId));
    const timeline = [{ steam64_id: player, start_tick: 44_000, end_tick: 44_100 }];
    const again = { demo_url, timeline, idempotency_key: `key-${made}`, force: true };
    await sendJson(scene.account.metered, 'POST', '/api/clips', again);
    expect(await readJob(jobId)).toMatchObject({ status: 'pending', replay: null });
    await scene.host.finish(await scene.host.claimJob(jobId));
    const after = await openAt(await tracksOf(jobId));
    expect([before.file.lastTick, after.file.lastTick]).toEqual([45_399, 44_099]);
  });

  it('ends for good when the operator takes it down before the clip is there', async () => {
    const { demo_url } = await inspected();
    const jobId = await submitted(demo_url);
    const tracks = await tracksOf(jobId);
    const clipId = await clipIdOf(jobId);
    expect((await admin('DELETE', `/clips/${clipId}`, { reason: 'It shows an address.' })).status).toBe(204);
    expect(await statusOf(tracks)).toBe(410);
    expect(await readJob(jobId)).toMatchObject({ status: 'error', error_code: 'clip_removed', replay: null });
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    expect(await readJob(jobId)).toMatchObject({ status: 'error', error_code: 'clip_removed', replay: null });
    expect(await statusOf(tracks)).toBe(410);
  });
});

it('is published by a key of scope manage alone', async () => {
  const { id } = scene.account;
  const made = await admin('POST', `/accounts/${id}/keys`, { kind: 'metered', scope: 'submit' });
  const { key } = await made.json<{ key: string }>();
  const inspect = (more: object) => sendJson(key, 'POST', '/api/demos', { demo_url: newDemo(), ...more });
  expect([(await inspect({ replay: true })).status, (await inspect({})).status]).toEqual([403, 202]);
});

it('GET and HEAD write nothing, whoever asks: no row of the index or of a job, and no file', {
  tags: ['long'],
}, async () => {
  await watchWork();
  const rows = await countRows();
  const { account, host } = scene;
  const { metered: key } = account;
  const idOf = async (made: Promise<Response>) => {
    const { id } = await (await made).json<{ id?: string }>();
    return id ?? expect.fail('it was not made');
  };
  const make = (path: string, body: object) => idOf(sendJson(key, 'POST', path, body));
  // A job whose replay could be published, a clip, and one of everything else that has an address.
  const demo = await inspected();
  const jobs = [await submitted(demo.demo_url), await submitted(newDemo())];
  await host.finish(await host.claimJob(jobs[1] ?? ''));
  const image = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' };
  const asset = send('/api/assets?kind=watermark', { method: 'POST', headers: image, body: PICTURES.png });
  const ids: Record<string, readonly string[]> = {
    jobs,
    clips: [await clipIdOf(jobs[1] ?? '')],
    replays: [demo.replayId],
    demos: [demo.id],
    assets: [await idOf(asset)],
    uploads: [await make('/api/uploads', { name: 'a.dem', bytes: 9, sha256: 'a'.repeat(64) })],
    rules: [await make('/api/rules', { name: 'all', render: { what: 'highlights' } })],
    accounts: [account.id],
    hosts: (await bindings.DB.prepare('SELECT id FROM hosts').all<{ id: string }>()).results.map(({ id }) => id),
    errors: ['demo_404'],
  };
  const more = `url=${BASE_URL}/clips/${ids.clips}`;
  const queries = ['', `include=${JOB_INCLUDES}`, 'include=urls,expiry,renderer,removal', more, 'q=match'];
  const tokens = new Map(
    Object.entries({ account: key, host: host.token, operator: ADMIN_TOKEN, session: ADMIN_TOKEN }),
  );
  const safe = Object.values<Operation>(OPERATIONS).filter(({ route }) => methodOf(route) === 'GET');
  const answered = new Set<string>();
  // The first use of a key is noted. So is each export of an account, in the audit log.
  for (const token of [key, host.token]) await sendJson(token, 'GET', '/api/jobs');
  await allAtRest();
  const stored = async () => ({ index: await indexText(['audit']), files: await storedFiles() });
  const before = await stored();
  rows.reset();
  for (const { route, scope } of safe) {
    const headers = { Authorization: `Bearer ${tokens.get(splitScope(scope)[0])}` };
    const noun = pathOf(route).split('/:')[0]?.split('/').at(-1) ?? '';
    const [first, second] = [/:[a-z]+/, /:[a-z]+$/];
    const paths = (ids[noun] ?? ['x']).map((id) => pathOf(route).replace(first, id).replace(second, 'x'));
    for (const url of paths.flatMap((path) => queries.map((query) => `${path}?${query}`))) {
      for (const method of ['GET', 'HEAD']) {
        const context = createExecutionContext();
        const leaving = new AbortController();
        const response = await send(url, { method, headers, signal: leaving.signal }, context);
        if (response.headers.get('Content-Type') === 'text/event-stream') leaving.abort();
        else await response.arrayBuffer();
        await waitOnExecutionContext(context);
        if (response.status < 400) answered.add(route);
      }
    }
  }
  await allAtRest();
  expect(await stored()).toEqual(before);
  expect(rows.ofJobs()).toBe(0);
  // The others need what is not there, such as a storyboard.
  expect(safe.length - answered.size).toBe(8);
});
