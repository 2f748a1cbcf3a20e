import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { reloadRecord } from '#storage/clip/record-cache.ts';
import { storedKeys } from '#test/support/objects.ts';
import { createClipMaker, jobIdOf } from '../support/accounts.ts';
import { freezeClock } from '../support/clock.ts';
import { evict, fireAlarm } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, roundRequest, send, sendJson } from '../support/service.ts';
import { THUMBNAIL } from '../support/test-host.ts';
import { createInbox } from '../support/webhooks.ts';

const MINUTE = 60_000;
const FILES = ['video.mp4', 'thumbnail.jpg', 'storyboard.jpg'];

const admin = (method: string, path: string, body?: object) => sendJson(ADMIN_TOKEN, method, `/admin${path}`, body);
const takeDown = (id: string, reason = 'It shows an address.') => admin('DELETE', `/clips/${id}`, { reason });
const statuses = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const response = await send(path);
      await response.arrayBuffer();
      return response.status;
    }),
  );
const shownAt = (id: string) => [
  ...['', '/embed', ...FILES.map((file) => `/${file}`)].map((path) => `/clips/${id}${path}`),
  `/oembed?url=${encodeURIComponent(`${BASE_URL}/clips/${id}`)}`,
];
const passUpkeep = async (ms: number) => {
  vi.setSystemTime(Date.now() + ms);
  return runUpkeep(createService(bindings), Date.now());
};

let maker: Awaited<ReturnType<typeof createClipMaker>>;
beforeEach(async () => {
  freezeClock();
  maker = await createClipMaker();
});
const accountOf = async (clipId: string) => {
  const story = await admin('GET', `/jobs/${await jobIdOf(clipId)}`);
  return (await story.json<{ account_id: string }>()).account_id;
};
const readClip = async (id: string) =>
  (await sendJson(maker.key, 'GET', `/api/clips/${id}?include=removal`)).json<Record<string, unknown>>();

describe('a clip that the operator takes down', () => {
  it('answers 410 at once, also where page and slices of its files were cached, and its files are deleted', {
    tags: ['long'],
  }, async () => {
    const id = await maker.make({ storyboard: THUMBNAIL });
    const before = await statuses(shownAt(id));
    expect(new Set(before)).toEqual(new Set([200]));
    expect((await takeDown(id)).status).toBe(204);
    expect(await statuses(shownAt(id))).toEqual(before.map(() => 410));
    const page = await (await send(`/clips/${id}`)).text();
    expect(page).toContain('This clip was removed');
    expect(page).not.toContain('address');
    const asked = await send(`/clips/${id}`, { headers: { Accept: 'application/json' } });
    expect(await asked.json()).toMatchObject({ status: 410, type: expect.stringContaining('#gone') });
    await fireAlarm(await jobIdOf(id));
    expect((await storedKeys()).filter((key) => key.includes(id))).toEqual([`records/${id}.json`]);
  });

  it('tells its owner why, in an include alone, and stays as it is', { tags: ['long'] }, async () => {
    const id = await maker.make();
    const usual = Object.keys((await (await sendJson(maker.key, 'GET', `/api/clips/${id}`)).json()) as object);
    expect((await readClip(id)).removal).toBeNull();
    await takeDown(id, '  It shows\n an\u202e address. ');
    const removal = { at: new Date().toISOString(), reason: 'It shows an address.' };
    expect(await readClip(id)).toMatchObject({ state: 'deleted', is_saved: false, removal });
    vi.setSystemTime(Date.now() + 1000);
    expect((await takeDown(id, 'another')).status).toBe(204);
    for (const change of ['save', 'unsave']) {
      expect((await sendJson(maker.key, 'POST', `/api/clips/${id}/${change}`)).status).toBe(204);
    }
    expect((await maker.remove(id)).status).toBe(204);
    await evict(await jobIdOf(id));
    expect(await readClip(id)).toMatchObject({ state: 'deleted', is_saved: false, removal });
    const plain = (await (await sendJson(maker.key, 'GET', `/api/clips/${id}`)).json()) as object;
    expect(Object.keys(plain)).toEqual(usual);
    const list = await sendJson(maker.key, 'GET', '/api/clips?include=removal');
    expect(await list.json()).toMatchObject({ clips: [{ id, state: 'deleted', removal }] });
    expect(await (await admin('GET', `/jobs/${await jobIdOf(id)}`)).json()).toMatchObject({ clip: { removal } });
  });

  it('is not brought back by a resubmit or a redo: both are accepted, and end at once with help', {
    tags: ['long'],
  }, async () => {
    const inbox = createInbox();
    const request = roundRequest({ idempotency_key: crypto.randomUUID(), webhook_url: inbox.url });
    const submitted = await sendJson(maker.key, 'POST', '/api/clips', request);
    const { job_id: jobId } = await submitted.json<{ job_id: string }>();
    await maker.host.finish(await maker.host.claimJob(jobId));
    const { clip_id: id } = await readJob<{ clip_id: string }>(maker.key, jobId);
    await takeDown(id);
    expect((await sendJson(maker.key, 'POST', '/api/clips', request)).status).toBe(200);
    expect(await readJob(maker.key, jobId)).toMatchObject({ status: 'done', clip_id: id });
    const again = [
      () => sendJson(maker.key, 'POST', `/api/jobs/${jobId}/resubmit`),
      () => sendJson(maker.key, 'POST', '/api/clips', { ...request, force: true }),
    ];
    for (const send of again) {
      expect((await send()).status).toBe(200);
      const job = await (await sendJson(maker.key, 'GET', `/api/jobs/${jobId}?include=diagnosis`)).json();
      expect(job).toMatchObject({ status: 'error', error_code: 'clip_removed', clip_id: null });
      expect(JSON.stringify(job)).toContain('include=removal');
    }
    expect(await maker.host.claim()).toBeNull();
    expect(await statuses([`/clips/${id}`])).toEqual([410]);
    await fireAlarm(jobId);
    const last = (await inbox.received()).at(-1);
    expect(JSON.parse(last?.body ?? '')).toMatchObject({ event: 'job.failed', error_code: 'clip_removed' });
  });

  it('ends a run that is under way: its host is refused', { tags: ['long'] }, async () => {
    const id = await maker.make();
    const jobId = await jobIdOf(id);
    await sendJson(maker.key, 'POST', `/api/jobs/${jobId}/resubmit`);
    const grant = await maker.host.claimJob(jobId);
    await maker.host.heartbeat(grant);
    expect((await takeDown(id)).status).toBe(204);
    expect((await maker.host.heartbeat(grant)).status).toBe(409);
    expect(await readJob(maker.key, jobId)).toMatchObject({ status: 'error', error_code: 'clip_removed' });
  });

  it('may be of a suspended account, needs a reason of a bounded length, and a role; the audit log names it', async () => {
    const id = await maker.make();
    await admin('PATCH', `/accounts/${await accountOf(id)}`, { suspended: true });
    for (const reason of ['', ' \u200b ', 'x'.repeat(501)]) expect((await takeDown(id, reason)).status).toBe(400);
    expect((await admin('DELETE', `/clips/${id}`)).status).toBe(415);
    const operator = await admin('POST', '/operators', { name: 'Ada', role: 'operate' });
    const { token } = await operator.json<{ token: string }>();
    const body = { reason: 'It shows an address.' };
    expect((await sendJson(maker.key, 'DELETE', `/admin/clips/${id}`, body)).status).toBe(401);
    expect((await sendJson(token, 'DELETE', `/admin/clips/${id}`, body)).status).toBe(204);
    expect(await statuses([`/clips/${id}`])).toEqual([410]);
    expect((await takeDown(crypto.randomUUID())).status).toBe(404);
    const { entries } = await (await admin('GET', '/audit?limit=200')).json<{ entries: object[] }>();
    const target = { id, account_id: await accountOf(id) };
    const noted = { action: 'removeClip', operator: 'Ada', target, changes: JSON.stringify(body), status: 204 };
    expect(entries).toContainEqual(expect.objectContaining(noted));
  });
});

describe('the clips of a suspended account', () => {
  it('are hidden if the operator says so, new ones at once, and come back when it is resumed', {
    tags: ['long'],
  }, async () => {
    const [first, second] = [await maker.make(), await maker.make()];
    const account = await accountOf(first);
    const change = async (body: object) => (await admin('PATCH', `/accounts/${account}`, body)).json();
    expect(await change({ suspended: true })).toMatchObject({ clips_hidden: false });
    await passUpkeep(2 * MINUTE);
    expect(await statuses([`/clips/${first}`])).toEqual([200]);
    expect(await change({ suspended: true, hide_clips: true })).toMatchObject({ clips_hidden: true });
    // The sweep begins a minute later, and isolates cache records for seconds.
    const afterSweep = async () => {
      const report = await passUpkeep(2 * MINUTE);
      for (const id of [first, second]) await reloadRecord(createService(bindings), id, () => {});
      return report.shown;
    };
    expect(await afterSweep()).toBe(2);
    expect(await statuses([...shownAt(first), ...shownAt(second)])).toEqual(Array(12).fill(410));
    expect((await storedKeys()).filter((key) => key.includes(first)).length).toBeGreaterThan(2);
    expect(await change({ suspended: true })).toMatchObject({ clips_hidden: true });
    expect(await afterSweep()).toBe(0);
    expect(await change({ suspended: false })).toMatchObject({ clips_hidden: false, suspended_at: null });
    expect(await afterSweep()).toBe(2);
    expect(await statuses([`/clips/${first}`, `/clips/${second}/video.mp4`])).toEqual([200, 200]);
    expect(await readClip(first)).toMatchObject({ state: 'ready', removal: null });
  });

  it('are not hidden without a suspension', async () => {
    const account = await accountOf(await maker.make());
    for (const body of [{ hide_clips: true }, { suspended: false, hide_clips: true }]) {
      expect((await admin('PATCH', `/accounts/${account}`, body)).status).toBe(400);
    }
  });
});
