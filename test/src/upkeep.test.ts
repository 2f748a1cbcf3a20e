import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { clipIdOf } from '../support/accounts.ts';
import { SAYS } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { evict, fireAlarm, useScenario } from '../support/scenario.ts';
import { bindings, readJob, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const DAY = 24 * 60 * 60 * 1000;
const TTL = 30 * DAY;

const scene = useScenario();

async function makeClip(): Promise<{ jobId: string; clipId: string }> {
  const jobId = await submit(scene.account.metered);
  await scene.host.finish(await scene.host.claimJob(jobId));
  await fireAlarm(jobId);
  const { clip_id } = await readJob<{ clip_id: string }>(scene.account.metered, jobId);
  return { jobId, clipId: clip_id };
}

async function stateOf(clipId: string): Promise<unknown> {
  return (await (await sendJson(scene.account.metered, 'GET', `/api/clips/${clipId}`)).json<{ state: string }>()).state;
}

async function upkeep(batch?: number): Promise<void> {
  await runUpkeep(createService(bindings), Date.now(), batch);
}

/** Clears the upkeep times of other jobs, so that a run of the cron skips them. */
async function forgetOthers(): Promise<void> {
  await bindings.DB.prepare('UPDATE jobs SET watch_at = NULL').run();
}

describe('expiry of clips', () => {
  it('deletes an unsaved clip and its files after the period, and not a moment earlier', {
    tags: ['long'],
  }, async () => {
    const { jobId, clipId } = await makeClip();
    vi.setSystemTime(Date.now() + TTL);
    await upkeep();
    expect(await stateOf(clipId)).toBe('ready');
    vi.setSystemTime(Date.now() + 1);
    await upkeep();
    expect(await stateOf(clipId)).toBe('deleted');
    await fireAlarm(jobId);
    expect((await bindings.CLIPS.list({ prefix: `clips/${clipId}/` })).objects).toEqual([]);
    expect((await send(`/clips/${clipId}/video.mp4`)).status).toBe(410);
    expect((await send(`/clips/${clipId}`)).status).toBe(410);
  });

  it('never deletes a saved clip, even if the index does not have that yet', async () => {
    const { clipId } = await makeClip();
    await sendJson(scene.account.metered, 'POST', `/api/clips/${clipId}/save`);
    await bindings.DB.prepare('UPDATE clips SET is_saved = 0 WHERE id = ?').bind(clipId).run();
    vi.setSystemTime(Date.now() + 2 * TTL);
    await upkeep();
    expect(await stateOf(clipId)).toBe('ready');
  });

  it('counts from the last render of the clip', { tags: ['long'] }, async () => {
    const { jobId, clipId } = await makeClip();
    vi.setSystemTime(Date.now() + TTL - DAY);
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await scene.host.finish(await scene.host.claimJob(jobId));
    vi.setSystemTime(Date.now() + 2 * DAY);
    await upkeep();
    expect(await stateOf(clipId)).toBe('ready');
  });
});

async function moveToClips(key: string): Promise<void> {
  await bindings.CLIPS.put(key, (await (await bindings.ASSETS.get(key))?.arrayBuffer()) ?? null);
  await bindings.ASSETS.delete(key);
}

describe('deleted assets', () => {
  it('lose their file and their row after a day, and others nothing', async () => {
    const upload = async () => {
      const headers = { Authorization: `Bearer ${scene.account.metered}`, 'Content-Type': 'image/png' };
      const response = await send('/api/assets?kind=watermark', { method: 'POST', headers, body: PICTURES.png });
      return (await response.json<{ id: string }>()).id;
    };
    const [kept, deleted, former] = [await upload(), await upload(), await upload()];
    for (const id of [deleted, former]) await sendJson(scene.account.metered, 'DELETE', `/api/assets/${id}`);
    const stored = async () => {
      const prefix = `assets/${scene.account.id}/`;
      const lists = await Promise.all([bindings.ASSETS, bindings.CLIPS].map((bucket) => bucket.list({ prefix })));
      return lists.flatMap(({ objects }) => objects.map(({ key }) => key.split('/').at(-1))).toSorted();
    };
    // Images were stored there before they had their own bucket.
    await moveToClips(`assets/${scene.account.id}/${former}`);
    vi.setSystemTime(Date.now() + DAY);
    await upkeep();
    expect(await stored()).toEqual([kept, deleted, former].toSorted());
    vi.setSystemTime(Date.now() + 1);
    await upkeep();
    expect(await stored()).toEqual([kept]);
    const { results } = await bindings.DB.prepare('SELECT id FROM assets WHERE account_id = ?')
      .bind(scene.account.id)
      .all();
    expect(results).toEqual([{ id: kept }]);
  });
});

describe('an asset whose upload failed', () => {
  const upload = async () => {
    const headers = { Authorization: `Bearer ${scene.account.metered}`, 'Content-Type': 'image/png' };
    const response = await send('/api/assets?kind=watermark', { method: 'POST', headers, body: PICTURES.png });
    await response.arrayBuffer();
    return response.status;
  };
  const files = async () => (await bindings.ASSETS.list({ prefix: `assets/${scene.account.id}/` })).objects.length;
  const listed = async () =>
    (await (await sendJson(scene.account.metered, 'GET', '/api/assets')).json<{ assets: unknown[] }>()).assets.length;

  it.each([
    ['before its row was written', /INSERT INTO "?assets/i, 0],
    ['after its file was stored', /UPDATE "?assets/i, 1],
  ])('%s is not listed, and leaves no file for longer than a day', async (_, failing, left) => {
    const prepare = bindings.DB.prepare.bind(bindings.DB);
    const broken = vi.spyOn(bindings.DB, 'prepare').mockImplementation((query) => {
      if (failing.test(query)) throw new Error(SAYS.d1[6]);
      return prepare(query);
    });
    const status = await upload();
    broken.mockRestore();
    expect([status, await files(), await listed()]).toEqual([503, left, 0]);
    expect(await upload()).toBe(201);
    vi.setSystemTime(Date.now() + DAY + 1);
    await upkeep();
    expect([await files(), await listed()]).toEqual([1, 1]);
  });
});

/** Makes a job unreadable, as if a later version had written its state before a rollback. */
async function unreadable(): Promise<string> {
  const jobId = await submit(scene.account.metered);
  // The effects of the submit would write the state again.
  await fireAlarm(jobId);
  await evict(jobId);
  await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => {
    const { state } = storage.sql.exec('SELECT state FROM job').one();
    storage.sql.exec('UPDATE job SET state = ?', JSON.stringify({ ...JSON.parse(String(state)), v: 99 }));
  });
  await evict(jobId);
  return jobId;
}

describe('files that nothing refers to', () => {
  const HOUR = 60 * 60 * 1000;

  /** R2 sets the dates of files. Alarms are far ahead, and none fires by itself. */
  const toRealClock = () => void vi.setSystemTime(vi.getRealSystemTime());

  it('are removed after an hour, page by page; those of clips and of attempts stay', { tags: ['long'] }, async () => {
    const { clipId } = await makeClip();
    const working = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(working);
    await scene.host.heartbeat(grant);
    await scene.host.upload(grant, 'video', new Uint8Array([1]));
    const workingClip = await clipIdOf(working);
    const attempt = `clips/${workingClip}/${grant.lease.fence}/video.mp4`;
    const stray = [`clips/${clipId}/9/video.mp4`, `clips/${crypto.randomUUID()}/1/video.mp4`, 'clips/what/is/this'];
    for (const key of stray) await bindings.CLIPS.put(key, 'x');
    const many = Array.from({ length: 250 }, (_, i) => `clips/${workingClip}/0/${i}`);
    await Promise.all(many.map((key) => bindings.CLIPS.put(key, 'x')));
    const there = async (key: string) => (await bindings.CLIPS.head(key)) !== null;
    toRealClock();
    await upkeep();
    expect(await Promise.all(stray.map(there))).toEqual([true, true, true]);
    vi.setSystemTime(Date.now() + HOUR + 60_000);
    await scene.host.heartbeat(grant);
    for (let runs = 0; runs < 6; runs++) await upkeep();
    expect(await Promise.all(stray.map(there))).toEqual([false, false, false]);
    expect(await there(`clips/${workingClip}/0/249`)).toBe(false);
    expect(await there(attempt)).toBe(true);
    expect(await there(`clips/${clipId}/1/video.mp4`)).toBe(true);
  });

  it('are removed once demos as old have expired, if they are demos; those of uploads stay', async () => {
    const key = (id: string) => `demos/${scene.account.id}/${id}`;
    const [kept, stray] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const id of [kept, stray]) await bindings.ASSETS.put(key(id), 'x');
    await bindings.ASSETS.put('demos/what', 'x');
    const row = `INSERT INTO uploads (id, account_id, name, bytes, created_at, expires_at, completed_at)
      VALUES (?, ?, 'a.dem', 1, 0, ?, 1)`;
    await bindings.DB.prepare(row).bind(kept, scene.account.id, Number.MAX_SAFE_INTEGER).run();
    const there = async () =>
      Promise.all([key(kept), key(stray), 'demos/what'].map(async (one) => (await bindings.ASSETS.head(one)) !== null));
    toRealClock();
    vi.setSystemTime(Date.now() + 6 * DAY);
    await upkeep();
    expect(await there()).toEqual([true, true, true]);
    vi.setSystemTime(Date.now() + 2 * DAY);
    await upkeep();
    expect(await there()).toEqual([true, false, false]);
  });

  it('of a job that does not answer stay, and those of others are removed', async () => {
    const broken = `clips/${await clipIdOf(await unreadable())}/1/video.mp4`;
    const stray = `clips/${crypto.randomUUID()}/1/video.mp4`;
    for (const key of [broken, stray]) await bindings.CLIPS.put(key, 'x');
    toRealClock();
    vi.setSystemTime(Date.now() + 2 * HOUR);
    for (let runs = 0; runs < 4; runs++) await upkeep();
    expect(await bindings.CLIPS.head(broken)).not.toBeNull();
    expect(await bindings.CLIPS.head(stray)).toBeNull();
  });
});

describe('a job that does not answer', () => {
  it('blocks no other: the cron continues and retries it', async () => {
    await forgetOthers();
    const broken = await unreadable();
    const stuck = await submit(scene.account.metered);
    await scene.host.report(await scene.host.claimJob(stuck), 'fail', { code: 'download_timeout', detail: '' });
    await fireAlarm(stuck);
    vi.setSystemTime(Date.now() + 6 * 60_000);
    await bindings.DB.prepare('UPDATE jobs SET watch_at = 1 WHERE id = ?').bind(broken).run();
    await upkeep(1);
    expect(await readJob(scene.account.metered, stuck)).toMatchObject({ status: 'pending' });
    const row = await bindings.DB.prepare('SELECT watch_at FROM jobs WHERE id = ?').bind(broken).first();
    expect(row).toEqual({ watch_at: Date.now() + 5 * 60_000 });
  });

  it('does not keep a host from the next one in the queue', async () => {
    const broken = await unreadable();
    const next = await submit(scene.account.metered);
    const { job_id } = await scene.host.claimJob(next);
    expect(job_id).toBe(next);
    expect(broken).not.toBe(next);
  });
});

describe('the cron', () => {
  it('a run calls a stuck job, however many jobs are queued before it', async () => {
    await forgetOthers();
    const row = bindings.DB.prepare(
      `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at, watch_at)
       VALUES (?, 'elsewhere', '', 1, 'pending', 'round', 0, 1080, 0, 1)`,
    );
    await bindings.DB.batch(Array.from({ length: 7 }, () => row.bind(crypto.randomUUID())));
    const stuck = await submit(scene.account.metered);
    await scene.host.report(await scene.host.claimJob(stuck), 'fail', { code: 'download_timeout', detail: '' });
    await fireAlarm(stuck);
    vi.setSystemTime(Date.now() + 6 * 60_000);
    await runUpkeep(createService(bindings), Date.now(), 2);
    expect(await readJob(scene.account.metered, stuck)).toMatchObject({ status: 'pending' });
  });

  it('does what an alarm that never came should have done', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    await scene.host.report(grant, 'fail', { code: 'download_timeout', detail: '' });
    await fireAlarm(jobId);
    vi.setSystemTime(Date.now() + 20 * 60_000);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'retrying' });
    await upkeep();
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'pending' });
  });

  it('retries a webhook that is resent after the job was idle', async () => {
    const inbox = createInbox('200,500,200');
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    vi.setSystemTime(Date.now() + DAY);
    await upkeep();
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);
    await fireAlarm(jobId);
    expect(await inbox.received()).toHaveLength(2);
    await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => storage.deleteAlarm());
    vi.setSystemTime(Date.now() + 21 * 60_000);
    await upkeep();
    expect(await inbox.received()).toHaveLength(3);
  });

  it('skips jobs that wait for nothing', async () => {
    const { jobId } = await makeClip();
    vi.setSystemTime(Date.now() + DAY);
    await upkeep();
    const row = await bindings.DB.prepare('SELECT watch_at FROM jobs WHERE id = ?').bind(jobId).first();
    expect(row).toEqual({ watch_at: null });
  });
});
