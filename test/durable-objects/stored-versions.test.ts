import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { entryOf, type PublicRecord } from '#domain/job/public-record.ts';
import { clipListKey } from '#domain/job/storage-keys.ts';
import { LATER_VERSION, STORED_VERSIONS } from '#domain/lib/types.ts';
import { createPushHostRows } from '#durable-objects/dispatcher/push-hosts.ts';
import { migrateQueue } from '#durable-objects/dispatcher/queue-tables.ts';
import { createPushHostStore, type StoredPushHost } from '#durable-objects/push-host/stored-push-host.ts';
import { DeliveryStore, type LoggedDelivery } from '#durable-objects/render-job/delivery-store.ts';
import { createJobStore } from '#durable-objects/render-job/job-store.ts';
import { type JobUpgrade, NewerStateError } from '#durable-objects/render-job/stored-job.ts';
import type { StoredRequest } from '#durable-objects/render-job/stored-request.ts';
import type { RegisteredPushHost } from '#rpc/dispatcher.ts';
import { writeLists } from '#storage/clip/clip-lists.ts';
import { parseRecord } from '#storage/clip/public-record.ts';
import { jobs } from '../core/domain/builders.ts';
import { evict, fireAlarm, leaveMemory, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';
import { FROZEN_AT, freeze } from './fixtures/freeze.ts';
import v1 from './fixtures/v1.json';

/** Tables with their rows, as that version of the service left them. */
interface Frozen {
  readonly name: string;
  readonly sql: string;
  readonly rows: readonly Record<string, string | number | null>[];
}
type State = 'pending' | 'unconfirmed' | 'prefetch' | 'render' | 'retrying' | 'done' | 'error';
const V1 = v1 as unknown as Record<State | 'dispatcher', Frozen[]>;
const HOUR = 3_600_000;

const scene = useScenario();

function dropTables(sql: SqlStorage): void {
  const tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'");
  for (const { name } of tables.toArray()) sql.exec(`DROP TABLE ${name}`);
}

function restore(sql: SqlStorage, tables: readonly Frozen[]): void {
  for (const table of tables) {
    sql.exec(table.sql);
    for (const row of table.rows) {
      const columns = Object.keys(row);
      const marks = columns.map(() => '?').join();
      sql.exec(`INSERT INTO ${table.name} (${columns.join()}) VALUES (${marks})`, ...Object.values(row));
    }
  }
}

/** The same, stored now: what was due in a minute is still due in a minute. */
function ofNow(tables: readonly Frozen[]): Frozen[] {
  const later = Date.now() - FROZEN_AT;
  return JSON.parse(JSON.stringify(tables).replace(/\b1801\d{9}\b/g, (at) => String(Number(at) + later)));
}

/** Creates an object with what an earlier version stored, as this version finds it at its start. */
async function stored(frozen: readonly Frozen[], change: (state: Record<string, unknown>) => void = () => {}) {
  const tables = ofNow(frozen);
  const [row] = tables.find(({ name }) => name === 'job')?.rows ?? [];
  const state = JSON.parse(String(row?.state));
  state.accountId = scene.account.id;
  change(state);
  const job = bindings.RENDER_JOB.getByName(state.id);
  await runInDurableObject(job, (_, { storage }) => {
    dropTables(storage.sql);
    restore(storage.sql, tables);
    storage.sql.exec('UPDATE job SET state = ?', JSON.stringify(state));
  });
  await leaveMemory(job);
  return { id: state.id as string, read: () => sendJson(scene.account.metered, 'GET', `/api/jobs/${state.id}`) };
}

describe('what version 1 stored', () => {
  it.each(['pending', 'retrying', 'error', 'done'] as const)('of a job in %s is read', async (status) => {
    const { read, id } = await stored(V1[status]);
    expect(await (await read()).json()).toMatchObject({ id, status });
    await evict(id);
    expect(await (await read()).json()).toMatchObject({ id, status });
  });

  it('of webhooks keeps its log, its body and its header, and one more can be sent', { tags: ['long'] }, async () => {
    const inbox = createInbox();
    const to = (row: Frozen['rows'][number]) => ('url' in row ? { ...row, url: inbox.url } : row);
    const { id } = await stored(V1.done.map((table) => ({ ...table, rows: table.rows.map(to) })));
    const list = async () =>
      (await sendJson(scene.account.metered, 'GET', `/api/jobs/${id}/deliveries`)).json<{ deliveries: unknown[] }>();
    expect((await list()).deliveries).toMatchObject([
      { event: 'job.completed', status: 'queued', attempts: [{ attempt: 1, http_status: 500 }] },
      { event: 'job.completed', status: 'delivered', attempts: [{ attempt: 1, http_status: 200 }] },
    ]);
    const resent = await sendJson(scene.account.metered, 'POST', `/api/jobs/${id}/resend-webhook`);
    expect(resent.status).toBe(200);
    await fireAlarm(id);
    const [received, ...others] = await inbox.received();
    expect(others).toEqual([]);
    expect(received?.headers.authorization).toBe('Token secret');
    expect(JSON.parse(received?.body ?? '')).toMatchObject({ job_id: id, status: 'processed', extras: { order: 7 } });
    const tables = await runInDurableObject(bindings.RENDER_JOB.getByName(id), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables.map(({ name }) => name)).toEqual(['job', 'deliveries']);
    expect((await list()).deliveries).toHaveLength(3);
  });

  it('of the queue is served in its order', async () => {
    const queue = bindings.DISPATCHER.getByName(crypto.randomUUID());
    await runInDurableObject(queue, (_, { storage }) => {
      dropTables(storage.sql);
      restore(storage.sql, ofNow(V1.dispatcher));
    });
    await leaveMemory(queue);
    const ready = V1.dispatcher.find(({ name }) => name === 'ready')?.rows ?? [];
    // Reserved jobs before all others.
    const [first] = ready.toSorted((a, b) => Number(a.lane) - Number(b.lane));
    const next = await queue.next({
      pollId: 'poll',
      hostId: 'host',
      slots: 1,
      waitMs: 0,
      capability: { maxResolution: 1440, maxFps: 120 },
    });
    expect(next).toMatchObject({ jobId: first?.job_id });
  });

  const leaseOf = (tables: readonly Frozen[]) =>
    JSON.parse(String(ofNow(tables).find(({ name }) => name === 'job')?.rows[0]?.state)).lease;

  it.each([
    { state: 'unconfirmed', seen: 'prefetch', becomes: { status: 'pending', error_code: null } },
    { state: 'prefetch', seen: 'prefetch', becomes: { status: 'retrying', error_code: 'cs2_unavailable' } },
    { state: 'render', seen: 'render', becomes: { status: 'retrying', error_code: 'cs2_unavailable' } },
  ] as const)('of a lease in $state holds until its deadline', async ({ state, seen, becomes }) => {
    const { deadline, isConfirmed, uploads } = leaseOf(V1[state]);
    expect({ isConfirmed, uploads: uploads.length }).toEqual({
      isConfirmed: state !== 'unconfirmed',
      uploads: state === 'prefetch' ? 1 : 0,
    });
    const { id, read } = await stored(V1[state]);
    await runInDurableObject(bindings.RENDER_JOB.getByName(id), (_, { storage }) => storage.setAlarm(deadline - 1));
    await ringEvicted(id, deadline - 1);
    expect(await (await read()).json()).toMatchObject({ status: seen });
    await ringEvicted(id, deadline);
    expect(await (await read()).json()).toMatchObject(becomes);
  });
});

describe('what a later version stored', () => {
  it('is left as it is: the answer is 503, and the alarm comes again until that version is back', async () => {
    const { id, read } = await stored(V1.pending, (state) => {
      state.v = 99;
    });
    const response = await read();
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    const job = bindings.RENDER_JOB.getByName(id);
    await runInDurableObject(job, (_, { storage }) => storage.setAlarm(Date.now() + HOUR));
    await pass(HOUR, id);
    const { v, alarm } = await runInDurableObject(job, async (_, { storage }) => ({
      v: JSON.parse(String(storage.sql.exec('SELECT state FROM job').one().state)).v,
      alarm: await storage.getAlarm(),
    }));
    expect({ v, alarm }).toEqual({ v: 99, alarm: Date.now() + 60_000 });
    // A fault that has passed: the object need not start again.
    await runInDurableObject(job, (_, { storage }) => {
      storage.sql.exec(`UPDATE job SET state = json_set(state, '$.v', 1)`);
    });
    expect((await read()).status).toBe(200);
  });
});

describe('a version to come', () => {
  const upgrade: JobUpgrade = (state, sql) => {
    sql.exec('ALTER TABLE deliveries ADD COLUMN cost INTEGER NOT NULL DEFAULT 7');
    return { ...state, renderedBy: 'upgraded' };
  };

  it('upgrades a job and its tables in one transaction, and this version refuses it from then on', async () => {
    const { id } = await stored(V1.done);
    await runInDurableObject(bindings.RENDER_JOB.getByName(id), (_, { storage }) => {
      const row = () => String(storage.sql.exec('SELECT state FROM job').one().state);
      const before = row();
      const cutOff: JobUpgrade = (state, sql) => ({ ...upgrade(state, sql), status: 'unheard of' });
      expect(() => createJobStore(storage, [cutOff]).load()).toThrow('status');
      expect(row()).toBe(before);
      const store = createJobStore(storage, [upgrade]);
      for (const loaded of [store.load(), store.load()]) expect(loaded?.job).toMatchObject({ renderedBy: 'upgraded' });
      expect(JSON.parse(row())).toMatchObject({ v: 2, renderedBy: 'upgraded' });
      expect(storage.sql.exec('SELECT DISTINCT cost FROM deliveries').one()).toEqual({ cost: 7 });
      expect(() => createJobStore(storage).load()).toThrow(NewerStateError);
    });
  });

  it('upgrades the queue, and this version refuses it from then on', async () => {
    const queue = bindings.DISPATCHER.getByName(crypto.randomUUID());
    await runInDurableObject(queue, (_, { storage: { sql } }) => {
      dropTables(sql);
      restore(sql, V1.dispatcher);
      const migrations = ['version 1 is there already', 'ALTER TABLE ready ADD COLUMN cost INTEGER DEFAULT 7'];
      for (let starts = 0; starts < 2; starts++) migrateQueue(sql, migrations);
      expect(sql.exec('SELECT DISTINCT cost FROM ready').one()).toEqual({ cost: 7 });
      expect(() => migrateQueue(sql)).toThrow(`${LATER_VERSION} (2)`);
    });
  });
});

describe('what this version stores', () => {
  // docs/decisions/014-stored-versions.md says when.
  if ((env as unknown as { FREEZE: string }).FREEZE === '1') {
    it('freezes', async () => {
      await expect(await freeze(scene)).toMatchFileSnapshot(`./fixtures/v${STORED_VERSIONS.job}.json`);
    });
  }

  it('says which version it is', async () => {
    const jobId = await submit(scene.account.metered);
    const state = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) =>
      storage.sql.exec('SELECT state FROM job').one(),
    );
    expect(JSON.parse(String(state.state)).v).toBe(STORED_VERSIONS.job);
    const queue = await runInDurableObject(bindings.DISPATCHER.getByName('shard-0'), (_, { storage }) =>
      storage.sql.exec('SELECT v FROM clocks WHERE lane = 0').one(),
    );
    expect(queue.v).toBe(STORED_VERSIONS.queue);
  });
});

/** The type with every field required: a new field does not compile until it has a value below. */
type Whole<T> = T extends readonly (infer One)[]
  ? readonly Whole<One>[]
  : T extends object
    ? { readonly [Name in keyof T]-?: Whole<Exclude<T[Name], undefined>> }
    : T;

/** Runs a test on the storage of an unused object. */
const onStorage = (test: (storage: DurableObjectStorage) => void) =>
  runInDurableObject(bindings.DISPATCHER.getByName(crypto.randomUUID()), (_, { storage }) => test(storage));

const file = (key: string) => ({ key, bytes: 1, sha256: 'ab' });
const policy = { revision: 3, labels: ['eu'], hold: 'paused', holdUntil: 4, isUnfit: true } as const;
const files = {
  video: file('video'),
  thumbnail: file('thumbnail'),
  storyboard: { ...file('storyboard'), columns: 5, rows: 2, intervalSeconds: 1.5 },
};
const tracks = { ...file('tracks'), createdAt: 8 };
const shown = {
  title: 'title',
  facts: { kills: 2, players: ['a'], killers: ['a'], map: 'de_nuke', round: 3, floor: 'movement' as const },
  renderer: 'radar' as const,
  resolution: 1080,
  fps: 30,
  durationSeconds: 7.5,
  ...files,
  createdAt: 8,
  renderedAt: 9,
};

const REGISTERED: Whole<RegisteredPushHost> = {
  hostId: 'host',
  slots: 2,
  capability: {
    maxResolution: 1440,
    maxFps: 120,
    renderer: 'cs2',
    gameBuild: '14000',
    labels: ['eu'],
    skills: ['inspect', 'uploads'],
  },
  policy,
  rest: { why: 'it answered 401', isAsked: false, until: 5 },
};

const PUSHED: Whole<StoredPushHost> = {
  id: 'host',
  push: {
    url: 'https://host.example.com/jobs',
    slots: 2,
    capabilities: { renderer: 'cs2', max_resolution: 1440, max_fps: 120, game_build: '14000', skills: ['inspect'] },
  },
  tokenSha256: 'ab',
  policy,
  circuit: { failures: 1, restUntil: 5 },
  refusal: { why: 'it answered 401', isAsked: false },
  headers: { 'CF-Access-Client-Id': 'an-id' },
};

const common = {
  kind: 'clip' as const,
  demo_url: 'https://demos.example.com/1.dem',
  resolution: 1440 as const,
  extras: '{"a":1}',
};
const REQUESTS: StoredRequest[] = [
  { ...common, steam64_id: '76561198000000001', round: 3, fps: 60, hud_killfeed: true, idempotency_key: 'key' },
  { ...common, steam64_id: '', forgotten: { at: 1, fingerprint: 'ab' } },
  { ...common, timeline: [{ steam64_id: '76561198000000001', start_tick: 1, end_tick: 70 }], thumbnail_style: 'none' },
  { kind: 'inspection', demo_url: common.demo_url },
];

describe('a stored value is read with every field', () => {
  it('of a registered push host', () =>
    onStorage((storage) => {
      const hosts = createPushHostRows(storage.sql);
      hosts.save(REGISTERED);
      expect(hosts.load()).toEqual([REGISTERED]);
    }));

  it('of the object that sends jobs to a push host', () =>
    onStorage((storage) => {
      const store = createPushHostStore(storage);
      store.save(PUSHED);
      expect(store.load()).toEqual(PUSHED);
    }));

  it.each(REQUESTS)('of a request %#', (request) =>
    onStorage((storage) => {
      const store = createJobStore(storage);
      const stored = { job: jobs.retrying(), request, outbox: [] };
      store.create(stored);
      expect(store.load()).toEqual(stored);
    }),
  );

  it('of a delivery', () =>
    onStorage(({ sql }) => {
      const delivery: Whole<LoggedDelivery> = {
        id: 'id',
        run: 2,
        status: 'queued',
        attempts: 1,
        nextAt: 4,
        createdAt: 5,
        log: [{ at: 6, status: 500, error: 'error' }],
      };
      const store = new DeliveryStore(sql);
      store.announce(delivery, { event: 'event', url: 'url', body: 'body' });
      store.update(delivery);
      expect(store.find('id')).toEqual(delivery);
      expect(store.outcome(2)).toEqual({ event: 'event', url: 'url', body: 'body' });
    }));

  it('of a public record', async () => {
    const seen = { embedSites: ['https://a.example.com'], showsViews: true, lists: ['list'] };
    const clip = { ...shown, ...seen, tracks, isTest: true } as const;
    const record: Whole<PublicRecord> = { version: 3, state: 'ready', clip };
    const replay: Whole<PublicRecord> = { version: 4, state: 'replay', clip: { embedSites: [], tracks, isTest: true } };
    for (const one of [record, replay]) expect(parseRecord(JSON.stringify(one))).toEqual(one);
    for (const id of ['one', 'two']) await writeLists(bindings.CLIPS, ['list'], id, record);
    const list = await (await bindings.CLIPS.get(clipListKey('list')))?.json();
    expect(list).toEqual(expect.arrayContaining(['one', 'two'].map((id) => entryOf(id, record, 'list'))));
  });
});
