import { createExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LimitValues } from '#domain/operate/limits.ts';
import { sha256Hex } from '#platform/digest.ts';
import type { Plan } from '#protocol/clip/plan.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import type { Upload } from '#protocol/demo/uploads.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import { type Grant, PART_BYTES } from '#protocol/host/gateway.ts';
import type { Problem } from '#protocol/lib/problem.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { keepUpload } from '#storage/demo/uploads.ts';
import { selectInspecting } from '#storage/operate/upkeep.ts';
import { createAccount, createHost, isolate, statuses, type TestAccount, times } from '#test/support/accounts.ts';
import { countRows } from '#test/support/objects.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bindings,
  readJob,
  roundRequest,
  send,
  sendJson,
  submit,
} from '#test/support/service.ts';
import type { TestHost } from '#test/support/test-host.ts';

describe('uploads', () => {
  const SKILLS = { skills: ['uploads'] };
  const DAY = 24 * 60 * 60 * 1000;

  let mine: TestAccount;
  let host: TestHost;

  beforeAll(async () => {
    mine = await createAccount();
    host = await createHost();
  });

  let made = 0;
  /** Returns unique bytes. */
  function demo(length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length).fill(7);
    new DataView(bytes.buffer).setUint32(0, ++made);
    return bytes;
  }

  async function ask(body: object, key = mine.metered): Promise<{ status: number; upload: Upload }> {
    const response = await sendJson(key, 'POST', '/api/uploads', body);
    return { status: response.status, upload: await response.json<Upload>() };
  }

  const announced = async (bytes: Uint8Array<ArrayBuffer>) => ({
    name: 'a.dem',
    bytes: bytes.length,
    sha256: await sha256Hex(bytes),
  });

  function put(url: string, body: Uint8Array, key = mine.metered): Promise<Response> {
    return send(url.replace(BASE_URL, ''), { method: 'PUT', headers: { Authorization: `Bearer ${key}` }, body });
  }

  const complete = ({ id }: Upload, key = mine.metered) => sendJson(key, 'POST', `/api/uploads/${id}/complete`);

  /** Makes a complete upload. */
  async function uploaded(bytes: Uint8Array<ArrayBuffer>, key = mine.metered): Promise<Upload> {
    const { upload } = await ask(await announced(bytes), key);
    for (const { url, offset, bytes: length } of upload.parts) {
      expect((await put(url, bytes.subarray(offset, offset + length), key)).status).toBe(204);
    }
    const completed = await complete(upload, key);
    expect(completed.status).toBe(200);
    return completed.json<Upload>();
  }

  function fetchDemo(jobId: string, fence: number, headers: Record<string, string> = {}): Promise<Response> {
    const authorized = { Authorization: `Bearer ${host.token}`, ...headers };
    return send(`/gateway/v1/jobs/${jobId}/demo?fence=${fence}`, { headers: authorized });
  }

  describe('an upload of a demo', () => {
    it('goes on where it was cut off, in any order, and is sent once', { tags: ['long'] }, async () => {
      const bytes = demo(2 * PART_BYTES + 1000);
      const wanted = await announced(bytes);
      const { status, upload } = await ask(wanted);
      expect(status).toBe(201);
      expect(upload.parts.map(({ part, offset, bytes: length }) => [part, offset, length])).toEqual([
        [1, 0, PART_BYTES],
        [2, PART_BYTES, PART_BYTES],
        [3, 2 * PART_BYTES, 1000],
      ]);
      const send3 = await put(`${upload.demo_url}/part?part=3`, bytes.subarray(2 * PART_BYTES));
      expect(send3.status).toBe(204);
      const early = await complete(upload);
      expect(early.status).toBe(409);
      expect(await early.json()).toMatchObject({ detail: 'Missing are the parts 1, 2.' });

      const again = await ask({ ...wanted, name: 'b.dem' });
      expect(again).toMatchObject({ status: 200, upload: { id: upload.id, name: 'a.dem', state: 'open' } });
      expect(again.upload.parts.map(({ part }) => part)).toEqual([1, 2]);
      const sent = again.upload.parts.map(({ url, offset, bytes: length }) =>
        put(url, bytes.subarray(offset, offset + length)),
      );
      for (const { status: answered } of await Promise.all(sent)) expect(answered).toBe(204);
      const completed = await (await complete(upload)).json<Upload>();
      expect(completed).toMatchObject({ state: 'complete', parts: [] });
      expect((await complete(upload)).status).toBe(200);
      expect(await ask(wanted)).toMatchObject({ status: 200, upload: { id: upload.id, state: 'complete' } });
      expect((await put(`${upload.demo_url}/part?part=1`, bytes.subarray(0, PART_BYTES))).status).toBe(409);
      const listed = await sendJson(mine.metered, 'GET', '/api/uploads?limit=1');
      expect(await listed.json()).toMatchObject({ uploads: [{ id: upload.id, state: 'complete' }] });
    });

    it('takes parts of their length alone, and nothing but what was announced', async () => {
      const bytes = demo(1000);
      const { upload } = await ask({ ...(await announced(bytes)), sha256: 'a'.repeat(64) });
      const url = `${upload.demo_url}/part?part=1`;
      expect((await put(url, bytes.subarray(1))).status).toBe(400);
      expect((await put(`${upload.demo_url}/part?part=2`, bytes)).status).toBe(400);
      expect((await put(url, bytes)).status).toBe(204);
      expect((await complete(upload)).status).toBe(409);
      // Nothing is left of it.
      expect((await sendJson(mine.metered, 'GET', `/api/uploads/${upload.id}`)).status).toBe(404);
      expect((await bindings.ASSETS.list({ prefix: `demos/${mine.id}/${upload.id}` })).objects).toEqual([]);
    });

    it('stores a part six times, also if it is sent all at once; one that breaks off does not count', async () => {
      const bytes = demo(100);
      const { upload } = await ask(await announced(bytes));
      const put = (body: BodyInit, length = bytes.length) => {
        const headers = { Authorization: `Bearer ${mine.metered}`, 'Content-Length': String(length) };
        return send(`/api/uploads/${upload.id}/part?part=1`, { method: 'PUT', headers, body });
      };
      for (let i = 0; i < 7; i++) expect((await put(bytes.slice(1))).status).toBe(408);
      const answers = await Promise.all(Array.from({ length: 9 }, () => put(bytes)));
      expect(statuses(answers).sort()).toEqual([204, 204, 204, 204, 204, 204, 409, 409, 409]);
    });

    it('lists all parts again if storage has other ones than were noted', { tags: ['long'] }, async () => {
      const bytes = demo(PART_BYTES + 1000);
      const wanted = await announced(bytes);
      const { upload } = await ask(wanted);
      const pieces = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)] as const;
      const sendAll = () => Promise.all(upload.parts.map(({ url }, at) => put(url, pieces[at] ?? bytes)));
      expect(statuses(await sendAll())).toEqual([204, 204]);
      // A client's second attempt reached storage, and its Worker ended before the note.
      const row = bindings.DB.prepare('SELECT multipart_id AS id FROM uploads WHERE id = ?').bind(upload.id);
      const { id = '' } = (await row.first<{ id: string }>()) ?? {};
      await bindings.ASSETS.resumeMultipartUpload(`demos/${mine.id}/${upload.id}`, id).uploadPart(2, pieces[1]);
      const refused = await complete(upload);
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('lists the parts to send')]);
      const again = (await ask(wanted)).upload;
      expect([again.id, again.parts.map(({ part }) => part)]).toEqual([upload.id, [1, 2]]);
      expect(statuses(await sendAll())).toEqual([204, 204]);
      expect((await complete(upload)).status).toBe(200);
    });

    it('is begun anew if storage has dropped its parts, and is complete if another request has joined them', async () => {
      for (const isJoined of [false, true]) {
        const bytes = demo(1000);
        const wanted = await announced(bytes);
        const { upload } = await ask(wanted);
        expect((await put(upload.parts[0]?.url ?? '', bytes)).status).toBe(204);
        const row = bindings.DB.prepare('SELECT multipart_id AS id, parts FROM uploads WHERE id = ?').bind(upload.id);
        const { id = '', parts = '{}' } = (await row.first<{ id: string; parts: string }>()) ?? {};
        const multipart = bindings.ASSETS.resumeMultipartUpload(`demos/${mine.id}/${upload.id}`, id);
        if (isJoined) await multipart.complete([{ partNumber: 1, etag: JSON.parse(parts)[1] }]);
        else await multipart.abort();
        const head = vi.spyOn(bindings.ASSETS, 'head').mockResolvedValueOnce(null);
        const completed = await complete(upload);
        head.mockRestore();
        expect(completed.status).toBe(isJoined ? 200 : 409);
        if (isJoined) continue;
        expect(await completed.json()).toMatchObject({ detail: expect.stringContaining('Begin a new upload') });
        const anew = await ask(wanted);
        expect([anew.status, anew.upload.id === upload.id]).toEqual([201, false]);
        expect((await put(anew.upload.parts[0]?.url ?? '', bytes)).status).toBe(204);
        expect((await complete(anew.upload)).status).toBe(200);
      }
    });

    it('is not sent again if the service died after storage had joined the parts', async () => {
      const bytes = demo(1000);
      const upload = await uploaded(bytes);
      await bindings.DB.prepare('UPDATE uploads SET completed_at = NULL WHERE id = ?').bind(upload.id).run();
      const again = await ask(await announced(bytes));
      expect(again).toMatchObject({ status: 200, upload: { id: upload.id, state: 'open', parts: [] } });
      expect(await (await complete(upload)).json()).toMatchObject({ state: 'complete' });
    });

    it('has the note of a part that arrived, though the client disconnects', async () => {
      const bytes = demo(1000);
      const { upload } = await ask(await announced(bytes));
      const held: Promise<unknown>[] = [];
      const headers = { Authorization: `Bearer ${mine.metered}` };
      const request = new Request(upload.parts[0]?.url ?? '', { method: 'PUT', headers, body: bytes });
      void createApp(createService(bindings))(request, { waitUntil: (work) => void held.push(work) });
      await expect.poll(() => held.length).toBeGreaterThan(0);
      await Promise.all(held);
      await expect.poll(async () => (await ask(await announced(bytes))).upload.parts).toEqual([]);
    });

    it('is nothing to another account', async () => {
      const bytes = demo(1000);
      const theirs = await createAccount();
      const upload = await uploaded(bytes);
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/complete'],
      ] as const) {
        expect((await sendJson(theirs.metered, method, `/api/uploads/${upload.id}${path}`)).status).toBe(404);
      }
      const request = roundRequest({ demo_url: upload.demo_url });
      const refused = await sendJson(theirs.metered, 'POST', '/api/clips', request);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ errors: [{ path: 'demo_url' }] });
      expect((await ask(await announced(bytes), theirs.metered)).status).toBe(201);
    });
  });

  describe('a job of an uploaded demo', () => {
    it('goes to hosts alone that know uploads, which fetch it under their lease, whole or in part', async () => {
      const bytes = demo(5000);
      const jobId = await submit(mine.metered, { demo_url: (await uploaded(bytes)).demo_url });
      expect(await host.claim()).toBeNull();
      const grant = await host.claim(SKILLS, 20);
      expect(grant).toMatchObject({ job_id: jobId, is_uploaded_demo: true });
      const fence = grant?.lease.fence ?? 0;
      const whole = await fetchDemo(jobId, fence);
      expect(whole.status).toBe(200);
      expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes);
      const etag = whole.headers.get('ETag') ?? '';
      const rest = await fetchDemo(jobId, fence, { Range: 'bytes=4000-', 'If-Range': etag });
      expect([rest.status, rest.headers.get('Content-Range')]).toEqual([206, 'bytes 4000-4999/5000']);
      expect(new Uint8Array(await rest.arrayBuffer())).toEqual(bytes.subarray(4000));
      expect((await fetchDemo(jobId, fence, { Range: 'bytes=4000-', 'If-Range': '"another"' })).status).toBe(200);
      expect((await fetchDemo(jobId, fence, { Range: 'bytes=5000-' })).status).toBe(416);
      expect((await fetchDemo(jobId, fence + 1)).status).toBe(409);
      if (grant) await host.report(grant, 'fail', { code: 'demo_failed_parse', detail: 'It is no demo.' });
      expect((await sendJson(mine.metered, 'POST', `/api/jobs/${jobId}/resubmit`)).status).toBe(200);
      const second = await host.claim(SKILLS, 20);
      expect(second?.job_id).toBe(jobId);
      if (second) await host.report(second, 'fail', { code: 'demo_failed_parse', detail: 'It is no demo.' });
    });

    it('keeps the demo until its run must have ended: a clip, an inspection, and a job that runs again', {
      tags: ['long'],
    }, async () => {
      const service = createService(bindings);
      const upload = await uploaded(demo(1000));
      const row = bindings.DB.prepare('SELECT expires_at AS at FROM uploads WHERE id = ?').bind(upload.id);
      const left = async () => ((await row.first<{ at: number }>())?.at ?? 0) - Date.now();
      const nearlyOver = () =>
        bindings.DB.prepare('UPDATE uploads SET expires_at = ? WHERE id = ?')
          .bind(Date.now() + 60_000, upload.id)
          .run();
      const served = async (jobId: string, skills = SKILLS) => {
        const grant = await host.claim(skills, 20);
        if (grant?.job_id !== jobId) throw new Error(`${jobId} was not granted`);
        await runUpkeep(service, Date.now() + 120_000);
        const fetched = await fetchDemo(jobId, grant.lease.fence);
        await fetched.arrayBuffer();
        await host.report(grant, 'fail', { code: 'demo_failed_parse', detail: 'It is no demo.' });
        return fetched.status;
      };
      await nearlyOver();
      const request = roundRequest({ demo_url: upload.demo_url });
      expect((await sendJson(mine.metered, 'POST', '/api/plan', request)).status).toBe(409);
      expect(await left()).toBeLessThan(DAY);
      const jobId = await submit(mine.metered, { demo_url: upload.demo_url });
      expect(await left()).toBeGreaterThan(6 * DAY);
      expect(await served(jobId)).toBe(200);
      await nearlyOver();
      expect((await sendJson(mine.metered, 'POST', `/api/jobs/${jobId}/resubmit`)).status).toBe(200);
      expect(await served(jobId)).toBe(200);
      await nearlyOver();
      const inspection = await sendJson(mine.metered, 'POST', '/api/demos', { demo_url: upload.demo_url });
      const { id } = await inspection.json<{ id: string }>();
      expect(await served(id, { skills: ['uploads', 'inspect'] })).toBe(200);
      // A client that asks for the upload does not end this sooner, though the service keeps demos for a shorter time.
      const owned = { id: upload.id, accountId: mine.id, keyId: null, name: '' };
      const soon = { completedAt: Date.now(), expiresAt: Date.now() + 1000, sha256: '00' };
      expect((await keepUpload(service.database, owned, Date.now(), soon))?.expiresAt).toBeGreaterThan(soon.expiresAt);
    });

    it('cannot be submitted before the upload is complete; an address that is none fails as ever', async () => {
      const bytes = demo(1000);
      const { upload } = await ask(await announced(bytes));
      const early = await sendJson(mine.metered, 'POST', '/api/clips', roundRequest({ demo_url: upload.demo_url }));
      expect(early.status).toBe(400);
      // It expires when it would have: a refused submit keeps nothing.
      expect((await ask(await announced(bytes))).upload).toMatchObject({
        id: upload.id,
        expires_at: upload.expires_at,
      });
      const jobId = await submit(mine.metered, { demo_url: `${upload.demo_url}/part` });
      expect(await readJob(mine.metered, jobId)).toMatchObject({ error_code: 'demo_url_rejected' });
    });
  });

  it('the cron removes uploads whose time is up, begun or complete, and no others', async () => {
    const account = await createAccount();
    const key = account.metered;
    const whole = await uploaded(demo(1000), key);
    const { upload: begun } = await ask(await announced(demo(1000)), key);
    const isThere = async ({ id }: Upload) => (await sendJson(key, 'GET', `/api/uploads/${id}`)).status === 200;
    const service = createService(bindings);
    await runUpkeep(service, Date.now() + 2 * DAY);
    expect([await isThere(whole), await isThere(begun)]).toEqual([true, false]);
    // A client that read it before it expired cannot complete an upload that the cron is about to remove.
    const later = { completedAt: 1, expiresAt: Date.now() + 9 * DAY, sha256: '00' };
    const owned = { id: whole.id, accountId: account.id, keyId: null, name: '' };
    expect(await keepUpload(service.database, owned, Date.now() + 8 * DAY, later)).toBeNull();
    await runUpkeep(service, Date.now() + 8 * DAY);
    expect(await isThere(whole)).toBe(false);
    expect((await bindings.ASSETS.list({ prefix: `demos/${account.id}/` })).objects).toEqual([]);
  });

  describe('an account', () => {
    const MIB = 1024 * 1024;
    const begin = async (most: Partial<LimitValues>, key: string) =>
      isolate({}, {}, most)('POST', '/api/uploads', key, JSON.stringify(await announced(demo(1000))));
    const expire = (id: string) =>
      bindings.DB.prepare('UPDATE uploads SET expires_at = 1 WHERE account_id = ?').bind(id).run();

    it('has a limit of open uploads; complete and removed ones do not count', async () => {
      const { id, metered } = await createAccount();
      await uploaded(demo(1000), metered);
      const open = () => begin({ open_uploads: 2 }, metered);
      const answers = await times(3, open);
      expect(statuses(answers)).toEqual([201, 201, 429]);
      expect(answers[2]?.text).toContain('2 open uploads');
      expect(answers[2]?.headers.get('Retry-After')).toBe('10');
      await expire(id);
      await runUpkeep(createService(bindings), Date.now());
      expect((await open()).status).toBe(201);
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { limits: { open_uploads: 1 } });
      expect((await open()).status).toBe(429);
    });

    it('has a limit of bytes of uploads, kept as a sum: a small one counts as 1 MiB, and each until it is removed', async () => {
      const { id, metered } = await createAccount();
      const most = { demo_mib: 2 };
      const answers = await times(3, () => begin(most, metered));
      expect(statuses(answers)).toEqual([201, 201, 429]);
      expect(answers[2]?.text).toContain('2 MiB');
      const sum = () =>
        bindings.DB.prepare("SELECT used FROM budgets WHERE owner = ? AND name = 'demo_mib'").bind(id).first('used');
      expect(await sum()).toBe(2 * MIB);
      const { id: upload } = JSON.parse(answers[0]?.text ?? '') as Upload;
      await sendJson(metered, 'DELETE', `/api/uploads/${upload}`);
      expect(await sum()).toBe(MIB);
      await expire(id);
      await runUpkeep(createService(bindings), Date.now());
      expect(await sum()).toBe(0);
      expect(statuses(await times(3, () => begin(most, metered)))).toEqual([201, 201, 429]);
    });
  });
});

describe('demos', () => {
  const SKILLS = { skills: ['inspect', 'of a later version'] };
  const DAY = 24 * 60 * 60 * 1000;

  let mine: TestAccount;
  let host: TestHost;

  beforeAll(async () => {
    mine = await createAccount();
    host = await createHost();
  });

  let made = 0;
  const newDemo = () => `https://demos.example.com/inspected-${++made}.dem?signed=1`;

  async function ask(demo_url: string, key = mine.metered): Promise<{ status: number; demo: Demo }> {
    const response = await sendJson(key, 'POST', '/api/demos', { demo_url });
    return { status: response.status, demo: await response.json<Demo>() };
  }

  const read = (id: string, key = mine.metered) => sendJson(key, 'GET', `/api/demos/${id}`);

  /** Claims the waiting inspection. */
  async function claim(id: string): Promise<Grant> {
    const grant = await host.claim(SKILLS, 20);
    if (grant?.job_id !== id) throw new Error(`${id} was not granted, but ${grant?.job_id}`);
    await host.heartbeat(grant);
    return grant;
  }

  async function inspected(demo_url: string, account = mine): Promise<Demo> {
    const { demo } = await ask(demo_url, account.metered);
    expect((await host.report(await claim(demo.id), 'inspected', { demo: FOUND_DEMO })).status).toBe(204);
    return (await read(demo.id, account.metered)).json<Demo>();
  }

  describe('an inspected demo', () => {
    it('is read once for an account, and has requests for its highlights', async () => {
      const demo_url = newDemo();
      const first = await ask(demo_url);
      expect(first).toMatchObject({ status: 202, demo: { state: 'pending', demo_url, match: null, expires_at: null } });
      const { id } = first.demo;
      const grant = await claim(id);
      expect(grant.order).toMatchObject({ demo_url, fps: 5, selection: { mode: 'inspect' } });
      expect(await ask(demo_url, mine.reserved)).toMatchObject({ status: 202, demo: { id, state: 'pending' } });
      expect((await host.report(grant, 'inspected', { demo: FOUND_DEMO })).status).toBe(204);
      // The host may have lost the answer.
      expect((await host.report(grant, 'inspected', { demo: FOUND_DEMO })).status).toBe(204);

      const { status, demo } = await ask(demo_url);
      expect(status).toBe(200);
      const [highlight] = FOUND_DEMO.highlights;
      expect(demo).toEqual({
        ...first.demo,
        state: 'ready',
        finished_at: expect.any(String),
        expires_at: new Date(Date.parse(demo.finished_at ?? '') + 7 * DAY).toISOString(),
        match: { ...FOUND_DEMO, highlights: [{ ...highlight, request: { demo_url, ...highlight?.request } }] },
      });
      expect(await (await read(id)).json()).toEqual(demo);
      expect(await host.claim(SKILLS)).toBeNull();
      const submitted = await sendJson(mine.metered, 'POST', '/api/clips', demo.match?.highlights[0]?.request);
      expect(submitted.status).toBe(201);
      const clip = await host.claimJob((await submitted.json<{ job_id: string }>()).job_id);
      // A host recognizes a kept demo.
      expect(clip.demo_key).toBe(grant.demo_key);
      await host.report(clip, 'fail', { code: 'demo_404', detail: 'gone' });
    });

    it('has the part that a query names, and a timeline of the best of a team that may be submitted', async () => {
      const { id, match } = await inspected(newDemo());
      const of = async (query: string) => (await read(`${id}?${query}`)).json<Demo>();
      expect(await of('weapon=awp&team=CT')).toMatchObject({ match });
      expect(await of('headshot=true')).toMatchObject({ match: { ...match, kills: [], highlights: [] } });
      expect(await of('team=T&best_of=5')).toMatchObject({ match: { highlights: [], best_of: null } });
      const { match: best } = await of('team=CT&best_of=5');
      expect(best?.best_of?.timeline).toHaveLength(1);
      const submitted = await sendJson(mine.metered, 'POST', '/api/clips', best?.best_of);
      expect(submitted.status).toBe(201);
      const clip = await host.claimJob((await submitted.json<{ job_id: string }>()).job_id);
      await host.report(clip, 'fail', { code: 'demo_404', detail: 'gone' });

      const refused = await read(`${id}?team=both&best_of=0`);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        errors: [
          { path: 'team', message: 'must be T or CT' },
          { path: 'best_of', message: 'must be at least 1' },
        ],
      });
    });

    it('is invisible to another account, which has its own inspection', async () => {
      const demo_url = newDemo();
      const { id } = await inspected(demo_url);
      const theirs = await createAccount();
      expect((await read(id, theirs.metered)).status).toBe(404);
      expect((await inspected(demo_url, theirs)).id).not.toBe(id);
    });

    it('is no job to its account, and not on its bill', { tags: ['long'] }, async () => {
      const account = await createAccount();
      const { id } = await inspected(newDemo(), account);
      const key = account.metered;
      expect((await sendJson(key, 'GET', `/api/jobs/${id}`)).status).toBe(404);
      expect((await sendJson(key, 'POST', `/api/jobs/${id}/resubmit`)).status).toBe(404);
      expect(await (await sendJson(key, 'GET', '/api/jobs')).json()).toMatchObject({ jobs: [] });
      expect(await (await sendJson(key, 'GET', '/api/clips')).json()).toMatchObject({ clips: [] });
      expect(await (await sendJson(key, 'GET', '/api/usage')).json()).toMatchObject({ usage: [] });
      expect((await read(await submit(key))).status).toBe(404);
      const grant = await host.claim({}, 20);
      if (grant) await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
    });

    it('is granted only to hosts with the skill, even if a dispatcher suggests it to others', async () => {
      const { demo } = await ask(newDemo());
      expect(await host.claim()).toBeNull();
      const job = bindings.RENDER_JOB.getByName(demo.id);
      expect(await job.claim({ hostId: 'a host' })).toMatchObject({ ok: false });
      const grant = await claim(demo.id);
      // It makes no clip.
      expect((await host.finish(grant)).status).toBe(409);
      expect((await host.report(grant, 'inspected', { demo: { ...FOUND_DEMO, players: 'none' } })).status).toBe(400);
      await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
    });

    it('is inspected again on request after a failure', async () => {
      const demo_url = newDemo();
      const { demo } = await ask(demo_url);
      await host.report(await claim(demo.id), 'fail', {
        code: 'demo_incompatible',
        detail: 'Deadlock',
        facts: { game: 'citadel' },
      });
      const failed = { state: 'error', error_code: 'demo_incompatible', match: null };
      const summary = 'This is a demo of Deadlock, not of Counter-Strike 2.';
      expect(await (await read(demo.id)).json()).toMatchObject({
        ...failed,
        diagnosis: { error_code: 'demo_incompatible', summary, docs_url: `${BASE_URL}/docs/errors/demo_incompatible` },
      });
      expect(await ask(demo_url)).toMatchObject({ status: 202, demo: { id: demo.id, state: 'pending' } });
      await host.report(await claim(demo.id), 'inspected', { demo: FOUND_DEMO });
      expect(await ask(demo_url)).toMatchObject({ status: 200, demo: { state: 'ready' } });
      const elsewhere = await ask('https://elsewhere.example.org/a.dem');
      expect(elsewhere).toMatchObject({ status: 200, demo: { state: 'error', error_code: 'demo_url_rejected' } });
    });

    it.each([401, 403])('fails at once if its link answers %i, while a clip is retried', async (http_status) => {
      const demo_url = newDemo();
      const failure = { code: 'download_error', detail: 'refused', facts: { http_status } };
      const { demo } = await ask(demo_url);
      await host.report(await claim(demo.id), 'fail', failure);
      expect(await (await read(demo.id)).json()).toMatchObject({
        state: 'error',
        error_code: 'download_error',
        diagnosis: { facts: { http_status }, retry_at: null },
      });
      const jobId = await submit(mine.metered, { demo_url });
      await host.report(await host.claimJob(jobId), 'fail', failure);
      const job = await sendJson(mine.metered, 'GET', `/api/jobs/${jobId}`);
      expect(await job.json()).toMatchObject({ status: 'retrying', error_code: 'download_error' });
      expect((await sendJson(mine.metered, 'POST', `/api/jobs/${jobId}/cancel`)).status).toBe(200);
    });

    it('that an older reader has read is read again an hour later, unless the account is at its limit', {
      tags: ['long'],
    }, async () => {
      const demo_url = newDemo();
      const of = (url: string) => JSON.stringify({ demo_url: url });
      const { reader, ...older } = FOUND_DEMO;
      const { demo } = await ask(demo_url);
      await host.report(await claim(demo.id), 'inspected', { demo: older });
      vi.setSystemTime(Date.now() + 60 * 60_000 - 1);
      expect(await ask(demo_url)).toMatchObject({ status: 200, demo: { state: 'ready' } });
      vi.setSystemTime(Date.now() + 1);
      const other = await ask(newDemo());
      const { database } = createService(bindings);
      await expect.poll(() => selectInspecting(database, mine.id, 2)).toHaveLength(1);
      const full = isolate({ LIMIT_INSPECTIONS: '1' });
      expect((await full('POST', '/api/demos', mine.metered, of(newDemo()))).status).toBe(429);
      expect((await full('POST', '/api/demos', mine.metered, of(demo_url))).status).toBe(200);
      await host.report(await claim(other.demo.id), 'fail', { code: 'demo_404', detail: 'gone' });
      expect(await ask(demo_url)).toMatchObject({ status: 202, demo: { state: 'pending' } });
      await host.report(await claim(demo.id), 'inspected', { demo: FOUND_DEMO });
      vi.setSystemTime(Date.now() + 60 * 60_000);
      expect(await ask(demo_url)).toMatchObject({ status: 200, demo: { state: 'ready', match: { reader } } });
    });

    it('that is read again has what was found before until then, and if that fails, and is so once a reader', {
      tags: ['long'],
    }, async () => {
      for (const fails of [true, false]) {
        const demo_url = newDemo();
        const { demo } = await ask(demo_url);
        const older = { demo: { ...FOUND_DEMO, reader: undefined } };
        await host.report(await claim(demo.id), 'inspected', older);
        const { match } = await (await read(demo.id)).json<Demo>();
        vi.setSystemTime(Date.now() + 60 * 60_000);
        expect(await ask(demo_url)).toMatchObject({ status: 202, demo: { state: 'pending', match } });
        const grant = await claim(demo.id);
        if (fails) await host.report(grant, 'fail', { code: 'demo_404', detail: 'the link has expired' });
        else await host.report(grant, 'inspected', older);
        vi.setSystemTime(Date.now() + 60 * 60_000);
        const error_code = fails ? 'demo_404' : null;
        expect(await ask(demo_url)).toMatchObject({ status: 200, demo: { state: 'ready', match, error_code } });
      }
    });

    it('has a limit per account, in which one that waits for a retry does not count', { tags: ['long'] }, async () => {
      const { metered } = await createAccount();
      const waiting = await ask(newDemo(), metered);
      await host.report(await claim(waiting.demo.id), 'fail', { code: 'download_error', detail: 'broke off' });
      const urls = Array.from({ length: 20 }, newDemo);
      for (const url of urls) expect((await ask(url, metered)).status).toBe(202);
      await expect.poll(async () => (await ask(newDemo(), metered)).status).toBe(429);
      expect((await ask(urls[0] ?? '', metered)).status).toBe(202);
      for (let grant = await host.claim(SKILLS); grant; grant = await host.claim(SKILLS)) {
        await host.report(grant, 'fail', { code: 'demo_404', detail: 'gone' });
      }
    });
  });

  describe('a plan', () => {
    const [player, other] = FOUND_DEMO.players.map(({ steam64_id }) => steam64_id);
    const plan = (key: string, body: object) => sendJson(key, 'POST', '/api/plan', body);
    /** The problem of a plan without its `request_id`. */
    const refused = async (key: string, body: object) => {
      const { type, error_code, detail, errors, status } = await (await plan(key, body)).json<Problem>();
      return { status, kind: type.split('#')[1], ...(error_code ? { error_code } : {}), detail, errors };
    };

    it('has the shots of a submit with the same body, in ticks and seconds', { tags: ['long'] }, async () => {
      const demo_url = newDemo();
      const { id } = await inspected(demo_url);
      const body = { demo_url, steam64_id: player, round: 7, idempotency_key: 'k', extras: { a: 1 }, force: true };
      const shot = { steam64_id: player, round: 7, start_tick: 45_120, end_tick: 45_440, seconds: 5 };
      const drawn = { renderer: 'radar', host_online: true };
      const expected = { seconds: 5, is_estimate: false, shots: [{ ...shot, kill_ticks: [45_312] }], ...drawn };
      expect(await (await plan(mine.metered, body)).json()).toEqual(expected);
      expect(await (await plan(mine.reserved, body)).json()).toEqual(expected);
      const game = { renderer: 'cs2', host_online: false };
      expect(await (await plan(mine.metered, { ...body, fallback: 'radar' })).json()).toEqual({ ...expected, ...game });
      const segment = (steam64_id = '', start_tick = 0, end_tick = 0) => ({ steam64_id, start_tick, end_tick });
      const timeline = [segment(player, 45_000, 45_064), segment(other, 172_700, 180_000)];
      expect(await (await plan(mine.metered, { demo_url, timeline, fps: 60 })).json()).toEqual({
        seconds: 2.567,
        is_estimate: false,
        shots: [
          { ...segment(player, 45_000, 45_064), round: 7, seconds: 1, kill_ticks: [] },
          { ...segment(other, 172_700, 172_800), round: 7, seconds: 1.567, kill_ticks: [] },
        ],
        ...drawn,
      });
      // A host that does not report gaps.
      const { gaps: _, ...less } = FOUND_DEMO;
      const partial = newDemo();
      const { demo } = await ask(partial);
      await host.report(await claim(demo.id), 'inspected', { demo: less });
      expect(await (await plan(mine.metered, { ...body, demo_url: partial })).json()).toMatchObject({
        is_estimate: true,
        shots: [shot],
      });
      expect(id).not.toBe(demo.id);
    });

    it('has the problems of a submit, and the reason for which its job would fail', { tags: ['long'] }, async () => {
      const demo_url = newDemo();
      await inspected(demo_url);
      for (const wrong of [{}, { demo_url, steam64_id: player, timeline: [] }, { demo_url, round: 0, speed: 2 }]) {
        const { request_id: _, ...problem } = await (await plan(mine.metered, wrong)).json<Problem>();
        const submitted = await sendJson(mine.metered, 'POST', '/api/clips', wrong);
        expect(await submitted.json()).toMatchObject({ ...problem, status: 400 });
      }
      const impossible = { status: 422, kind: 'clip_impossible' };
      expect(await refused(mine.metered, { demo_url, steam64_id: player, round: 9 })).toEqual({
        ...impossible,
        error_code: 'no_kills_found',
        detail: 'The player has no kills in round 9: the demo has round 7. They have some in round 7: ask for that.',
      });
      const timeline = [{ steam64_id: player, start_tick: 200_000, end_tick: 200_100 }];
      const segment_not_in_demo = { ...impossible, error_code: 'segment_not_in_demo' };
      expect(await refused(mine.metered, { demo_url, timeline })).toMatchObject(segment_not_in_demo);
      expect(await refused(mine.metered, { demo_url, steam64_id: '7' })).toMatchObject({
        error_code: 'player_not_in_demo',
      });
      const small = await createAccount();
      await inspected(demo_url, small);
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${small.id}`, { limits: { frames: 100 } });
      const { metered } = await newKeys(small.id);
      for (const moments of [
        { steam64_id: player },
        // The job's own check counts ticks that the demo does not have.
        { timeline: [{ steam64_id: player, start_tick: 172_700, end_tick: 174_000 }] },
      ]) {
        expect(await refused(metered, { demo_url, ...moments })).toMatchObject({ error_code: 'clip_too_long' });
        expect(await refused(metered, { demo_url: newDemo(), ...moments })).toMatchObject({ status: 409 });
      }
    });

    it('needs a demo that this account has inspected', async () => {
      const demo_url = newDemo();
      const body = { demo_url, steam64_id: player };
      const missing = { status: 409, kind: 'demo_not_inspected' };
      const never = { ...missing, detail: 'Inspect the demo first: `POST /api/demos` with its `demo_url`.' };
      expect(await refused(mine.metered, body)).toEqual(never);
      const { demo } = await ask(demo_url);
      expect(await refused(mine.metered, body)).toEqual({
        ...missing,
        detail: 'The demo is being inspected. Ask again when its `state` is `ready`.',
      });
      const facts = { game: 'citadel' };
      await host.report(await claim(demo.id), 'fail', { code: 'demo_incompatible', detail: 'citadel', facts });
      expect(await refused(mine.metered, body)).toEqual({
        ...missing,
        error_code: 'demo_incompatible',
        detail: 'This is a demo of Deadlock, not of Counter-Strike 2.',
      });
      await inspected(demo_url);
      expect((await plan(mine.metered, body)).status).toBe(200);
      expect(await refused((await createAccount()).metered, body)).toEqual(never);
    });

    it('writes nothing, may be repeated, and takes a key that reads', { tags: ['long'] }, async () => {
      const account = await createAccount();
      const demo_url = newDemo();
      await inspected(demo_url, account);
      const { metered } = await newKeys(account.id, { scope: 'read' });
      const body = { demo_url, steam64_id: player, idempotency_key: 'a-plan' };
      // The first use of a key is written.
      await plan(metered, body);
      const rows = await countRows();
      for (const sent of [body, body, { ...body, round: 9 }, { ...body, demo_url: newDemo() }])
        await plan(metered, sent);
      expect([rows.ofIndex(), rows.ofJobs(), rows.ofDispatcher()]).toEqual([0, 0, 0]);
      expect((await send('/api/plan', { method: 'POST' })).status).toBe(401);
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { limits: { requests: 1 } });
      const limited = await newKeys(account.id);
      const statuses = [await plan(limited.metered, body), await plan(limited.metered, body)].map(
        ({ status }) => status,
      );
      expect(statuses).toContain(429);
    });

    it('has the price of the first rate that covers the clip, for a metered key', async () => {
      const demo_url = newDemo();
      await inspected(demo_url);
      const app = createApp(createService({ ...bindings, METERED_PRICES: 'EUR 1080p60=9 1440p60=18.50' } as Bindings));
      const price = async (key: string, more: object) => {
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
        const body = JSON.stringify({ demo_url, steam64_id: player, ...more });
        const request = new Request(`${BASE_URL}/api/plan`, { method: 'POST', headers, body });
        return (await (await app(request, createExecutionContext())).json<Plan>()).price;
      };
      expect(await price(mine.metered, {})).toEqual({ amount: 0.0125, currency: 'EUR' });
      expect(await price(mine.metered, { fps: 60, resolution: 1440 })).toEqual({ amount: 0.0257, currency: 'EUR' });
      expect(await price(mine.metered, { fps: 61 })).toBeUndefined();
      expect(await price(mine.reserved, {})).toBeUndefined();
    });
  });

  /** Creates a metered key, which has the limits that the account has now. */
  async function newKeys(account: string, more: object = {}): Promise<{ metered: string }> {
    const answer = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${account}/keys`, { kind: 'metered', ...more });
    return { metered: (await answer.json<{ key: string }>()).key };
  }
});
