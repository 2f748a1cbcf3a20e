import { describe, expect, it, vi } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { jobIdOfKey } from '#src/operations/submit-one.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bindings,
  createAccount,
  readJob,
  send,
  sendJson,
  submit,
  type TestAccount,
} from '../support/service.ts';

const DAY = 24 * 60 * 60_000;
const { DB, DB_2 } = bindings as unknown as Record<'DB' | 'DB_2', D1Database>;

const scene = useScenario();

/** Creates an isolate with other variables or bindings. */
function isolate(changes: object) {
  const app = createApp(createService({ ...bindings, ...changes } as Bindings));
  return async (token: string, method: string, path: string, body?: object): Promise<Response> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
    const request = new Request(BASE_URL + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return app(request, context as unknown as ExecutionContext);
  };
}

/** Creates an account while new ones get the second database. */
async function createSecond(): Promise<TestAccount> {
  const admin = isolate({ ACCOUNT_DATABASE: 'DB_2' });
  const made = await admin(ADMIN_TOKEN, 'POST', '/admin/accounts', { name: 'of the second database' });
  const account = await made.json<{ account_id: string; database: string }>();
  expect(account.database).toBe('DB_2');
  const key = async (kind: string) =>
    (
      await (
        await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${account.account_id}/keys`, { kind })
      ).json<{ key: string }>()
    ).key;
  return { id: account.account_id, metered: await key('metered'), reserved: await key('reserved') };
}

async function uploadWatermark({ metered }: TestAccount): Promise<string> {
  const headers = { Authorization: `Bearer ${metered}`, 'Content-Type': 'image/png' };
  const response = await send('/api/assets?kind=watermark', { method: 'POST', headers, body: PICTURES.png });
  return (await response.json<{ id: string }>()).id;
}

/** Makes a clip with a watermark, through the Worker. */
async function createClip(account: TestAccount, more: object = {}) {
  const assetId = await uploadWatermark(account);
  const jobId = await submit(account.metered, { watermark_image_id: assetId, ...more });
  await scene.host.finish(await scene.host.claimJob(jobId));
  await fireAlarm(jobId);
  return { jobId, clipId: await clipIdOf(jobId), assetId };
}

/** Counts the rows of an account in a database. */
async function rowsOf(database: D1Database, accountId: string) {
  const tables = ['accounts', 'api_keys', 'jobs', 'clips', 'assets', 'usage_days'] as const;
  const counts = await database.batch<{ n: number }>(
    tables.map((table) =>
      database
        .prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE ${table === 'accounts' ? 'id' : 'account_id'} = ?`)
        .bind(accountId),
    ),
  );
  return Object.fromEntries(tables.map((table, i) => [table, counts[i]?.results[0]?.n]));
}

const stateIn = (database: D1Database, clipId: string) =>
  database.prepare('SELECT state FROM clips WHERE id = ?').bind(clipId).first<string>('state');
const NOTHING = { accounts: 0, api_keys: 0, jobs: 0, clips: 0, assets: 0, usage_days: 0 };

describe('two accounts, each in its database', () => {
  it('have their rows in there and nowhere else, and see what is theirs', async () => {
    const first = scene.account;
    const second = await createSecond();
    for (const account of [first, second]) {
      const { jobId, clipId, assetId } = await createClip(account);
      const list = async (path: string) =>
        (await sendJson(account.metered, 'GET', path)).json<Record<string, { id: string }[]>>();
      expect((await list('/api/jobs')).jobs?.map(({ id }) => id)).toEqual([jobId]);
      expect((await list('/api/clips')).clips?.map(({ id }) => id)).toEqual([clipId]);
      expect((await list('/api/assets')).assets?.map(({ id }) => id)).toEqual([assetId]);
      expect((await list('/api/usage')).usage).toMatchObject([{ rendered_seconds: 7.5 }]);
      const other = account === first ? second : first;
      for (const path of [`/api/jobs/${jobId}`, `/api/clips/${clipId}`, `/api/assets/${assetId}`]) {
        expect((await sendJson(account.metered, 'GET', path)).status).toBe(200);
        expect((await sendJson(other.metered, 'GET', path)).status).toBe(404);
      }
    }
    expect(await rowsOf(DB, first.id)).toEqual({
      accounts: 1,
      api_keys: 2,
      jobs: 1,
      clips: 1,
      assets: 1,
      usage_days: 1,
    });
    expect(await rowsOf(DB_2, first.id)).toEqual(NOTHING);
    expect(await rowsOf(DB, second.id)).toEqual({ ...NOTHING, accounts: 1, api_keys: 2 });
    expect(await rowsOf(DB_2, second.id)).toEqual({ ...NOTHING, jobs: 1, clips: 1, assets: 1, usage_days: 1 });
  });

  it('get no queries from viewers: their clips have records', async () => {
    const asked: string[] = [];
    const counted = (name: string, database: D1Database) =>
      new Proxy(database, {
        get(target, property) {
          if (property === 'prepare') asked.push(name);
          const member: unknown = Reflect.get(target, property);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    const view = isolate({ DB: counted('DB', DB), DB_2: counted('DB_2', DB_2) });
    for (const account of [scene.account, await createSecond()]) {
      const made = await createClip(account);
      for (const path of ['', '/embed', '/video.mp4', '/thumbnail.jpg']) {
        asked.length = 0;
        const response = await view('', 'GET', `/clips/${made.clipId}${path}`);
        await response.arrayBuffer();
        expect(response.status).toBe(200);
        expect(asked).toEqual([]);
      }
    }
  });

  it('show a clip of the first whose id reads like one of the second, and one that its index does not have yet', async () => {
    const salt = await DB.prepare('SELECT id_salt FROM accounts WHERE id = ?')
      .bind(scene.account.id)
      .first<string>('id_salt');
    let n = 0;
    while (!(await jobIdOfKey(salt ?? '', `key-${n}`)).endsWith('02')) n++;
    const misleading = await createClip(scene.account, { idempotency_key: `key-${n}` });
    expect(misleading.jobId).toMatch(/02$/);
    expect(await rowsOf(DB_2, scene.account.id)).toEqual(NOTHING);
    const unheard = await createClip(await createSecond());
    await DB_2.prepare('DELETE FROM clips WHERE id = ?').bind(unheard.clipId).run();
    for (const { clipId } of [misleading, unheard]) expect((await send(`/clips/${clipId}`)).status).toBe(200);
  });

  it('use an idempotency key as ever, and count what has not finished', async () => {
    const second = await createSecond();
    const jobId = await submit(second.metered, { idempotency_key: 'once' });
    expect(jobId).toMatch(/02$/);
    const again = await sendJson(second.reserved, 'POST', '/api/clips', {
      demo_url: 'https://demos.example.com/b.dem',
      steam64_id: '1',
      idempotency_key: 'once',
    });
    expect([again.status, await again.json()]).toEqual([200, { job_id: jobId }]);
    await fireAlarm(jobId);
    const full = await isolate({ LIMIT_JOBS: '1' })(second.metered, 'POST', '/api/clips', {
      demo_url: 'https://demos.example.com/b.dem',
      steam64_id: '1',
    });
    expect(full.status).toBe(429);
  });
});

describe('the cron', () => {
  it('expires clips, removes images and looks after jobs in both databases', async () => {
    const accounts = { DB: scene.account, DB_2: await createSecond() };
    const made = { DB: await createClip(accounts.DB), DB_2: await createClip(accounts.DB_2) };
    const waiting = { DB: await submit(accounts.DB.metered), DB_2: await submit(accounts.DB_2.metered) };
    for (const jobId of Object.values(waiting)) await fireAlarm(jobId);
    for (const name of ['DB', 'DB_2'] as const) {
      await sendJson(accounts[name].metered, 'DELETE', `/api/assets/${made[name].assetId}`);
    }
    vi.setSystemTime(Date.now() + 2 * DAY);
    await runUpkeep(createService(bindings), Date.now());
    for (const [name, database] of [
      ['DB', DB],
      ['DB_2', DB_2],
    ] as const) {
      expect(await stateIn(database, made[name].clipId)).toBe('ready');
      expect((await send(`/clips/${made[name].clipId}/video.mp4`)).status).toBe(200);
      expect((await rowsOf(database, accounts[name].id)).assets).toBe(0);
      const watchAt = await database
        .prepare('SELECT watch_at FROM jobs WHERE id = ?')
        .bind(waiting[name])
        .first<number>('watch_at');
      expect(watchAt).toBeGreaterThan(Date.now());
    }
    vi.setSystemTime(Date.now() + 30 * DAY);
    await runUpkeep(createService(bindings), Date.now());
    for (const [name, database] of [
      ['DB', DB],
      ['DB_2', DB_2],
    ] as const) {
      await fireAlarm(made[name].jobId);
      expect(await stateIn(database, made[name].clipId)).toBe('deleted');
      expect((await send(`/clips/${made[name].clipId}`)).status).toBe(410);
    }
  });

  it('continues with the other database if one fails, and then rejects', async () => {
    const first = await createClip(scene.account);
    const second = await createClip(await createSecond());
    vi.setSystemTime(Date.now() + 31 * DAY);
    const faulty = createFaultyService();
    faulty.fail('DB', 'D1_ERROR: Network connection lost.', { times: 1000 });
    await expect(runUpkeep(faulty.service, Date.now())).rejects.toThrow('Network connection lost');
    await fireAlarm(second.jobId);
    expect(await stateIn(DB_2, second.clipId)).toBe('deleted');
    expect(await stateIn(DB, first.clipId)).toBe('ready');
  });
});

describe('a clip of the second database', () => {
  it('is deleted, and made again, in its place', async () => {
    const second = await createSecond();
    const { clipId, jobId } = await createClip(second);
    expect((await sendJson(second.metered, 'DELETE', `/api/clips/${clipId}`)).status).toBe(204);
    await fireAlarm(jobId);
    expect(await stateIn(DB_2, clipId)).toBe('deleted');
    await sendJson(second.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    expect(await stateIn(DB_2, clipId)).toBe('ready');
    expect(await readJob(second.metered, jobId)).toMatchObject({ status: 'done', clip_id: clipId });
    expect(await stateIn(DB, clipId)).toBeNull();
  });
});

describe('a database for new accounts', () => {
  it.each(['DB_3', 'DB_1', 'tickreel-2'])('has to be bound: %s is refused at the start', (name) => {
    expect(() => createService({ ...bindings, ACCOUNT_DATABASE: name } as Bindings)).toThrow('ACCOUNT_DATABASE');
  });
});

const placed = (variables: object) => createService({ ...bindings, ...variables } as Bindings);

/** test/core/platform/placed-in.test.ts checks the calls of a namespace; here a real one is called. */
describe('the place of objects, in the local runtime', () => {
  it('may be near a region: the object of a name is the same one', async () => {
    const account = await createAccount();
    const jobId = await submit(account.metered);
    const { job } = placed({ LOCATION_HINT: 'weur' });
    expect(await job(jobId).read(account.id)).toMatchObject({ ok: true, value: { id: jobId } });
  });

  it('cannot be a jurisdiction: this test goes when workerd has them', () => {
    const service = placed({ JURISDICTION: 'eu' });
    expect(() => service.job(crypto.randomUUID())).toThrow('Jurisdiction restrictions are not implemented in workerd');
    expect(() => service.dispatchers).toThrow('Jurisdiction restrictions are not implemented in workerd');
  });
});
