import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LimitValues } from '#domain/operate/limits.ts';
import { sha256Hex } from '#platform/digest.ts';
import type { Upload } from '#protocol/demo/uploads.ts';
import { PART_BYTES } from '#protocol/host/gateway.ts';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { keepUpload } from '#storage/demo/uploads.ts';
import { createAccount, createHost, isolate, statuses, type TestAccount, times } from '../support/accounts.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, roundRequest, send, sendJson, submit } from '../support/service.ts';
import type { TestHost } from '../support/test-host.ts';

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
    await expect.poll(() => held).toHaveLength(1);
    await Promise.all(held);
    expect((await ask(await announced(bytes))).upload.parts).toEqual([]);
  });

  it('counts against what its account may have, until it is deleted', { tags: ['long'] }, async () => {
    const account = await createAccount();
    const gibibyte = 1024 ** 3;
    const big = (n: number) =>
      ask({ name: 'a.dem', bytes: 4 * gibibyte, sha256: String(n).repeat(64) }, account.metered);
    const all = [await big(1), await big(2), await big(3), await big(4), await big(5)];
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect((await big(6)).status).toBe(429);
    const id = all[0]?.upload.id;
    expect((await sendJson(account.metered, 'DELETE', `/api/uploads/${id}`)).status).toBe(204);
    expect((await big(6)).status).toBe(201);
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
    const owned = { id: upload.id, accountId: mine.id, keyId: null };
    const soon = { completedAt: Date.now(), expiresAt: Date.now() + 1000, sha256: '00' };
    expect((await keepUpload(service.database, owned, Date.now(), soon))?.expiresAt).toBeGreaterThan(soon.expiresAt);
  });

  it('is not granted to a host without the skill, though a dispatcher suggests it', async () => {
    const jobId = await submit(mine.metered, { demo_url: (await uploaded(demo(1000))).demo_url });
    const job = bindings.RENDER_JOB.getByName(jobId);
    expect(await job.claim({ hostId: 'a host' })).toMatchObject({ ok: false });
    expect(await job.claim({ hostId: 'a host', skills: ['uploads'] })).toMatchObject({ ok: true });
  });

  it('cannot be submitted before the upload is complete; an address that is none fails as ever', async () => {
    const bytes = demo(1000);
    const { upload } = await ask(await announced(bytes));
    const early = await sendJson(mine.metered, 'POST', '/api/clips', roundRequest({ demo_url: upload.demo_url }));
    expect(early.status).toBe(400);
    // It expires when it would have: a refused submit keeps nothing.
    expect((await ask(await announced(bytes))).upload).toMatchObject({ id: upload.id, expires_at: upload.expires_at });
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
  const owned = { id: whole.id, accountId: account.id, keyId: null };
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
