import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Upload } from '#protocol/demo/uploads.ts';
import { PART_BYTES } from '#protocol/host/gateway.ts';
import { createDisk } from '#service/lib/controls.ts';
import { createService, type Service } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import * as LISTED from '#src/operations.ts';
import { createApp } from '#src/worker.ts';
import { rules } from '#storage/schema/rules.ts';
import {
  createAccount,
  createClipMaker,
  createHost,
  isolate,
  statuses,
  type TestAccount,
} from '#test/support/accounts.ts';
import { SAYS, withAbort } from '#test/support/faulty-service.ts';
import { get5Request, matchZyRequest } from '#test/support/game-server-request.ts';
import { type ParsedPage, parsePage } from '#test/support/parsed-page.ts';
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
import { createInbox } from '#test/support/webhooks.ts';

describe('ingest', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const FACTS = { fileName: '2026-05-04_1842_de_nuke.dem', matchId: 1842, mapNumber: 1, roundNumber: 24 };
  type Bytes = Uint8Array<ArrayBuffer>;

  let account: TestAccount;
  /** A key of scope `ingest`. */
  let key: string;

  beforeEach(async () => {
    account = await createAccount();
    key = (await newKey()).key;
  });

  async function newKey(terms: object = {}, id = account.id): Promise<{ key: string; key_id: string }> {
    const body = { kind: 'metered', scope: 'ingest', ...terms };
    const response = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${id}/keys`, body);
    expect(response.status).toBe(201);
    return response.json();
  }

  let made = 0;
  /** Returns unique bytes that begin like a demo. */
  function demo(length = 1000, start = 'PBDEMS2\0'): Bytes {
    const bytes = new Uint8Array(length).fill(7);
    bytes.set(new TextEncoder().encode(start));
    new DataView(bytes.buffer).setUint32(start.length, ++made);
    return bytes;
  }

  interface Sent {
    readonly token?: string;
    readonly query?: string;
    readonly headers?: Record<string, string | null>;
    readonly app?: ReturnType<typeof createApp>;
  }

  /** Sends a demo like MatchZy. A header that is null is left out. */
  async function ingest(body: BodyInit, { token = key, query = '', headers = {}, app }: Sent = {}) {
    const bytes = body instanceof Uint8Array ? body.length : 0;
    const usual = matchZyRequest({ ...FACTS, header: ['Authorization', `Bearer ${token}`] }, bytes).headers;
    const all = Object.entries({ ...usual, ...headers }).filter((one): one is [string, string] => one[1] !== null);
    const init = { method: 'POST', headers: Object.fromEntries(all), body };
    const context = createExecutionContext();
    const path = `/api/ingest${query}`;
    const response = await (app ? app(new Request(BASE_URL + path, init), context) : send(path, init));
    await waitOnExecutionContext(context);
    return {
      status: response.status,
      headers: response.headers,
      answer: await response.json<Upload & { detail: string }>(),
    };
  }

  /** Returns what is stored of the account: its uploads, its files and the sum of its bytes. */
  async function stored(id = account.id) {
    const rows = await bindings.DB.prepare('SELECT id, completed_at FROM uploads WHERE account_id = ?').bind(id).all();
    const { objects } = await bindings.ASSETS.list({ prefix: `demos/${id}/` });
    const sum = bindings.DB.prepare("SELECT used FROM budgets WHERE owner = ? AND name = 'demo_mib'").bind(id);
    return { rows: rows.results.length, files: objects.length, bytes: (await sum.first('used')) ?? 0 };
  }
  const NOTHING = { rows: 0, files: 0, bytes: 0 };
  const MIB = 1024 * 1024;

  describe('a demo of a game server', () => {
    it('becomes an upload with what the server says about it, and can be rendered', { tags: ['long'] }, async () => {
      const bytes = demo(3 * MIB);
      const { status, answer } = await ingest(bytes, { query: '?tag=league' });
      expect(status).toBe(201);
      expect(answer).toMatchObject({
        name: FACTS.fileName,
        bytes: bytes.length,
        sha256: await sha256Hex(bytes),
        state: 'complete',
        parts: [],
        source: 'ingest',
        tag: 'league',
        facts: { file_name: FACTS.fileName, match_id: '1842', map_number: 1, round_number: 24 },
      });
      const file = await bindings.ASSETS.get(`demos/${account.id}/${answer.id}`);
      expect(await sha256Hex(new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(answer.sha256);
      const read = await sendJson(account.metered, 'GET', `/api/uploads/${answer.id}`);
      expect(await read.json()).toEqual(answer);
      await submit(account.metered, { demo_url: answer.demo_url });
    });

    it('may come from get5, from an old MatchZy as a zip, and with the key as X-Api-Key', async () => {
      const bytes = demo();
      const { headers } = get5Request(
        { fileName: 'a_map1.dem', matchId: 'final', mapNumber: 0, serverId: '7' },
        bytes.length,
      );
      const asGet5 = await send('/api/ingest', {
        method: 'POST',
        headers: { ...headers, 'X-Api-Key': key },
        body: bytes,
      });
      expect(asGet5.status).toBe(201);
      const elsewhere = await send('/api/jobs', { headers: { 'X-Api-Key': account.metered } });
      expect([elsewhere.status, elsewhere.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
      const facts = { file_name: 'a_map1.dem', match_id: 'final', map_number: 0 };
      expect(await asGet5.json()).toMatchObject({ name: 'a_map1.dem', tag: null, facts });
      const zip = { 'Content-Type': 'application/zip' };
      expect((await ingest(demo(1000, 'PK\x03\x04'), { headers: zip })).status).toBe(201);
      const nameless = {
        'MatchZy-FileName': null,
        'Get5-FileName': null,
        'MatchZy-MapNumber': '-1',
        'MatchZy-MatchId': '',
      };
      const odd = await ingest(demo(), { headers: nameless });
      expect(odd.answer).toMatchObject({ name: 'demo', facts: { round_number: 24 } });
      expect(odd.answer.facts).not.toHaveProperty('map_number');
    });

    it('is stored once, whoever sends the same bytes and how often', async () => {
      const bytes = demo();
      const answers = await Promise.all([1, 2, 3, 4].map(() => ingest(bytes)));
      expect(statuses(answers).toSorted()).toEqual([200, 200, 200, 201]);
      expect(new Set(answers.map(({ answer }) => answer.id)).size).toBe(1);
      expect(await stored()).toEqual({ rows: 1, files: 1, bytes: MIB });
      const again = await ingest(bytes, { query: '?tag=other', headers: { 'MatchZy-MatchId': '1' } });
      expect(again).toMatchObject({ status: 200, answer: { id: answers[0]?.answer.id, tag: null } });
      expect(again.answer.facts).toMatchObject({ match_id: '1842' });
    });

    it('keeps its facts when it is sent again, and gets those that it does not have', async () => {
      const bytes = demo();
      const first = await ingest(bytes, { headers: { 'MatchZy-MapNumber': '', 'MatchZy-RoundNumber': '' } });
      const { key: other } = await newKey();
      const headers = { 'MatchZy-FileName': 'b.dem', 'MatchZy-MatchId': '7', 'MatchZy-RoundNumber': '' };
      const again = await ingest(bytes, { token: other, query: '?tag=other', headers });
      const facts = { file_name: FACTS.fileName, match_id: '1842', map_number: 1 };
      expect([again.status, again.answer]).toEqual([
        200,
        { ...first.answer, facts, expires_at: again.answer.expires_at },
      ]);
      expect((await ingest(bytes, { headers: { 'MatchZy-MapNumber': '2' } })).answer.facts).toEqual({
        ...facts,
        round_number: 24,
      });
      const read = await sendJson(account.metered, 'GET', `/api/uploads/${first.answer.id}`);
      expect(await read.json()).toMatchObject({
        name: FACTS.fileName,
        tag: null,
        facts: { ...facts, round_number: 24 },
      });

      const bare = demo();
      const nameless = Object.fromEntries(
        ['FileName', 'MatchId', 'MapNumber', 'RoundNumber'].map((name) => [`MatchZy-${name}`, '']),
      );
      expect((await ingest(bare, { headers: nameless })).answer.facts).toBeNull();
      expect((await ingest(bare)).answer).toMatchObject({ name: 'demo', facts: { ...facts, round_number: 24 } });
    });

    it('takes the place of an incomplete upload of the same bytes, and of an expired one', async () => {
      const bytes = demo();
      const announced = { name: 'a.dem', bytes: bytes.length, sha256: await sha256Hex(bytes) };
      const begun = await (await sendJson(account.metered, 'POST', '/api/uploads', announced)).json<Upload>();
      const { status, answer } = await ingest(bytes);
      expect([status, answer.id === begun.id]).toEqual([201, false]);
      expect((await sendJson(account.metered, 'POST', `/api/uploads/${begun.id}/complete`)).status).toBe(404);
      expect(await (await sendJson(account.metered, 'POST', '/api/uploads', announced)).json()).toMatchObject({
        id: answer.id,
      });
      await bindings.DB.prepare('UPDATE uploads SET expires_at = 1 WHERE id = ?').bind(answer.id).run();
      expect((await ingest(bytes)).status).toBe(201);
      expect(await stored()).toEqual({ rows: 1, files: 1, bytes: MIB });
    });

    it('is refused before its body if it and those that are coming would fill the disk, and leaves nothing', async () => {
      const free = { fetch: async () => Response.json({ freeBytes: 4 * MIB, backups: null }) } as unknown as Fetcher;
      const disk = createDisk(free, MIB, Date.now);
      const app = createApp(Object.create(createService(bindings), { disk: { value: disk } }) as Service);
      const other = await disk.hold(2 * MIB);
      const refused = await ingest(demo(MIB + 1), { app });
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '60']);
      expect(refused.answer.detail).toContain('disk');
      expect(await stored()).toEqual(NOTHING);
      other?.came(MIB);
      expect((await ingest(demo(MIB + 1), { app })).status).toBe(201);
      other?.release();
      const holds = await Promise.all([disk.hold(2 * MIB), disk.hold(2 * MIB)]);
      expect(holds).toEqual([expect.anything(), null]);
    });

    it('removes no upload of the same bytes that is completed meanwhile', async () => {
      const bytes = demo();
      const announced = { name: 'a.dem', bytes: bytes.length, sha256: await sha256Hex(bytes) };
      const begun = await (await sendJson(account.metered, 'POST', '/api/uploads', announced)).json<Upload>();
      const headers = { Authorization: `Bearer ${account.metered}` };
      await send(`/api/uploads/${begun.id}/part?part=1`, { method: 'PUT', headers, body: bytes });
      const completions: number[] = [];
      const service = createService(bindings);
      const path = `/api/uploads/${begun.id}/complete`;
      const demos = withAbort(service.demos, async () => {
        completions.push((await sendJson(account.metered, 'POST', path)).status);
      });
      const app = createApp(Object.create(service, { demos: { value: demos } }) as Service);
      const { status, answer } = await ingest(bytes, { app });
      expect([completions, status, answer.id === begun.id]).toEqual([[404], 201, false]);
      expect(await stored()).toEqual({ rows: 1, files: 1, bytes: MIB });
    });

    it.each([
      ['has no length', { body: demo(), headers: { 'Content-Length': null }, status: 411, detail: 'Content-Length' }],
      [
        'is too long',
        { body: demo(), headers: { 'Content-Length': '100000001' }, status: 413, detail: 'tickreel-relay' },
      ],
      ['is empty', { body: new Uint8Array(), headers: {}, status: 400, detail: 'empty' }],
      ['is no demo', { body: demo(1000, '<html>'), headers: {}, status: 400, detail: 'none of them' }],
      ['is a page', { body: new TextEncoder().encode('<html>'), headers: {}, status: 400, detail: 'an HTML page' }],
      ['is shorter than a demo', { body: new Uint8Array(3), headers: {}, status: 400, detail: 'none of them' }],
      ['is of CS:GO', { body: demo(1000, 'HL2DEMO\0'), headers: {}, status: 400, detail: 'CS:GO' }],
      [
        'is shorter than announced',
        { body: demo(), headers: { 'Content-Length': '1001' }, status: 408, detail: '1001' },
      ],
      ['is longer than announced', { body: demo(), headers: { 'Content-Length': '999' }, status: 408, detail: '999' }],
      ['has a tag that is none', { body: demo(), query: '?tag=A+B', headers: {}, status: 400, detail: 'tag' }],
    ])(
      'is refused without a line in the log and leaves nothing if it %s',
      async (_, { status, detail, body, ...sent }) => {
        const logged = vi.spyOn(console, 'error');
        const refused = await ingest(body, sent);
        expect(logged).not.toHaveBeenCalled();
        expect([refused.status, refused.answer.detail]).toEqual([status, expect.stringContaining(detail)]);
        expect(await stored()).toEqual(NOTHING);
      },
    );

    it('leaves nothing if its connection breaks in the middle', async () => {
      const bytes = demo(1000);
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(bytes),
        pull: (controller) => controller.error(new Error('the connection was lost')),
      });
      const logged = vi.spyOn(console, 'error');
      expect((await ingest(body, { headers: { 'Content-Length': '2000' } })).status).toBe(408);
      expect(logged).not.toHaveBeenCalled();
      expect(await stored()).toEqual(NOTHING);
      expect((await ingest(bytes)).status).toBe(201);
    });

    it.each([
      ['after the statement that completes it took effect', true, 201, { rows: 1, files: 1, bytes: MIB }],
      ['before that', false, 503, NOTHING],
    ])('is kept or removed as its row says if the index loses an answer %s', async (_, isDone, status, left) => {
      const bytes = demo();
      const batch = bindings.DB.batch.bind(bindings.DB);
      // The first batch adds the upload.
      const lose = vi.spyOn(bindings.DB, 'batch').mockImplementationOnce(batch);
      lose.mockImplementationOnce(async (statements) => {
        if (isDone) await batch(statements);
        throw new Error(SAYS.d1[2]);
      });
      const { status: first, answer } = await ingest(bytes);
      expect(lose).toHaveBeenCalled();
      lose.mockRestore();
      expect([first, await stored()]).toEqual([status, left]);
      const again = await ingest(bytes);
      expect([again.status, again.answer.state]).toEqual([isDone ? 200 : 201, 'complete']);
      if (isDone) expect(again.answer.id).toBe(answer.id);
    });

    it.each([
      ['before its file', 0],
      ['behind its file', 1],
    ])('leaves nothing that the cron does not remove if the isolate dies %s', async (_, files) => {
      const put = async (...args: Parameters<R2Bucket['put']>) => {
        if (files > 0) await bindings.ASSETS.put(...args);
        return new Promise(() => {});
      };
      const service = createService(bindings);
      const demos = new Proxy(bindings.ASSETS, {
        get: (bucket, name: keyof R2Bucket) => (name === 'put' ? put : bucket[name].bind(bucket)),
      });
      const dying = createApp(Object.create(service, { demos: { value: demos } }) as Service);
      const bytes = demo();
      const { headers } = matchZyRequest({ ...FACTS, header: ['X-Api-Key', key] }, bytes.length);
      // It never answers.
      void dying(
        new Request(`${BASE_URL}/api/ingest`, { method: 'POST', headers, body: bytes }),
        createExecutionContext(),
      );
      await expect.poll(() => stored()).toMatchObject({ rows: 1, files });
      // A server that sends the demo again does not wait for the cron.
      expect((await ingest(bytes)).status).toBe(201);
      await runUpkeep(service, Date.now() + DAY + 1);
      expect(await stored()).toEqual({ rows: 1, files: 1, bytes: MIB });
    });

    it('is refused during maintenance, and from a suspended account', async () => {
      await sendJson(ADMIN_TOKEN, 'PUT', '/admin/maintenance', { reason: 'the database moves' });
      const during = await isolate({})('POST', '/api/ingest', key, demo());
      expect([during.status, during.headers.get('Retry-After')]).toEqual([503, '300']);
      await sendJson(ADMIN_TOKEN, 'DELETE', '/admin/maintenance');
      const arrivals = async () => (await sendJson(ADMIN_TOKEN, 'GET', `/admin/arrivals?account=${account.id}`)).json();
      const refused = { status: 503, reason: expect.stringContaining('maintenance') };
      await expect.poll(arrivals).toMatchObject({ arrivals: [refused] });
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { suspended: true });
      const suspended = await isolate({})('POST', '/api/ingest', key, demo());
      expect([suspended.status, suspended.text]).toEqual([403, expect.stringContaining('suspended')]);
      expect(await stored()).toEqual(NOTHING);
    });
  });

  describe('the operators see a demo', () => {
    async function arrivals() {
      const answer = await sendJson(ADMIN_TOKEN, 'GET', `/admin/arrivals?account=${account.id}`);
      return (await answer.json<{ arrivals: object[] }>()).arrivals;
    }

    async function post(path: string, token: string, body: object) {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const request = new Request(BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const context = createExecutionContext();
      await createApp(createService(bindings))(request, context);
      await waitOnExecutionContext(context);
    }

    it('while it is sent, with the bytes that have come', async () => {
      const bytes = PART_BYTES + 9;
      const wanted = { name: 'long.dem', bytes, sha256: 'a'.repeat(64) };
      const { parts } = await (await sendJson(key, 'POST', '/api/uploads', wanted)).json<Upload>();
      const shown = { state: 'arriving', name: 'long.dem', bytes, reason: null };
      expect(await arrivals()).toMatchObject([{ ...shown, stored_bytes: 0 }]);
      const body = new Uint8Array(PART_BYTES);
      const path = parts[0]?.url.replace(BASE_URL, '') ?? '';
      expect((await send(path, { method: 'PUT', headers: { Authorization: `Bearer ${key}` }, body })).status).toBe(204);
      expect(await arrivals()).toMatchObject([{ ...shown, stored_bytes: PART_BYTES }]);
      vi.setSystemTime(Date.now() + DAY);
      expect(await arrivals()).toEqual([]);
    });

    it('that was refused, with the reason, for a week: once for each status, and fifty of a key a day', async () => {
      const { key: small } = await newKey({ ingest_limits: { demos: 1 } });
      const name = (fileName: string) => ({ 'MatchZy-FileName': fileName });
      const later = () => vi.setSystemTime(Date.now() + 1);
      await ingest(demo(), { token: small });
      const late = demo();
      for (const _ of [1, 2]) await ingest(late, { token: small, headers: name('late.dem') });
      later();
      await post('/api/uploads', small, { name: 'part.dem', bytes: 9, sha256: 'a'.repeat(64) });
      later();
      const payload = { id: '1-a', demo_url: 'https://demos.faceit.com/cs2/1-a-1-1.dem.zst' };
      await post('/api/ingest/faceit', small, { event: 'match_demo_ready', payload });
      later();
      await ingest(demo(1000, 'HL2DEMO\0'), { headers: name('old.dem') });
      await sendJson(key, 'GET', `/api/uploads/${crypto.randomUUID()}`);
      const limit = expect.stringContaining('This key may send 1 demos');
      const found = [
        { name: 'old.dem', status: 400, bytes: 1000, reason: expect.stringContaining('a demo of CS:GO'), times: 1 },
        { name: '1-a-1-1.dem.zst', status: 503, bytes: null, reason: expect.stringContaining('FACEIT_API_KEY') },
        { name: 'part.dem', status: 429, bytes: 9, reason: limit, times: 1 },
        { name: 'late.dem', status: 429, bytes: 1000, reason: limit, times: 2 },
      ];
      expect(await arrivals()).toMatchObject(found.map((one) => ({ ...one, state: 'refused' })));
      for (let i = 0; i < 52; i++) await ingest(demo(), { token: small, headers: name(`${i}.dem`) });
      await ingest(late, { token: small, headers: name('late.dem') });
      expect(await arrivals()).toHaveLength(51);
      expect(await arrivals()).toContainEqual(expect.objectContaining({ name: 'late.dem', times: 3 }));
      vi.setSystemTime(Date.now() + DAY);
      expect((await ingest(late, { token: small, headers: name('late.dem') })).status).toBe(201);
      expect(await arrivals()).toHaveLength(50);
      await runUpkeep(createService(bindings), Date.now() + 7 * DAY + 1);
      expect(await arrivals()).toEqual([]);
    });
  });

  describe('the completion of a demo', () => {
    const runs = async () => {
      const all = bindings.DB.prepare('SELECT rule_id, upload_id, key_id, state FROM rule_runs WHERE account_id = ?');
      return (await all.bind(account.id).all()).results;
    };
    /** Adds a rule for demos of these sources, if any are given. */
    async function addRule(sources?: string[]): Promise<string> {
      const id = crypto.randomUUID();
      const { key_id } = await newKey({ scope: 'submit' });
      const definition = { when: sources ? { sources } : {}, budget: { demos_a_day: 20, clips_a_day: 50 } };
      await createService(bindings)
        .database.insert(rules)
        .values({
          id,
          accountId: account.id,
          name: 'r',
          keyId: key_id,
          definition,
          enabled: true,
          createdAt: 1,
          send: {},
        } as never);
      return id;
    }

    it('claims the runs of its rules once, however it came and whoever sends it again', async () => {
      const [ofAll, ofServers] = [await addRule(), await addRule(['ingest'])];
      const bytes = demo();
      const sent = await Promise.all([ingest(bytes), ingest(bytes)]);
      const { id: upload_id, keyId: key_id } = (await bindings.DB.prepare(
        'SELECT id, key_id AS keyId FROM uploads WHERE account_id = ?',
      )
        .bind(account.id)
        .first<{ id: string; keyId: string }>()) ?? { id: '', keyId: '' };
      expect(new Set(sent.map(({ answer }) => answer.id))).toEqual(new Set([upload_id]));
      expect(await runs()).toHaveLength(2);
      for (const rule_id of [ofAll, ofServers]) {
        expect(await runs()).toContainEqual(expect.objectContaining({ rule_id, upload_id, key_id }));
      }
      const other = demo();
      const announced = { name: 'a.dem', bytes: other.length, sha256: await sha256Hex(other) };
      const upload = await (await sendJson(account.metered, 'POST', '/api/uploads', announced)).json<Upload>();
      const headers = { Authorization: `Bearer ${account.metered}` };
      await send(`/api/uploads/${upload.id}/part?part=1`, { method: 'PUT', headers, body: other });
      expect(await runs()).toHaveLength(2);
      const complete = () => sendJson(account.metered, 'POST', `/api/uploads/${upload.id}/complete`);
      expect(statuses(await Promise.all([complete(), complete()]))).toContain(200);
      expect(await runs()).toHaveLength(3);
      expect(await runs()).toContainEqual(expect.objectContaining({ rule_id: ofAll, upload_id: upload.id }));
      await ingest(other);
      expect(await runs()).toHaveLength(3);
    });
  });

  describe('a key of scope ingest', () => {
    it('may do nothing else: every other operation of accounts refuses it alike', async () => {
      const { answer } = await ingest(demo());
      const mine = ['ingestDemo', 'ingestFaceit', 'createUpload', 'sendUploadPart', 'completeUpload'];
      const others = Object.entries(LISTED).filter(
        ([id, { scope }]) => scope.startsWith('account:') && !mine.includes(id),
      );
      expect(others.length).toBeGreaterThan(30);
      for (const [id, { route }] of others) {
        const [method = '', path = ''] = route.split(' ');
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        const response = await sendJson(key, method, path.replace(/:\w+/g, answer.id), body);
        expect([id, response.status]).toEqual([id, 403]);
        expect(await response.json()).toMatchObject({
          detail: expect.stringMatching(/^This takes a key of scope \w+; this/),
        });
      }
      for (const path of ['/admin/overview', '/gateway/v1/claim', '/metrics']) {
        const method = path.startsWith('/gateway') ? 'POST' : 'GET';
        expect([path, (await sendJson(key, method, path)).status]).toEqual([path, 401]);
      }
    });

    it('sends a demo in parts, which is of source ingest; other keys of that scope cannot touch it', {
      tags: ['long'],
    }, async () => {
      const bytes = demo(PART_BYTES + 10);
      const wanted = {
        name: 'a.dem',
        bytes: bytes.length,
        sha256: await sha256Hex(bytes),
        tag: 'relay',
        facts: { map_number: 2 },
      };
      const upload = await (await sendJson(key, 'POST', '/api/uploads', wanted)).json<Upload>();
      expect(upload).toMatchObject({ source: 'ingest', tag: 'relay', facts: { map_number: 2 }, state: 'open' });
      const { key: other } = await newKey();
      const put = (token: string, part: number) => {
        const body = bytes.subarray((part - 1) * PART_BYTES, part * PART_BYTES);
        const path = `/api/uploads/${upload.id}/part?part=${part}`;
        return send(path, { method: 'PUT', headers: { Authorization: `Bearer ${token}` }, body });
      };
      expect((await put(other, 1)).status).toBe(404);
      expect((await sendJson(other, 'POST', `/api/uploads/${upload.id}/complete`)).status).toBe(404);
      const asked = await sendJson(other, 'POST', '/api/uploads', wanted);
      expect(asked.status).toBe(409);
      expect(await asked.text()).not.toContain(upload.id);
      for (const part of [1, 2]) expect((await put(key, part)).status).toBe(204);
      expect((await sendJson(key, 'POST', `/api/uploads/${upload.id}/complete`)).status).toBe(200);

      vi.setSystemTime(Date.now() + 5000);
      const words = { name: 'b.dem', tag: null, facts: null, source: 'ingest', created_at: new Date().toISOString() };
      const known = await sendJson(other, 'POST', '/api/uploads', {
        ...wanted,
        name: 'b.dem',
        tag: undefined,
        facts: undefined,
      });
      expect(await known.json()).toMatchObject({ id: upload.id, ...words });
      const again = await ingest(bytes, { token: other, headers: { 'MatchZy-FileName': 'b.dem' } });
      expect([again.status, again.answer]).toMatchObject([
        200,
        { name: 'a.dem', tag: 'relay', created_at: upload.created_at, facts: { file_name: 'b.dem', map_number: 2 } },
      ]);
      expect((await put(key, 1)).status).toBe(409);
    });

    it('begins an open upload of a revoked key anew', async () => {
      const { key: leaked, key_id } = await newKey({ kind: 'reserved' });
      const wanted = { name: 'a.dem', bytes: 9, sha256: await sha256Hex(demo()) };
      const { id } = await (await sendJson(leaked, 'POST', '/api/uploads', wanted)).json<Upload>();
      expect((await sendJson(key, 'POST', '/api/uploads', wanted)).status).toBe(409);
      await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/accounts/${account.id}/keys/${key_id}`);
      const anew = await sendJson(key, 'POST', '/api/uploads', wanted);
      expect(anew.status).toBe(201);
      expect((await anew.json<Upload>()).id).not.toBe(id);
    });

    it('has its own limits of a day, which hold though requests come together', async () => {
      const { key: small, key_id } = await newKey({ ingest_limits: { demos: 3, mib: 1 } });
      const all = await Promise.all(Array.from({ length: 8 }, () => ingest(demo(), { token: small })));
      expect(statuses(all).toSorted()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
      const refused = all.find(({ status }) => status === 429);
      expect(refused?.answer.detail).toContain('This key may send 3 demos and 1 MiB a day (UTC).');
      expect(refused?.headers.get('Retry-After')).toBe('600');
      // Uploads in parts count, too; other keys have their own.
      const announced = { name: 'a.dem', bytes: 9, sha256: 'a'.repeat(64) };
      expect((await sendJson(small, 'POST', '/api/uploads', announced)).status).toBe(429);
      expect((await ingest(demo())).status).toBe(201);
      vi.setSystemTime(Date.now() + DAY);
      expect((await ingest(demo(MIB - 1000), { token: small })).status).toBe(201);
      expect((await ingest(demo(1001), { token: small })).status).toBe(429);
      expect((await ingest(demo(1000), { token: small })).status).toBe(201);

      const keys = `/admin/accounts/${account.id}/keys`;
      const ingest_limits = { demos: 3, mib: 1 };
      const { keys: listed } = await (await sendJson(ADMIN_TOKEN, 'GET', keys)).json<{ keys: object[] }>();
      expect(listed).toContainEqual(expect.objectContaining({ key_id, scope: 'ingest', ingest_limits }));
      await sendJson(ADMIN_TOKEN, 'DELETE', `${keys}/${listed.length > 0 ? key_id : ''}`);
      const wrong = await sendJson(ADMIN_TOKEN, 'POST', keys, { kind: 'metered', ingest_limits });
      expect(await wrong.json()).toMatchObject({ errors: [{ path: 'ingest_limits' }] });
    });

    it('has the limits of the deployment otherwise; a wider key has none of a day', async () => {
      const few = isolate({ LIMIT_INGEST_MB: '1' }, {}, { ingest: { mib: 10, demos: 1, clips: 1 } });
      const sendTo = (token: string, body: Bytes) =>
        few('POST', '/api/ingest', token, body, { 'Content-Length': String(body.length) });
      const answers = [await sendTo(key, demo()), await sendTo(key, demo()), await sendTo(key, demo(1_000_001))];
      expect(statuses(answers)).toEqual([201, 429, 413]);
      const wide = [await sendTo(account.metered, demo()), await sendTo(account.metered, demo())];
      expect(statuses(wide)).toEqual([201, 201]);
      const { key: reader } = await newKey({ scope: 'read' });
      expect((await ingest(demo(), { token: reader })).status).toBe(403);
    });

    it('keeps its limits when it is rotated', async () => {
      const { key_id } = await newKey({ kind: 'reserved', ingest_limits: { demos: 1 } });
      const path = `/admin/accounts/${account.id}/keys/${key_id}/rotate`;
      const rotated = await (await sendJson(ADMIN_TOKEN, 'POST', path)).json<{ key: string }>();
      expect(rotated).toMatchObject({ scope: 'ingest', ingest_limits: { demos: 1 } });
      const sent = [await ingest(demo(), { token: rotated.key }), await ingest(demo(), { token: rotated.key })];
      expect(statuses(sent)).toEqual([201, 429]);
    });
  });
});

describe('hostile input', () => {
  /** Player names come from demos, and hosts report them unchanged. Each name with its escaped form. */
  const NAMES: readonly (readonly [name: string, shown: string])[] = [
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['</title><img src=x onerror=alert(1)>', '</title><img src=x onerror=alert(1)>'],
    ['"><svg onload=alert(1)>', '"><svg onload=alert(1)>'],
    ["' autofocus onfocus='alert(1)", "' autofocus onfocus='alert(1)"],
    ['</script><!--<script>', '</script><!--<script>'],
    [']]><x/>', ']]><x/>'],
    ['&lt;b&gt; &amp;amp; &#60;', '&lt;b&gt; &amp;amp; &#60;'],
    ['{{7*7}} `x`', '{{7*7}} `x`'],
    ['a" on de_nuke, round 9', 'a" on de_nuke, round 9'],
    ['line\nbreak\ttab\u0000null\u001b[31m', 'line break tab null [31m'],
    ['\u202egnp.exe\u202c', 'gnp.exe'],
    ['sep\u2028ara\u2029tor', 'sep ara tor'],
    ['half \ud83d of a pair', 'half of a pair'],
    ['no\uffffn\ufffechar', 'no n char'],
    ['Käthe 🎯 小明 مرحبا', 'Käthe 🎯 小明 مرحبا'],
    ['\\"\\u003c/script>', '\\"\\u003c/script>'],
  ];

  const factsOf = (name: string) => ({ kills: 2, players: [name], map: 'de_nuke', round: null });

  let maker: Awaited<ReturnType<typeof createClipMaker>>;
  let key: string;
  let plain: ParsedPage;

  beforeAll(async () => {
    maker = await createClipMaker();
    plain = await parsePage(await send(`/clips/${await maker.make({ facts: factsOf('A') })}`));
    key = (await createAccount()).metered;
  });

  describe('a player by the name of', () => {
    for (const [name, shown] of NAMES) {
      it(`${JSON.stringify(name)} is text everywhere`, async () => {
        const title = `2 kills by ${shown} on Nuke`;
        const id = await maker.make({ facts: factsOf(name) });

        const page = await parsePage(await send(`/clips/${id}`));
        expect(page.title).toBe(`${title} · Tickreel`);
        expect(page.h1).toBe(`2 kills by ${shown}`);
        expect(page.video?.['aria-label']).toBe(title);
        for (const tag of ['og:title', 'og:image:alt', 'twitter:title', 'twitter:image:alt']) {
          expect(page.meta.get(tag)).toBe(title);
        }
        expect(page.meta.get('og:description')).toContain(`${shown} on Nuke`);
        expect(page.jsonLd).toMatchObject({ name: title });
        // The page has the same elements as that of a harmless name.
        expect([...page.elements].filter((element) => !plain.elements.has(element))).toEqual([]);
        expect([...page.attributes].filter((attribute) => !plain.attributes.has(attribute))).toEqual([]);

        const embed = await parsePage(await send(`/clips/${id}/embed`));
        expect(embed.title).toBe(title);
        expect(embed.elements).not.toContain('img');

        const json = await (await send(`/oembed?url=${BASE_URL}/clips/${id}`)).json<Record<string, string>>();
        expect(json.title).toBe(title);
        const frame = await parsePage(new Response(json.html));
        expect([...frame.elements]).toEqual(['iframe']);
        expect([...frame.attributes].some((attribute) => attribute.startsWith('on'))).toBe(false);

        const xml = await (await send(`/oembed?url=${BASE_URL}/clips/${id}&format=xml`)).text();
        expect(xml.match(/<\/?[a-z_]+>/g)?.filter((tag) => tag.startsWith('</'))).toHaveLength(14);
        // The characters that XML 1.0 allows, and nothing else.
        expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
        expect(xml).not.toMatch(/&(?!#\d+;)/);

        const file = await send(`/clips/${id}/video.mp4?download`, { method: 'HEAD' });
        expect(file.headers.get('Content-Disposition')).toMatch(
          /^attachment; filename="[\x20-\x21\x23-\x7e]*\.mp4"; filename\*=UTF-8''[\w.!#$&+^`|~%-]+\.mp4$/,
        );
      });
    }
  });

  it('without a key of FACEIT: rejects at once what only FACEIT could sign', async () => {
    const demo_url = 'https://demos.faceit.com/cs2/a.dem.zst';
    const summary = expect.stringContaining('FACEIT_API_KEY');
    for (const address of [demo_url, 'https://www.faceit.com/en/cs2/room/1-a']) {
      const answer = await sendJson(key, 'POST', '/api/demos', { demo_url: address });
      expect(await answer.json()).toMatchObject({ error_code: 'demo_url_rejected', diagnosis: { summary } });
    }
    const message = { event: 'match_demo_ready', payload: { id: '1-a', demo_url } };
    expect((await sendJson(key, 'POST', '/api/ingest/faceit', message)).status).toBe(503);
  });

  describe('a request that makes the service call itself', () => {
    it('is refused where it names the service as its webhook', async () => {
      const request = roundRequest({ webhook_url: `${BASE_URL}/api/clips`, webhook_auth_header: `Bearer ${key}` });
      const { webhook_url } = request;
      for (const [path, body] of Object.entries({ '/api/clips': request, '/api/webhooks/test': { webhook_url } })) {
        const response = await sendJson(key, 'POST', path, body);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ errors: [{ path: 'webhook_url' }] });
      }
    });

    it('fails its job where it names the service as its demo', async () => {
      const jobId = await submit(key, { demo_url: `${BASE_URL}/clips/x/video.mp4` });
      expect(await readJob(key, jobId)).toMatchObject({ status: 'error', error_code: 'demo_url_rejected' });
    });

    it('gets 508 at every address if a webhook of the service made it: each webhook has a mark', async () => {
      const host = await createHost();
      const inbox = createInbox();
      const jobId = await submit(key, { webhook_url: inbox.url });
      await host.report(await host.claimJob(jobId), 'fail', { code: 'demo_404', detail: 'gone' });
      await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
      const [webhook] = await inbox.received();
      const hop = String(webhook?.headers['x-service-hop']);
      for (const path of ['/api/clips', '/api/jobs', '/', '/gateway/v1/claim', '/nowhere']) {
        const headers = { Authorization: `Bearer ${key}`, 'X-Service-Hop': hop };
        expect((await send(path, { method: 'POST', headers, body: JSON.stringify(roundRequest()) })).status).toBe(508);
      }
    });
  });
});
