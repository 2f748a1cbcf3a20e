import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { clipIdOf, isolate } from '#test/support/accounts.ts';
import { createFaultyService, SAYS } from '#test/support/faulty-service.ts';
import { indexText, objectText } from '#test/support/objects.ts';
import { PICTURES } from '#test/support/pictures.ts';
import { evict, fireAlarm, resetQueue, ringEvicted, useScenario } from '#test/support/scenario.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bindings,
  PLAYER,
  readJob,
  roundRequest,
  send,
  sendJson,
  submit,
} from '#test/support/service.ts';
import { createInbox } from '#test/support/webhooks.ts';

describe('upkeep', () => {
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
    return (await (await sendJson(scene.account.metered, 'GET', `/api/clips/${clipId}`)).json<{ state: string }>())
      .state;
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
      ['after its file was stored', /UPDATE "?assets/i, 0],
      ['after that, and the file cannot be removed', /UPDATE "?assets/i, 1],
    ])('%s is not listed, and leaves no file for longer than a day', async (_, failing, left) => {
      const prepare = bindings.DB.prepare.bind(bindings.DB);
      const broken = vi.spyOn(bindings.DB, 'prepare').mockImplementation((query) => {
        if (failing.test(query)) throw new Error(SAYS.d1[6]);
        return prepare(query);
      });
      const removed = vi.spyOn(bindings.ASSETS, 'delete');
      if (left > 0) removed.mockRejectedValue(new Error(SAYS.r2.internal));
      const status = await upload();
      broken.mockRestore();
      removed.mockRestore();
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
        Promise.all(
          [key(kept), key(stray), 'demos/what'].map(async (one) => (await bindings.ASSETS.head(one)) !== null),
        );
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
  });
});

describe('controls', () => {
  const scene = useScenario();
  const admin = (method: string, path: string, body?: unknown) => sendJson(ADMIN_TOKEN, method, `/admin/${path}`, body);
  const ROUND = JSON.stringify(roundRequest());

  afterEach(async () => {
    await bindings.DB.prepare('DELETE FROM controls').run();
    await admin('GET', 'controls');
  });

  async function block(address: string): Promise<string> {
    const answer = await admin('POST', 'blocks', { address, reason: 'asked to' });
    expect(answer.status).toBe(201);
    return (await answer.json<{ block_id: string }>()).block_id;
  }

  describe('maintenance', () => {
    const begin = (more = {}) => admin('PUT', 'maintenance', { reason: 'the database moves', ...more });

    it('refuses new work, and lets everything else go on', { tags: ['long'] }, async () => {
      const { account, host } = scene;
      const taken = await submit(account.metered);
      const grant = await host.claimJob(taken);
      const call = (method: string, path: string, body?: unknown) => sendJson(account.metered, method, path, body);
      const demo = await call('POST', '/api/uploads', { name: 'a.dem', bytes: 1, sha256: '0'.repeat(64) });
      const { parts } = await demo.json<{ parts: { url: string }[] }>();
      expect((await begin()).status).toBe(200);
      const intake = [
        await call('POST', '/api/clips', roundRequest()),
        await call('POST', '/api/clips/batch', { clips: [roundRequest()] }),
        await call('POST', '/api/demos', { demo_url: 'https://demos.example.com/match.dem' }),
        await call('POST', '/api/uploads', { name: 'a.dem', bytes: 10, sha256: '0'.repeat(64) }),
        await call('POST', `/api/jobs/${taken}/resubmit`),
      ];
      for (const answer of intake) {
        expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '300']);
        const type = expect.stringMatching(/\/docs\/problems#unavailable$/);
        expect(await answer.json()).toMatchObject({
          type,
          detail: 'The service takes no new work, for maintenance: the database moves',
        });
      }
      const image = { method: 'POST', headers: { Authorization: `Bearer ${account.metered}` }, body: PICTURES.png };
      expect((await send('/api/assets?kind=watermark', image)).status).toBe(503);
      expect(await (await send('/healthz')).text()).toBe('ok, under maintenance: the database moves\n');
      expect(await (await admin('GET', 'overview')).json()).toMatchObject({
        maintenance: { reason: 'the database moves', until: null, operator: 'ADMIN_TOKEN' },
      });
      const part = { method: 'PUT', headers: { Authorization: `Bearer ${account.metered}` }, body: new Uint8Array(1) };
      expect((await send((parts[0]?.url ?? '').replace(BASE_URL, ''), part)).status).toBe(204);
      expect((await host.finish(grant)).status).toBe(204);
      const job = await readJob<{ status: string; clip_id: string }>(account.metered, taken);
      expect(job).toMatchObject({ status: 'done' });
      expect((await send(`/clips/${job.clip_id}`)).status).toBe(200);
      expect((await admin('DELETE', 'maintenance')).status).toBe(204);
      await submit(account.metered);
      expect(await (await send('/healthz')).text()).toBe('ok\n');
    });

    it('ends by itself, and `Retry-After` names that while it is near', async () => {
      const until = (ms: number) => new Date(Date.now() + ms).toISOString();
      expect((await begin({ until: until(-1) })).status).toBe(400);
      expect((await begin({ until: until(3_600_000) })).status).toBe(200);
      const refused = () => sendJson(scene.account.metered, 'POST', '/api/clips', roundRequest());
      expect((await refused()).headers.get('Retry-After')).toBe('300');
      // The second call replaces the first.
      const soon = until(20_000);
      await begin({ until: soon });
      const answer = await refused();
      expect(answer.headers.get('Retry-After')).toBe('20');
      expect(await answer.json()).toMatchObject({
        detail: `The service takes no new work, for maintenance: the database moves (until ${soon})`,
      });
      vi.setSystemTime(Date.now() + 20_000);
      await submit(scene.account.metered);
      expect(await (await admin('GET', 'controls')).json()).toEqual({ maintenance: null, blocks: [] });
    });

    it('begins in other isolates within seconds, and one read of the index serves many submits', async () => {
      const other = isolate({});
      const answers = async () => (await other('POST', '/api/clips', scene.account.metered, ROUND)).status;
      expect(await answers()).toBe(201);
      await begin();
      expect(await answers()).toBe(201);
      vi.setSystemTime(Date.now() + 5000);
      expect(await answers()).toBe(503);
      await admin('DELETE', 'maintenance');
      const service = createFaultyService();
      const counted = () => [...service.statements.keys()].filter((sql) => sql.includes('"controls"'));
      for (let i = 0; i < 3; i++) await service.send(scene.account.metered, 'POST', '/api/clips', roundRequest());
      expect(counted()).toHaveLength(1);
    });

    it('does not begin or end while the index does not answer', async () => {
      const service = createFaultyService();
      const answers = async () =>
        (await service.send(scene.account.metered, 'POST', '/api/clips', roundRequest())).status;
      expect(await answers()).toBe(201);
      await begin();
      vi.setSystemTime(Date.now() + 5000);
      service.fail('DB', 'D1_ERROR: Network connection lost.');
      expect(await answers()).toBe(201);
      vi.setSystemTime(Date.now() + 5000);
      expect(await answers()).toBe(503);
    });
  });

  describe('a blocked demo', () => {
    const URL = 'https://cdn.demos.example.com/match.dem';
    const REJECTED = { status: 'error', error_code: 'demo_url_rejected' };

    it('fails new jobs, inspections and resubmits as on a domain that is not accepted', async () => {
      const { metered } = scene.account;
      const before = await submit(metered, { demo_url: `${URL}?signature=1` });
      await sendJson(metered, 'POST', `/api/jobs/${before}/cancel`);
      const id = await block(URL);
      const refused = await submit(metered, { demo_url: URL });
      expect(await readJob(metered, refused)).toMatchObject(REJECTED);
      const inspected = await sendJson(metered, 'POST', '/api/demos', { demo_url: URL });
      expect([inspected.status, await inspected.json()]).toMatchObject([200, { state: 'error' }]);
      expect((await sendJson(metered, 'POST', `/api/jobs/${before}/resubmit`)).status).toBe(200);
      expect(await readJob(metered, before)).toMatchObject(REJECTED);
      const other = await submit(metered, { demo_url: 'https://cdn.demos.example.com/other.dem' });
      expect(await readJob(metered, other)).toMatchObject({ status: 'pending' });
      expect((await admin('DELETE', `blocks/${id}`)).status).toBe(204);
      expect((await admin('DELETE', `blocks/${id}`)).status).toBe(404);
      expect((await sendJson(metered, 'POST', `/api/jobs/${refused}/resubmit`)).status).toBe(200);
      expect(await readJob(metered, refused)).toMatchObject({ status: 'pending' });
    });

    it('is not given to hosts: a waiting job fails, and grants have the list for redirects', {
      tags: ['long'],
    }, async () => {
      await resetQueue();
      const { account, host } = scene;
      const waiting = await submit(account.metered, { demo_url: URL });
      const second = await submit(account.metered);
      expect(await host.claimJob(second)).not.toHaveProperty('blocked');
      await block('cdn.demos.example.com');
      vi.setSystemTime(Date.now() + 1);
      await block('https://demos.example.com/other.dem?id=7');
      expect(await host.claim()).toBeNull();
      expect(await readJob(account.metered, waiting)).toMatchObject(REJECTED);
      const third = await submit(account.metered);
      expect(await host.claimJob(third)).toMatchObject({
        blocked: ['cdn.demos.example.com', 'demos.example.com/other.dem?id=7'],
      });
    });

    it('is listed once, with its reason, and a hundred are taken at most', async () => {
      const id = await block('cdn.demos.example.com');
      expect(await block('https://CDN.demos.example.com/')).toBe(id);
      const { blocks } = await (await admin('GET', 'controls')).json<{ blocks: object[] }>();
      expect(blocks).toMatchObject([{ address: 'cdn.demos.example.com', reason: 'asked to', operator: 'ADMIN_TOKEN' }]);
      expect((await admin('POST', 'blocks', { address: 'com', reason: 'x' })).status).toBe(400);
      const put = bindings.DB.prepare(
        `INSERT INTO controls (id, kind, name, reason, created_at, operator)
       SELECT value, 'block', value, '', 0, '' FROM json_each(?)`,
      );
      await put.bind(JSON.stringify(Array.from({ length: 99 }, () => crypto.randomUUID()))).run();
      expect((await admin('POST', 'blocks', { address: 'more.example.com', reason: 'x' })).status).toBe(429);
      expect((await admin('POST', 'blocks', { address: 'cdn.demos.example.com', reason: 'x' })).status).toBe(201);
      const begun = await admin('PUT', 'maintenance', { reason: 'the database moves' });
      expect(await begun.json()).toMatchObject({ reason: 'the database moves' });
    });
  });
});

describe('retention', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const MARK = 'kept-no-longer-than-needed';
  const scene = useScenario();
  const upkeep = (now = Date.now()) => runUpkeep(createService(bindings), now);

  /** Returns a request with unique words, and the words to look for. */
  function telling(url: string): Record<string, unknown> {
    return roundRequest({
      demo_url: `https://demos.example.com/${MARK}.dem`,
      idempotency_key: 'a-key-of-mine',
      extras: { of: MARK },
      webhook_url: `${url}&at=${MARK}`,
      webhook_auth_header: `Bearer ${MARK}`,
      fps: 60,
      round: 4,
      commands: { spec_show_xray: '1' },
    });
  }

  const ask = (body: object) => sendJson(scene.account.metered, 'POST', '/api/clips', body);
  const post = (jobId: string, what: string) => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/${what}`);

  /** Creates a failed job with a long log and a delivered webhook. */
  async function failedLongAgo(body: object): Promise<string> {
    const { job_id: jobId } = await (await ask(body)).json<{ job_id: string }>();
    const grant = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(grant);
    const said = { code: 'player_not_in_demo', detail: `no ${MARK}`, log: `${MARK} was not there` };
    await scene.host.report(grant, 'fail', { ...said, facts: { players: [MARK] } });
    await fireAlarm(jobId);
    await ringEvicted(jobId, Date.now() + 91 * DAY);
    return jobId;
  }

  describe('a request that is kept for a while only', () => {
    it('is deleted everywhere when its time is up; its job, its times and its key stay', {
      tags: ['long'],
    }, async () => {
      const body = telling(createInbox().url);
      const jobId = await failedLongAgo(body);
      const before = await readJob(scene.account.metered, jobId);
      expect(await indexText()).toContain(jobId);
      expect(await objectText(jobId)).toMatch(MARK);
      await evict(jobId);
      await upkeep();
      await ringEvicted(jobId, Date.now() + DAY);
      expect(await objectText(jobId)).not.toMatch(new RegExp(`${MARK}|${PLAYER}`));
      expect(await indexText(['audit'])).not.toMatch(new RegExp(`${MARK}|${PLAYER}`));
      const explained = await readJob(scene.account.metered, `${jobId}?include=diagnosis,attempts`);
      expect(explained).toMatchObject({ diagnosis: { error_code: 'player_not_in_demo', facts: null }, attempts: [] });
      const payload = { demo_url: '', fps: 60, resolution: 1080, extras: null, idempotency_key: 'a-key-of-mine' };
      expect(await readJob(scene.account.metered, jobId)).toEqual({ ...before, payload });
      const deliveries = await sendJson(scene.account.metered, 'GET', `/api/jobs/${jobId}/deliveries`);
      expect(await deliveries.json()).toEqual({ deliveries: [] });
      const row = await bindings.DB.prepare('SELECT * FROM jobs WHERE id = ?').bind(jobId).first();
      expect(row).toMatchObject({ status: 'error', error_code: 'player_not_in_demo', idle_since: null });

      const again = await ask(body);
      expect([again.status, await again.json()]).toEqual([200, { job_id: jobId }]);
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect(again.headers.get('Idempotency-Body-Differs')).toBeNull();
      expect((await ask({ ...body, round: 5 })).headers.get('Idempotency-Body-Differs')).toBe('true');
      const resubmit = await post(jobId, 'resubmit');
      expect(resubmit.status).toBe(409);
      expect(await resubmit.json()).toMatchObject({ type: 'https://tickreel.test/docs/problems#request_forgotten' });
      expect((await post(jobId, 'resend-webhook')).status).toBe(409);

      const redo = await ask({ ...body, force: true });
      expect([redo.status, await redo.json()]).toEqual([200, { job_id: jobId }]);
      await scene.host.finish(await scene.host.claimJob(jobId));
      await evict(jobId);
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'done', payload: { round: 4 } });
    });

    it('stays while its clip can be watched, and is deleted with it; the deletion stays visible', {
      tags: ['long'],
    }, async () => {
      const body = telling(createInbox().url);
      const { job_id: jobId } = await (await ask(body)).json<{ job_id: string }>();
      const facts = { kills: 2, players: [MARK], map: 'cs_italy', round: 4 };
      await scene.host.finish(await scene.host.claimJob(jobId), { facts });
      const clipId = await clipIdOf(jobId);
      const clip = `/api/clips/${clipId}`;
      await sendJson(scene.account.metered, 'POST', `${clip}/save`);
      await ringEvicted(jobId, Date.now() + 91 * DAY);
      await upkeep();
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({
        payload: { round: 4, demo_url: body.demo_url },
      });
      await sendJson(scene.account.metered, 'DELETE', clip);
      await ringEvicted(jobId, Date.now() + 1);
      await upkeep();
      await ringEvicted(jobId, Date.now() + 1);
      expect(await objectText(jobId)).not.toContain(MARK);
      expect(await indexText(['audit'])).not.toContain(MARK);
      const told = await sendJson(scene.account.metered, 'GET', clip);
      expect(await told.json()).toMatchObject({
        id: clipId,
        state: 'deleted',
        is_saved: true,
        title: '',
        size: '40000',
      });
      expect((await send(`/clips/${clipId}`)).status).toBe(410);
    });

    it('stays while a webhook is pending, and if the job runs again', { tags: ['long'] }, async () => {
      const inbox = createInbox('200,500');
      // Without a header: with one, the address would be deleted earlier.
      const jobId = await failedLongAgo({ ...telling(inbox.url), webhook_auth_header: undefined });
      await post(jobId, 'resend-webhook');
      await fireAlarm(jobId);
      await evict(jobId);
      await upkeep();
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { round: 4 } });
      await inbox.answerWith('200');
      await ringEvicted(jobId, Date.now() + DAY);
      await post(jobId, 'resubmit');
      await upkeep();
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'pending', payload: { round: 4 } });
      await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
      await ringEvicted(jobId, Date.now() + 91 * DAY);
      await upkeep();
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { demo_url: '' } });
    });

    it('goes also where the index was away as its job forgot it, and where one job cannot be asked', {
      tags: ['long'],
    }, async () => {
      const broken = await failedLongAgo(roundRequest());
      const jobId = await failedLongAgo(telling(createInbox().url));
      await runInDurableObject(bindings.RENDER_JOB.getByName(broken), (_, { storage }) => {
        const { state } = storage.sql.exec('SELECT state FROM job').one();
        storage.sql.exec('UPDATE job SET state = ?', JSON.stringify({ ...JSON.parse(String(state)), v: 99 }));
      });
      await evict(broken);
      const faulty = createFaultyService();
      await faulty.inside(jobId);
      faulty.fail('DB', SAYS.d1[2] ?? '', { times: 3 });
      await upkeep();
      await ringEvicted(jobId, Date.now() + DAY);
      await upkeep();
      expect(await indexText(['audit'])).not.toContain(MARK);
      const row = await bindings.DB.prepare('SELECT idle_since FROM jobs WHERE id = ?').bind(jobId).first();
      expect(row).toEqual({ idle_since: null });
    });

    it('is found where it ended before anything was forgotten, and kept where nothing is to be', async () => {
      const jobId = await failedLongAgo(telling(createInbox().url));
      await bindings.DB.prepare('UPDATE jobs SET idle_since = NULL').run();
      const unset = createService({ ...bindings, REQUEST_TTL_DAYS: undefined } as never);
      expect((await runUpkeep(unset, Date.now())).forgotten).toBe(0);
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { round: 4 } });
      await upkeep();
      expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { demo_url: '' } });
    });
  });
});
