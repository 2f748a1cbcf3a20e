import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '#domain/job/metering.ts';
import { createService } from '#service/lib/service.ts';
import { revokeApiKey } from '#storage/account/accounts.ts';
import { apiKeys } from '#storage/schema/schema.ts';
import { useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, send, sendJson } from '../support/service.ts';

const scene = useScenario();
const HOUR = 60 * 60_000;

interface Made {
  readonly key: string;
  readonly key_id: string;
  readonly [field: string]: unknown;
}
interface Listed {
  readonly key_id: string;
  readonly hint: string;
  readonly made_by: string | null;
  readonly is_this: boolean;
  readonly revoked_at: string | null;
  readonly [field: string]: unknown;
}

const create = (by: string, more: Record<string, unknown> = {}) =>
  sendJson(by, 'POST', '/api/keys', { kind: 'metered', scope: 'manage', ...more });
async function make(by: string, more: Record<string, unknown> = {}): Promise<Made> {
  // The lists are in the order of creation.
  vi.setSystemTime(Date.now() + 1);
  const response = await create(by, more);
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([201, 'no-store']);
  return response.json<Made>();
}
const revoke = async (by: string, id: string, query = '') =>
  (await sendJson(by, 'DELETE', `/api/keys/${id}${query}`)).status;
const list = async (by: string) =>
  (await (await sendJson(by, 'GET', '/api/keys?limit=200')).json<{ keys: Listed[] }>()).keys;
const thisKey = async (by: string) => (await list(by)).find(({ is_this }) => is_this)?.key_id ?? '';
/** The status of a read with a key that no isolate has cached. */
const reads = async (key: string) => {
  vi.setSystemTime(Date.now() + 31_000);
  return (await sendJson(key, 'GET', '/api/jobs')).status;
};
const errorsOf = async (response: Response) =>
  [response.status, (await response.json<{ errors?: unknown }>()).errors] as const;

interface Entry {
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}
/** What keys of the account have changed, the oldest first. */
async function audited(): Promise<Entry[]> {
  const answer = await sendJson(ADMIN_TOKEN, 'GET', '/admin/audit?limit=200');
  const { entries } = await answer.json<{ entries: Entry[] }>();
  const isMine = ({ action, target }: Entry) => action.endsWith('OwnKey') && target.account_id === scene.account.id;
  return entries.filter(isMine).toReversed();
}

describe('a key of scope manage', () => {
  it('makes a key, which is shown once, works at once, and knows its maker', async () => {
    const { metered } = scene.account;
    const maker = await thisKey(metered);
    const expires_at = new Date(Date.now() + HOUR).toISOString();
    const made = await make(metered, {
      scope: 'ingest',
      name: 'server 1',
      expires_at,
      ingest_limits: { demos: 4 },
    });
    const { key, ...terms } = made;
    expect(terms).toEqual({
      key_id: expect.any(String),
      kind: 'metered',
      name: 'server 1',
      scope: 'ingest',
      expires_at,
      ingest_limits: { demos: 4 },
      created_at: new Date().toISOString(),
    });
    expect(key).toMatch(/^tr_met_/);
    expect((await sendJson(key, 'GET', '/api/jobs')).status).toBe(403);
    const text = await (await sendJson(metered, 'GET', '/api/keys')).text();
    expect(text).not.toContain(key);
    const listed = (await list(metered)).find(({ key_id }) => key_id === made.key_id);
    expect(listed).toMatchObject({ ...terms, hint: `${key.slice(0, 11)}…${key.slice(-4)}`, made_by: maker });
    expect(listed).toMatchObject({ is_this: false, last_used: null, revoked_at: null });
    const operators = await sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${scene.account.id}/keys`);
    const { keys } = await operators.json<{ keys: Listed[] }>();
    expect(keys.map(({ made_by }) => made_by)).toEqual([null, null, maker]);
    expect(keys[0]).not.toHaveProperty('is_this');
  });

  it('sees the keys of its account alone, with pages, and which is its own', async () => {
    const { metered, reserved } = scene.account;
    const own = await thisKey(metered);
    const both = await list(metered);
    expect(new Set(both.map(({ key_id }) => key_id))).toEqual(new Set([own, await thisKey(reserved)]));
    const [, other] = both;
    const page = await (await sendJson(metered, 'GET', '/api/keys?limit=1')).json<{ next_cursor: string }>();
    const rest = await (await sendJson(metered, 'GET', `/api/keys?limit=1&cursor=${page.next_cursor}`)).json();
    expect(rest).toMatchObject({
      keys: [{ key_id: other?.key_id, is_this: other?.key_id === own }],
      next_cursor: null,
    });
  });

  it.each(['ingest', 'read', 'submit'])('is needed: one of scope %s neither makes nor revokes', async (scope) => {
    const { metered } = scene.account;
    const { key, key_id } = await make(metered, { scope });
    expect((await create(key, { scope: 'read' })).status).toBe(403);
    expect(await revoke(key, key_id)).toBe(403);
    expect((await sendJson(key, 'GET', '/api/keys')).status).toBe(scope === 'ingest' ? 403 : 200);
  });

  it('makes keys of its own kind and test keys, with no limits where the scope has none', async () => {
    const { metered, reserved } = scene.account;
    expect(await errorsOf(await create(metered, { kind: 'reserved', scope: 'read' }))).toEqual([
      400,
      [{ path: 'kind', message: 'must be test, or metered as your key' }],
    ]);
    expect(await errorsOf(await create(reserved, { kind: 'metered', scope: 'read' }))).toEqual([
      400,
      [{ path: 'kind', message: 'must be test, or reserved as your key' }],
    ]);
    expect((await make(reserved, { kind: 'reserved' })).key).toMatch(/^tr_res_/);
    const [status, errors] = await errorsOf(await create(metered, { ingest_limits: { demos: 1 } }));
    expect([status, errors]).toEqual([400, [{ path: 'ingest_limits', message: 'is for a key of scope `ingest`' }]]);
    expect((await create(metered, { key: 'tr_met_mine' })).status).toBe(400);
  });

  it('that ends makes none that ends later, and none that has ended', async () => {
    const end = new Date(Date.now() + HOUR).toISOString();
    const later = new Date(Date.now() + HOUR + 1).toISOString();
    const { key } = await make(scene.account.metered, { expires_at: end });
    expect(await errorsOf(await create(key, { scope: 'read', expires_at: later }))).toEqual([
      400,
      [{ path: 'expires_at', message: `must not be after the end of your key, ${end}` }],
    ]);
    const past = new Date(Date.now()).toISOString();
    expect(await errorsOf(await create(key, { scope: 'read', expires_at: past }))).toEqual([
      400,
      [{ path: 'expires_at', message: 'must be in the future' }],
    ]);
    expect(await make(key, { scope: 'read', expires_at: end })).toMatchObject({ expires_at: end });
    expect(await make(key, { scope: 'read' })).toMatchObject({ expires_at: end });
    vi.setSystemTime(Date.parse(end));
    // The isolate still has the key that has ended.
    expect((await create(key, { scope: 'submit' })).status).toBe(401);
  });

  it('makes one of ten keys that are asked for at once where one is left', async () => {
    const { metered } = scene.account;
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(metered)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(await refused?.json()).toMatchObject({
      detail: 'The account has 2 live metered keys of scope manage; revoke one first.',
    });
    expect((await list(metered)).filter(({ kind }) => kind === 'metered')).toHaveLength(2);
  });

  it('makes twenty keys in a day, revoked ones included; then the operator makes more', async () => {
    const { id, metered } = scene.account;
    for (let n = 0; n < 20; n++)
      expect(await revoke(metered, (await make(metered, { scope: 'read' })).key_id)).toBe(204);
    const refused = await create(metered, { scope: 'read' });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, String(DAY_MS / 1000)]);
    const operators = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${id}/keys`, { kind: 'metered' });
    expect(operators.status).toBe(201);
    vi.setSystemTime(Date.now() + DAY_MS);
    await make(metered, { scope: 'read' });
  });
});

/** Creates a chain of keys: each makes the next one. */
async function chain(first: string) {
  const second = await make(first);
  const third = await make(second.key, { scope: 'submit' });
  const aside = await make(second.key, { scope: 'read' });
  return { first: await thisKey(first), second, third, aside };
}

describe('a revoked key', () => {
  it('is refused with all that it has made, and that these have made', async () => {
    const { metered, reserved } = scene.account;
    const { first, second, third, aside } = await chain(metered);
    expect(await revoke(reserved, first)).toBe(204);
    const revoked_at = new Date().toISOString();
    for (const key of [metered, second.key, third.key, aside.key]) expect(await reads(key)).toBe(401);
    expect(await reads(reserved)).toBe(200);
    const ends = async () => (await list(reserved)).map((key) => [key.is_this, key.revoked_at]);
    const ended = await ends();
    expect(ended.filter(([isThis]) => isThis)).toEqual([[true, null]]);
    expect(ended.filter(([isThis]) => !isThis)).toEqual(Array(4).fill([false, revoked_at]));
    vi.setSystemTime(Date.now() + HOUR);
    expect(await revoke(reserved, first)).toBe(204);
    expect(await ends()).toEqual(ended);
  });

  it('leaves what it has made where that is asked; those end with whoever is above it', async () => {
    const { metered, reserved } = scene.account;
    const { first, second, third, aside } = await chain(metered);
    expect(await revoke(metered, second.key_id, '?keep_made=true')).toBe(204);
    expect([await reads(second.key), await reads(third.key), await reads(aside.key)]).toEqual([401, 200, 200]);
    expect(await revoke(metered, aside.key_id, '?keep_made=perhaps')).toBe(400);
    expect(await revoke(metered, aside.key_id, '?keep_made=false')).toBe(204);
    expect([await reads(third.key), await reads(aside.key)]).toEqual([200, 401]);
    expect(await revoke(reserved, first)).toBe(204);
    expect(await reads(third.key)).toBe(401);
  });

  it('is refused with what it has made if the operator revokes it, too', async () => {
    const { id, metered } = scene.account;
    const { first, second, third, aside } = await chain(metered);
    const path = `/admin/accounts/${id}/keys`;
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', `${path}/${second.key_id}?keep_made=true`)).status).toBe(204);
    expect([await reads(second.key), await reads(third.key)]).toEqual([401, 200]);
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', `${path}/${first}`)).status).toBe(204);
    for (const key of [metered, third.key, aside.key]) expect(await reads(key)).toBe(401);
  });

  it('makes and revokes nothing while isolates still know it, and may be the own one', async () => {
    const { metered, reserved } = scene.account;
    const { key, key_id } = await make(metered);
    expect(await revoke(key, key_id)).toBe(204);
    expect((await sendJson(key, 'GET', '/api/jobs')).status).toBe(200);
    const refused = await create(key, { scope: 'read' });
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    expect(await revoke(key, await thisKey(reserved))).toBe(401);
    expect(await reads(reserved)).toBe(200);
    expect(await reads(key)).toBe(401);
  });

  it('has made none that outlives it, also of those that it makes as it is revoked', async () => {
    const { metered, reserved } = scene.account;
    const { key, key_id } = await make(metered);
    const made = ['read', 'submit', 'ingest'].map((scope) => create(key, { scope }));
    const [status, ...answers] = await Promise.all([revoke(reserved, key_id), ...made]);
    expect(status).toBe(204);
    // No limit is reached, so none is 429.
    for (const answer of answers) expect([201, 401]).toContain(answer.status);
    const left = (await list(reserved)).filter(({ made_by, revoked_at }) => made_by === key_id && revoked_at === null);
    expect(left).toEqual([]);
  });

  it('is of the account: another one gets 404, as for no key at all', async () => {
    const { metered } = scene.account;
    const { first } = await chain(metered);
    const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/accounts', { name: 'another' });
    const { account_id } = await made.json<{ account_id: string }>();
    const other = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${account_id}/keys`, { kind: 'metered' });
    const { key } = await other.json<Made>();
    for (const id of [first, crypto.randomUUID(), 'x']) expect(await revoke(key, id)).toBe(404);
    expect(await reads(metered)).toBe(200);
    expect(await list(key)).toHaveLength(1);
  });
});

/** The maker of each key: an earlier one or none. Then which keys are revoked in turn: alone or with those below. */
const histories = fc.record({
  makers: fc.array(fc.option(fc.nat(99)), { minLength: 1, maxLength: 12 }),
  revoked: fc.array(fc.tuple(fc.nat(99), fc.boolean()), { maxLength: 6 }),
});

it('revokes exactly the keys below a key, whatever was revoked or kept before', { tags: ['long'] }, async () => {
  const { database } = createService(bindings);
  await fc.assert(
    fc.asyncProperty(histories, async ({ makers, revoked }) => {
      const ids = makers.map(() => crypto.randomUUID());
      const makerOf = makers.map((maker, at) => (maker === null || at === 0 ? null : maker % at));
      const rows = ids.map((id, at) => ({
        id,
        accountId: scene.account.id,
        kind: 'metered' as const,
        sha256: id,
        hint: '',
        createdAt: 1,
        madeBy: ids[makerOf[at] ?? -1] ?? null,
      }));
      for (const row of rows) await database.insert(apiKeys).values(row);
      const ended = new Set<number>();
      for (const [which, keepsMade] of revoked) {
        const first = which % ids.length;
        const below = new Set([first]);
        // A maker comes before the keys that it has made.
        for (const [at, maker] of makerOf.entries())
          if (!keepsMade && maker !== null && below.has(maker)) below.add(at);
        const expected = [...below].filter((at) => !ended.has(at)).map((at) => ids[at]);
        const now = await revokeApiKey(database, scene.account.id, ids[first] ?? '', 2, keepsMade);
        expect(now?.toSorted()).toEqual(expected.toSorted());
        for (const at of below) ended.add(at);
      }
    }),
    { numRuns: 60, seed: 66 },
  );
});

describe('a test key', () => {
  it('is made by a live key, listed with it, and revoked with it', async () => {
    const { metered, reserved } = scene.account;
    const made = await make(metered, { kind: 'test', scope: 'submit' });
    expect(made.key).toMatch(/^tr_test_/);
    const listed = (await list(reserved)).find(({ key_id }) => key_id === made.key_id);
    expect(listed).toMatchObject({ kind: 'test', made_by: await thisKey(metered), revoked_at: null });
    expect((await list(made.key)).map(({ key_id }) => key_id)).toEqual([made.key_id]);
    expect(await revoke(reserved, await thisKey(metered))).toBe(204);
    expect([await reads(made.key), await reads(reserved)]).toEqual([401, 200]);
  });

  it('makes test keys of the same test account, and sees and ends no live one', async () => {
    const { metered } = scene.account;
    const first = await make(metered, { kind: 'test' });
    const second = await make(first.key, { kind: 'test', scope: 'read' });
    expect((await create(first.key, { scope: 'read' })).status).toBe(400);
    expect((await list(first.key)).map(({ key_id }) => key_id)).toEqual([first.key_id, second.key_id]);
    expect((await list(metered)).map(({ key_id }) => key_id).slice(2)).toEqual([first.key_id, second.key_id]);
    expect(await revoke(first.key, await thisKey(metered))).toBe(404);
    expect(await revoke(metered, first.key_id)).toBe(204);
    expect([await reads(second.key), await reads(metered)]).toEqual([401, 200]);
  });
});

describe('the audit log', () => {
  it('has which key made and revoked what, by its hint, without a secret', async () => {
    const { id, metered } = scene.account;
    const { first, second } = await chain(metered);
    await create(metered, { kind: 'reserved' });
    vi.setSystemTime(Date.now() + 1);
    await revoke(metered, second.key_id);
    await revoke(metered, second.key_id);
    const entries = await audited();
    const by = { operator_id: first, operator: `${metered.slice(0, 11)}…${metered.slice(-4)}` };
    expect(entries).toMatchObject([
      {
        ...by,
        action: 'createOwnKey',
        status: 201,
        target: { account_id: id, key_id: second.key_id },
        target_name: 'test account',
        changes: '{"kind":"metered","scope":"manage"}',
      },
      { action: 'createOwnKey', operator_id: second.key_id },
      { action: 'createOwnKey', operator_id: second.key_id },
      {
        ...by,
        action: 'revokeOwnKey',
        status: 204,
        changes: null,
        target: { account_id: id, key_id: second.key_id, revoked: '3' },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(second.key);
  });

  it('keeps a part of a body that is padded', async () => {
    const body = `{"kind":"metered","scope":"read"${' '.repeat(100_000)}}`;
    const headers = { Authorization: `Bearer ${scene.account.metered}`, 'Content-Type': 'application/json' };
    expect((await send('/api/keys', { method: 'POST', headers, body })).status).toBe(201);
    const [entry] = await audited();
    expect(String(entry?.changes)).toHaveLength(2000);
  });
});

describe('a key in an address', () => {
  it('is not read, and nothing is done', async () => {
    const { metered } = scene.account;
    for (const name of ['key', 'api_key', 'access_token']) {
      const path = `/api/keys?${name}=${metered}`;
      expect((await send(path)).status).toBe(401);
      expect((await send(path, { method: 'POST', body: '{}' })).status).toBe(401);
      expect((await sendJson(metered, 'GET', path)).status).toBe(400);
    }
    expect(await revoke(metered, metered)).toBe(404);
    expect((await list(metered)).every(({ revoked_at }) => revoked_at === null)).toBe(true);
    const stored = await bindings.DB.prepare('SELECT * FROM api_keys WHERE account_id = ?')
      .bind(scene.account.id)
      .all();
    expect(JSON.stringify(stored.results)).not.toContain(metered);
  });
});
