import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Dispatcher } from '../../durable-objects/dispatcher/dispatcher.ts';
import { STATE_VERSION } from '../../durable-objects/render-job/stored-job.ts';
import { renderJobOf } from '../../service/bindings.ts';
import { evict, fireAlarm, leaveMemory, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';
import { FROZEN_AT, freeze } from './fixtures/freeze.ts';
import v1 from './fixtures/v1.json';
import v2 from './fixtures/v2.json';
import v3 from './fixtures/v3.json';
import v4 from './fixtures/v4.json';

/** Tables with their rows, as that version of the service left them. */
interface Frozen {
  readonly name: string;
  readonly sql: string;
  readonly rows: readonly Record<string, string | number | null>[];
}
type Fixture = Record<'pending' | 'prefetch' | 'render' | 'retrying' | 'done' | 'error' | 'dispatcher', Frozen[]>;
const V1 = v1 as unknown as Fixture;
const V2 = v2 as unknown as Fixture & Record<'unconfirmed', Frozen[]>;
const V3 = v3 as unknown as Fixture & Record<'unconfirmed', Frozen[]>;
const V4 = v4 as unknown as Fixture & Record<'unconfirmed', Frozen[]>;
const VERSIONS = [
  { v: 1, fixture: V1 },
  { v: 2, fixture: V2 },
  { v: 3, fixture: V3 },
  { v: 4, fixture: V4 },
];
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

/** The same, stored just now: what was due in a minute still is. */
function ofNow(tables: readonly Frozen[]): Frozen[] {
  const later = Date.now() - FROZEN_AT;
  return JSON.parse(JSON.stringify(tables).replace(/\b1801\d{9}\b/g, (at) => String(Number(at) + later)));
}

/** An object that holds what an earlier version stored, as this version finds it when it starts. */
async function stored(frozen: readonly Frozen[], change: (state: Record<string, unknown>) => void = () => {}) {
  const tables = ofNow(frozen);
  const [row] = tables.find(({ name }) => name === 'job')?.rows ?? [];
  const state = JSON.parse(String(row?.state));
  state.accountId = scene.account.id;
  change(state);
  const job = renderJobOf(bindings, state.id);
  await runInDurableObject(job, (_, { storage }) => {
    dropTables(storage.sql);
    restore(storage.sql, tables);
    storage.sql.exec('UPDATE job SET state = ?', JSON.stringify(state));
  });
  await leaveMemory(job);
  return { id: state.id as string, read: () => sendJson(scene.account.metered, 'GET', `/api/jobs/${state.id}`) };
}

describe.each(VERSIONS)('what version $v stored', ({ fixture }) => {
  it.each(['pending', 'retrying', 'error', 'done'] as const)('of a job in %s is read', async (status) => {
    const { read, id } = await stored(fixture[status]);
    expect(await (await read()).json()).toMatchObject({ id, status });
    await evict(id);
    expect(await (await read()).json()).toMatchObject({ id, status });
  });

  it('of webhooks keeps its log, its body and its header, and one more can be sent', async () => {
    const inbox = createInbox();
    const to = (row: Frozen['rows'][number]) => ('url' in row ? { ...row, url: inbox.url } : row);
    const { id } = await stored(fixture.done.map((table) => ({ ...table, rows: table.rows.map(to) })));
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
    const tables = await runInDurableObject(renderJobOf(bindings, id), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables.map(({ name }) => name)).toEqual(['job', 'deliveries']);
    expect((await list()).deliveries).toHaveLength(3);
  });

  it('of the queue is served in its order', async () => {
    const queue: DurableObjectStub<Dispatcher> = bindings.DISPATCHER.getByName(crypto.randomUUID());
    await runInDurableObject(queue, (_, { storage }) => {
      dropTables(storage.sql);
      restore(storage.sql, ofNow(fixture.dispatcher));
    });
    await leaveMemory(queue);
    const ready = fixture.dispatcher.find(({ name }) => name === 'ready')?.rows ?? [];
    // Reserved jobs before all others.
    const [first] = ready.toSorted((a, b) => Number(a.lane) - Number(b.lane));
    const next = await queue.next('poll', { maxResolution: 1440, maxFps: 120 }, 0);
    expect(next).toMatchObject({ jobId: first?.job_id });
  });
});

it('attempts that a minor version before kept in the job, and for operators, are told as far as they are known', async () => {
  const end = { fence: 1, hostId: 'h', hostName: 'gpu-17', phase: 'render', stage: 'capture', outcome: 'failed' };
  const told = { code: 'download_error', detail: 'a detail', facts: { http_status: 503 }, retryAt: null };
  const { id } = await stored(V4.error, (state) => {
    Object.assign(state, { errorCode: 'download_error', ended: [{ ...end, ...told, startedAt: 1000, endedAt: 2000 }] });
  });
  const entry = {
    run: 1,
    attempt: 1,
    hostId: 'h',
    grantedAt: 1000,
    endedAt: 2000,
    code: 'download_error',
    detail: 'd',
  };
  await runInDurableObject(renderJobOf(bindings, id), (_, { storage }) => {
    storage.sql.exec('CREATE TABLE attempts (number INTEGER PRIMARY KEY, entry TEXT NOT NULL)');
    storage.sql.exec('INSERT INTO attempts (entry) VALUES (?)', JSON.stringify({ ...entry, log: 'the end' }));
  });
  await evict(id);
  const asked = await sendJson(scene.account.metered, 'GET', `/api/jobs/${id}?include=diagnosis,attempts`);
  expect(await asked.json()).toMatchObject({
    diagnosis: { error_code: 'download_error', facts: { http_status: 503 } },
    attempts: [{ outcome: 'failed', error_code: 'download_error', started_at: '1970-01-01T00:00:01.000Z', host: null }],
  });
  const story = await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${id}`);
  expect(await story.json()).toMatchObject({ attempts: [{ host_id: 'h', detail: 'd', log: 'the end' }] });
});

describe('what version 1 stored', () => {
  it.each(['prefetch', 'render'] as const)(
    'of a lease in %s gives its host one term to be heard of',
    async (status) => {
      const { id, read } = await stored(V1[status]);
      expect(await (await read()).json()).toMatchObject({ status });
      await sendJson(scene.account.metered, 'POST', `/api/clips/${id}/save`);
      const lease = await runInDurableObject(renderJobOf(bindings, id), (_, { storage }) =>
        JSON.parse(String(storage.sql.exec('SELECT state FROM job').one().state)),
      );
      expect(lease).toMatchObject({
        v: STATE_VERSION,
        lease: { isConfirmed: true, uploads: [], deadline: Date.now() + 60_000 },
      });
      await runInDurableObject(renderJobOf(bindings, id), (_, { storage }) => storage.setAlarm(Date.now() + 60_000));
      await ringEvicted(id, Date.now() + 60_000);
      expect(await (await read()).json()).toMatchObject({ status: 'retrying', error_code: 'cs2_unavailable' });
    },
  );
});

describe('what version 2 stored', () => {
  const leaseOf = (tables: readonly Frozen[]) =>
    JSON.parse(String(ofNow(tables).find(({ name }) => name === 'job')?.rows[0]?.state)).lease;

  it.each([
    { state: 'unconfirmed', seen: 'prefetch', becomes: { status: 'pending', error_code: null } },
    { state: 'prefetch', seen: 'prefetch', becomes: { status: 'retrying', error_code: 'cs2_unavailable' } },
    { state: 'render', seen: 'render', becomes: { status: 'retrying', error_code: 'cs2_unavailable' } },
  ] as const)('of a lease in $state holds until its deadline', async ({ state, seen, becomes }) => {
    const { deadline, isConfirmed, uploads } = leaseOf(V2[state]);
    expect({ isConfirmed, uploads: uploads.length }).toEqual({
      isConfirmed: state !== 'unconfirmed',
      uploads: state === 'prefetch' ? 1 : 0,
    });
    const { id, read } = await stored(V2[state]);
    await runInDurableObject(renderJobOf(bindings, id), (_, { storage }) => storage.setAlarm(deadline - 1));
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
    const job = renderJobOf(bindings, id);
    await runInDurableObject(job, (_, { storage }) => storage.setAlarm(Date.now() + HOUR));
    await pass(HOUR, id);
    const { v, alarm } = await runInDurableObject(job, async (_, { storage }) => ({
      v: JSON.parse(String(storage.sql.exec('SELECT state FROM job').one().state)).v,
      alarm: await storage.getAlarm(),
    }));
    expect({ v, alarm }).toEqual({ v: 99, alarm: Date.now() + 60_000 });
  });
});

describe('what this version stores', () => {
  // docs/decisions/014-stored-versions.md says when.
  if ((env as unknown as { FREEZE: string }).FREEZE === '1') {
    it('freezes', async () => {
      await expect(await freeze(scene)).toMatchFileSnapshot(`./fixtures/v${STATE_VERSION}.json`);
    });
  }

  it('says which version it is', async () => {
    const jobId = await submit(scene.account.metered);
    const state = await runInDurableObject(renderJobOf(bindings, jobId), (_, { storage }) =>
      storage.sql.exec('SELECT state FROM job').one(),
    );
    expect(JSON.parse(String(state.state)).v).toBe(STATE_VERSION);
    const queue = await runInDurableObject(bindings.DISPATCHER.getByName('shard-0'), (_, { storage }) =>
      storage.sql.exec('SELECT v FROM clocks WHERE lane = 0').one(),
    );
    expect(queue.v).toBe(6);
  });
});
