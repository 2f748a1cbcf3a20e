import { createExecutionContext } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { formatSecret } from '#domain/account/secret-key.ts';
import { DAY_MS } from '#domain/job/metering.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { type Bindings, createService, dispatcherOf } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { revokeApiKey } from '#storage/account/accounts.ts';
import { ruleRuns } from '#storage/schema/rules.ts';
import { apiKeys } from '#storage/schema/schema.ts';
import { createAccount, hostOf } from '#test/support/accounts.ts';
import { arrive } from '#test/support/rules.ts';
import { leaveMemory, pass, useScenario } from '#test/support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, roundRequest, send, sendJson, submit } from '#test/support/service.ts';

const scene = useScenario();

async function get<T = Record<string, never>>(path: string): Promise<T> {
  const response = await sendJson(ADMIN_TOKEN, 'GET', path);
  expect(response.status, path).toBe(200);
  return response.json<T>();
}

const post = (path: string, body: unknown) => sendJson(ADMIN_TOKEN, 'POST', path, body);

describe('a suspended account', () => {
  const suspend = (suspended: boolean) =>
    sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, { suspended });

  it('reads and writes nothing; its queued jobs wait, running ones finish, and all goes on afterwards', {
    tags: ['long'],
  }, async () => {
    const { account, host } = scene;
    const running = await host.claimJob(await submit(account.metered));
    await host.heartbeat(running);
    const waiting = [await submit(account.metered), await submit(account.reserved)];
    expect(await (await suspend(true)).json()).toMatchObject({ suspended_at: new Date().toISOString() });
    vi.setSystemTime(Date.now() + 31_000);
    const refused = await sendJson(account.metered, 'POST', '/api/clips', {
      demo_url: 'https://demos.example.com/a.dem',
    });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ type: 'https://tickreel.test/docs/problems#account_suspended' });
    const read = () => sendJson(account.metered, 'GET', `/api/jobs/${waiting[0]}`);
    expect(await (await read()).json()).toMatchObject({ status: 'pending' });
    expect((await host.finish(running)).status).toBe(204);
    // Still none after the dispatcher was evicted, or after a job offered itself again.
    await leaveMemory(dispatcherOf(bindings.DISPATCHER));
    for (const id of waiting) await pass(10 * 60_000, id);
    expect(await host.claim()).toBeNull();
    expect(await get('/admin/overview')).toMatchObject({ queue: [{ waiting: 0 }, { waiting: 0 }] });
    expect((await suspend(false)).status).toBe(200);
    const got = [await host.claim({}, 20), await host.claim({}, 20)];
    expect(got.map((grant) => grant?.job_id)).toEqual(waiting.toReversed());
    for (const grant of got) if (grant) await host.report(grant, 'fail', { code: 'demo_404', detail: '' });
    vi.setSystemTime(Date.now() + 31_000);
    await submit(account.metered);
    await host.report((await host.claim({}, 20)) as Grant, 'fail', { code: 'demo_404', detail: '' });
  });

  it('stays suspended if another field is changed at the same time', async () => {
    const path = `/admin/accounts/${scene.account.id}`;
    const changes = [{ suspended: true }, { name: 'another' }, { labels: ['eu'] }, {}, { provisioned_slots: 3 }];
    const answers = await Promise.all(changes.map((change) => sendJson(ADMIN_TOKEN, 'PATCH', path, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const suspended_at = new Date().toISOString();
    expect(await get(path)).toMatchObject({ suspended_at, name: 'another', labels: ['eu'], provisioned_slots: 3 });
    vi.setSystemTime(Date.now() + 1000);
    expect(await (await suspend(true)).json()).toMatchObject({ suspended_at });
  });
});

it.each(['//api/clips', '///api/clips?from=a'])('a base URL may end in a slash: %s', async (path) => {
  const made = await sendJson(scene.account.metered, 'POST', path, roundRequest());
  expect([made.status, made.headers.get('Access-Control-Allow-Origin')]).toEqual([201, '*']);
  const { job_id } = await made.json<{ job_id: string }>();
  expect((await sendJson(scene.account.metered, 'GET', `//api/jobs/${job_id}`)).status).toBe(200);
  expect((await send(path, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } })).status).toBe(
    204,
  );
});

it('a reserved key needs slots, where the deployment says so', async () => {
  const account = await createAccount();
  const statuses = async (slots: number | null, variables: object) => {
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { provisioned_slots: slots });
    const app = createApp(createService({ ...bindings, ...variables } as Bindings));
    const ask = async (key: string, path: string, body: object) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      return app(
        new Request(BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) }),
        createExecutionContext(),
      );
    };
    const submits = [account.reserved, account.metered].map((key) => ask(key, '/api/clips', roundRequest()));
    const batch = await ask(account.reserved, '/api/clips/batch', { clips: [roundRequest()] });
    const { results } = await batch.json<{ results: { status: number }[] }>();
    return [...(await Promise.all(submits)).map(({ status }) => status), results[0]?.status];
  };
  const on = { RESERVED_NEEDS_SLOTS: 'true' };
  expect(await statuses(0, {})).toEqual([201, 201, 201]);
  expect(await statuses(0, on)).toEqual([403, 201, 403]);
  for (const slots of [1, null]) expect(await statuses(slots, on)).toEqual([201, 201, 201]);
});

describe('a key', () => {
  const keys = () => `/admin/accounts/${scene.account.id}/keys`;
  const make = async (more: Record<string, unknown>) =>
    (await post(keys(), { kind: 'metered', ...more })).json<{ key: string; key_id: string }>();

  it('does what its scope allows', async () => {
    const clip = `/api/clips/${crypto.randomUUID()}`;
    const answers = async (scope: string) => {
      const { key } = await make({ scope });
      const asked = [
        sendJson(key, 'GET', clip),
        sendJson(key, 'POST', '/api/clips', {}),
        sendJson(key, 'DELETE', clip),
      ];
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await answers('read')).toEqual([404, 403, 403]);
    expect(await answers('submit')).toEqual([404, 400, 403]);
    await sendJson(ADMIN_TOKEN, 'DELETE', `${keys()}/${(await listed())[0]?.key_id}`);
    expect(await answers('manage')).toEqual([404, 400, 404]);
  });

  interface Key {
    readonly key_id: string;
    readonly [field: string]: unknown;
  }
  const listed = async () => (await get<{ keys: Key[] }>(keys())).keys.filter(({ kind }) => kind === 'metered');

  it('has a name, expires at its time, and shows the hour of its last use', async () => {
    const expires_at = new Date(Date.now() + 3 * 60 * 60_000).toISOString();
    const { key, key_id } = await make({ scope: 'read', name: 'dashboard', expires_at });
    const seen = async () => (await listed()).find((one) => one.key_id === key_id);
    expect(await seen()).toMatchObject({ name: 'dashboard', scope: 'read', expires_at, last_used: null });
    const first = new Date().toISOString();
    const use = async () => (await sendJson(key, 'GET', '/api/jobs')).status;
    expect(await use()).toBe(200);
    await expect.poll(seen).toMatchObject({ last_used: first });
    vi.setSystemTime(Date.now() + 59 * 60_000);
    expect(await use()).toBe(200);
    expect(await seen()).toMatchObject({ last_used: first });
    vi.setSystemTime(Date.now() + 60_000);
    const second = new Date().toISOString();
    expect(await use()).toBe(200);
    await expect.poll(seen).toMatchObject({ last_used: second });
    vi.setSystemTime(Date.parse(expires_at));
    expect(await use()).toBe(401);
  });
});

useScenario();
const HOUR = 3_600_000;

interface Registration {
  readonly registration_id: string;
  readonly token: string;
}

async function registration(body: Record<string, unknown> = {}): Promise<Registration> {
  const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/host-registrations', { name: 'rack 4', ...body });
  expect(made.status).toBe(201);
  return made.json<Registration>();
}

const register = (token: string, name = 'gpu') => sendJson(token, 'POST', '/gateway/v1/register', { name });

async function listed(id: string): Promise<Record<string, unknown> | undefined> {
  const all = await sendJson(ADMIN_TOKEN, 'GET', '/admin/host-registrations');
  const { registrations } = await all.json<{ registrations: Record<string, unknown>[] }>();
  return registrations.find(({ registration_id }) => registration_id === id);
}

async function hostsNamed(name: string): Promise<number> {
  const counted = bindings.DB.prepare('SELECT COUNT(*) AS n FROM hosts WHERE name = ?').bind(name);
  return (await counted.first<number>('n')) ?? 0;
}

describe('a registration', () => {
  it('makes hosts with tokens of their own, as often as it has uses', async () => {
    const { registration_id, token } = await registration({ uses: 2 });
    const name = crypto.randomUUID();
    const answers = [await register(token, name), await register(token, name), await register(token, name)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 401]);
    expect(await answers[2]?.json()).toMatchObject({ detail: expect.stringMatching(/used up/) });
    const hosts = await Promise.all(answers.slice(0, 2).map((one) => one.json<{ host_id: string; token: string }>()));
    expect(new Set(hosts.map(({ token: own }) => own)).size).toBe(2);
    for (const { token: own } of hosts) expect(await hostOf(own).claim({ max_fps: 5 })).toBeNull();
    expect(await hostsNamed(name)).toBe(2);
    expect(await listed(registration_id)).toMatchObject({ name: 'rack 4', uses: 2, used: 2, revoked_at: null });
  });

  it('with 10 uses makes 10 hosts of 50 that ask at once', async () => {
    const { registration_id, token } = await registration({ uses: 10 });
    const name = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(token, name)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(40);
    expect(await hostsNamed(name)).toBe(10);
    expect(await listed(registration_id)).toMatchObject({ used: 10 });
  });

  it('ends with its time', async () => {
    const { token } = await registration({ uses: 9, expires_in_hours: 2 });
    vi.setSystemTime(Date.now() + 2 * HOUR - 1);
    expect((await register(token)).status).toBe(201);
    vi.setSystemTime(Date.now() + 1);
    expect((await register(token)).status).toBe(401);
  });

  it('ends when it is revoked, and its hosts stay', async () => {
    const { registration_id, token } = await registration({ uses: 9 });
    const { token: own } = await (await register(token)).json<{ token: string }>();
    const revoke = () => sendJson(ADMIN_TOKEN, 'DELETE', `/admin/host-registrations/${registration_id}`);
    expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 204]);
    expect((await register(token)).status).toBe(401);
    expect(await hostOf(own).claim({ max_fps: 5 })).toBeNull();
    expect(await listed(registration_id)).toMatchObject({ revoked_at: expect.any(String) });
    const unknown = `/admin/host-registrations/${crypto.randomUUID()}`;
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', unknown)).status).toBe(404);
  });

  it('is needed: no other secret registers, and it opens nothing else', async () => {
    const { token } = await registration();
    const { token: own } = await (await register(token)).json<{ token: string }>();
    const invented = formatSecret('registration', crypto.getRandomValues(new Uint8Array(64))) ?? '';
    for (const other of [own, ADMIN_TOKEN, invented, 'tr_reg_']) expect((await register(other)).status).toBe(401);
    expect((await sendJson(token, 'POST', '/gateway/v1/claim', {})).status).toBe(401);
    expect((await sendJson(token, 'GET', '/api/jobs')).status).toBe(401);
    expect((await register(token, ' ')).status).toBe(400);
  });
});

const OWN = { Origin: BASE_URL };

/** Creates the service in an isolate of its own, and a function that sends requests with a token or a cookie. */
function isolate(variables: Record<string, unknown> = {}) {
  const app = createApp(createService({ ...bindings, ...variables } as Bindings));
  const ask = (method: string, path: string, headers: Record<string, string> = {}, base = BASE_URL) =>
    app(new Request(base + path, { method, headers }), createExecutionContext());
  return {
    ask,
    async signIn(token: string): Promise<{ Cookie: string }> {
      const response = await ask('POST', '/console/session', { Authorization: `Bearer ${token}`, ...OWN });
      const cookie = response.headers.get('Set-Cookie') ?? '';
      expect(cookie).toMatch(/; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
      return { Cookie: cookie.split(';')[0] ?? '' };
    },
    seen: async (session: Record<string, string>) => (await ask('GET', '/console/session', session)).status,
  };
}

async function operator(): Promise<{ operator_id: string; token: string }> {
  const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/operators', { name: 'Ada', role: 'read' });
  return made.json();
}

describe('a session of the console', () => {
  it('allows changes only from the public origin, also behind a proxy that terminates TLS', async () => {
    const { ask, signIn } = isolate();
    const session = await signIn(ADMIN_TOKEN);
    const change = async (origin: string) => {
      const headers = { ...session, Origin: origin };
      return (await ask('POST', '/admin/operators', headers, 'http://tickreel.test')).status;
    };
    // An admitted request gets 415, because it has no body.
    expect(await change('https://tickreel.test')).toBe(415);
    for (const other of ['http://tickreel.test', 'https://evil.test', 'null']) expect(await change(other)).toBe(403);
    expect((await ask('POST', '/admin/operators', session)).status).toBe(403);
  });

  it('cannot begin on a page of another origin, which could not change anything', async () => {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, Origin: 'http://localhost:8787' };
    const response = await isolate().ask('POST', '/console/session', headers);
    expect([response.status, response.headers.get('Set-Cookie')]).toEqual([403, null]);
    expect((await response.json<{ detail: string }>()).detail).toContain(`at ${BASE_URL}, may change something`);
  });

  it('stays valid for an address whose wrong cookies are counted and refused', async () => {
    const { ask, signIn, seen } = isolate({ LIMIT_KEY_GUESSES: '2' });
    const session = await signIn(ADMIN_TOKEN);
    const guess = (digit: string) => seen({ Cookie: `__Host-tickreel_console=${digit.repeat(64)}` });
    expect([await guess('1'), await guess('2'), await guess('3')]).toEqual([401, 401, 429]);
    expect(await seen(session)).toBe(200);
    expect((await ask('GET', '/admin/operators', session)).status).toBe(200);
  });

  it('is neither ended nor replaced by a foreign cookie before or after it, as a sibling domain may set', async () => {
    const { ask, signIn, seen } = isolate();
    const { Cookie } = await signIn(ADMIN_TOKEN);
    const foreign = ['0'.repeat(64), 'short', ''].map((value) => `__Host-tickreel_console=${value}`);
    for (const one of [...foreign, `tickreel_console=${'0'.repeat(64)}`]) {
      expect([await seen({ Cookie: `${one}; ${Cookie}` }), await seen({ Cookie: `${Cookie}; ${one}` })]).toEqual([
        200, 200,
      ]);
    }
    expect(await seen({ Cookie: Cookie.replace('__Host-', '') })).toBe(401);
    const both = { Cookie: `${foreign[0]}; ${Cookie}` };
    expect((await ask('DELETE', '/console/session', { ...both, ...OWN })).status).toBe(204);
    expect(await seen({ Cookie })).toBe(401);
    // Under http, browsers take neither the prefix nor `Secure`.
    const local = { Authorization: `Bearer ${ADMIN_TOKEN}`, Origin: 'http://localhost:8787' };
    const begun = await isolate({ BASE_URL: local.Origin }).ask('POST', '/console/session', local);
    expect(begun.headers.get('Set-Cookie')).toMatch(
      /^tickreel_console=\w{64}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it('ends on the server when its operator signs out; other sessions stay', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const { token } = await operator();
    const [session, other] = [await here.signIn(token), await here.signIn(token)];
    expect(await elsewhere.seen(session)).toBe(200);
    const ended = await here.ask('DELETE', '/console/session', { ...session, ...OWN });
    expect([ended.status, ended.headers.get('Set-Cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    for (const { seen } of [here, elsewhere]) {
      expect(await seen(session)).toBe(401);
      expect(await seen(other)).toBe(200);
    }
  });

  it('is not renewed by its cookie, and ends after an hour', async () => {
    const { ask, signIn, seen } = isolate();
    const session = await signIn(ADMIN_TOKEN);
    const renewal = await ask('POST', '/console/session', { ...session, ...OWN });
    expect([renewal.status, renewal.headers.get('Set-Cookie')]).toEqual([401, null]);
    vi.setSystemTime(Date.now() + 59 * 60_000);
    expect(await seen(session)).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await seen(session)).toBe(401);
    await signIn(ADMIN_TOKEN);
    const { count } = (await bindings.DB.prepare('SELECT COUNT(*) AS count FROM console_sessions').first<{
      count: number;
    }>()) ?? { count: null };
    expect(count).toBe(1);
  });

  it('ends with its operator, and with the token of the deployment', async () => {
    const { ask, signIn, seen } = isolate();
    const { operator_id, token } = await operator();
    const [theirs, root] = [await signIn(token), await signIn(ADMIN_TOKEN)];
    await ask('DELETE', `/admin/operators/${operator_id}`, { Authorization: `Bearer ${ADMIN_TOKEN}` });
    expect([await seen(theirs), await seen(root)]).toEqual([401, 200]);
    expect(await isolate({ ADMIN_TOKEN: 'another-admin-token-of-32-characters' }).seen(root)).toBe(401);
  });
});

describe('the rules of an account', () => {
  const { database } = createService(bindings);
  const DAY_MS = 24 * 60 * 60_000;

  it('shows the operator the rules of an account with what they have used today, and no secret', async () => {
    const [mine, other] = [await createAccount(), await createAccount()];
    const rule = {
      name: 'League',
      render: { what: 'highlights' },
      budget: { demos_a_day: 5, clips_a_day: 50 },
      send: {
        webhook_url: 'https://example.com/hook',
        webhook_auth_header: 'Bearer the-secret',
        discord_url: 'https://discord.com/api/webhooks/1/the-secret',
      },
    };
    for (const { metered } of [mine, other])
      expect((await sendJson(metered, 'POST', '/api/rules', rule)).status).toBe(201);
    const [today, earlier] = [await arrive(database, mine.id), await arrive(database, mine.id)];
    await database.update(ruleRuns).set({ clips: 3, isRead: true }).where(eq(ruleRuns.uploadId, today));
    const yesterday = { clips: 7, createdAt: Date.now() - DAY_MS };
    await database.update(ruleRuns).set(yesterday).where(eq(ruleRuns.uploadId, earlier));
    const read = (id: string, token = ADMIN_TOKEN) => sendJson(token, 'GET', `/admin/accounts/${id}/rules`);
    const text = await (await read(mine.id)).text();
    expect(text).not.toContain('the-secret');
    expect(JSON.parse(text)).toEqual({
      rules: [
        expect.objectContaining({
          name: 'League',
          budget: { demos_a_day: 5, clips_a_day: 50 },
          used: { demos_a_day: 1, clips_a_day: 3 },
          send: { webhook_url: 'https://example.com/hook', discord_url: 'https://discord.com/api/webhooks/1/…' },
          last_run: expect.objectContaining({ upload_id: today }),
        }),
      ],
    });
    expect((await read(crypto.randomUUID())).status).toBe(404);
    expect((await read(mine.id, mine.metered)).status).toBe(401);
  });
});

describe('keys', () => {
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
      const left = (await list(reserved)).filter(
        ({ made_by, revoked_at }) => made_by === key_id && revoked_at === null,
      );
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
});
