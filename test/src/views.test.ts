import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { keptDays } from '#service/views.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { addViews, selectViews } from '#storage/views.ts';
import { createClipMaker } from '../support/clips.ts';
import { freezeClock } from '../support/clock.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { BASE_URL, bindings, createAccount, sendJson } from '../support/service.ts';

const faulty = createFaultyService();
let maker: Awaited<ReturnType<typeof createClipMaker>>;

beforeAll(async () => {
  maker = await createClipMaker();
});
afterEach(() => {
  freezeClock();
  vi.restoreAllMocks();
});

/** Creates an isolate that gets views; `settle` advances the clock until all views are written. */
function isolate(variables: Record<string, unknown> = {}) {
  const app = createApp(createService({ ...faulty.bindings, ...variables } as Bindings));
  const context = createExecutionContext();
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'], now: Date.now() });
  return {
    async play(id: string, headers: Record<string, string> = { Origin: BASE_URL }): Promise<number> {
      return (await app(new Request(`${BASE_URL}/clips/${id}/views`, { method: 'POST', headers }), context)).status;
    },
    async settle(): Promise<void> {
      await vi.advanceTimersByTimeAsync(10_000);
      freezeClock();
      await waitOnExecutionContext(context);
    },
    get: (id: string, key: string) =>
      app(new Request(`${BASE_URL}/api/clips/${id}/views`, { headers: { Authorization: `Bearer ${key}` } }), context),
  };
}

const viewsOf = async (id: string, key = maker.key) =>
  (await sendJson(key, 'GET', `/api/clips/${id}/views`)).json<{ total: number; since: string; days: unknown[] }>();
const dateOf = (day: number) => new Date(day * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
const databaseCalls = () => faulty.calls.filter((call) => call.startsWith('DB')).length;

describe('views of clips', () => {
  it('are counted by clip and day, and an isolate writes all of them in one statement', async () => {
    const [one, two] = [await maker.make(), await maker.make()];
    const { play, settle } = isolate();
    for (const id of [one, two, one, one]) expect(await play(id)).toBe(204);
    faulty.reset();
    for (let views = 0; views < 20; views++) await play(two);
    expect(faulty.calls).toEqual([]);
    await settle();
    expect(databaseCalls()).toBe(1);
    const { first, last } = keptDays(Date.now());
    expect(await viewsOf(one)).toEqual({
      clip_id: one,
      since: dateOf(first),
      total: 3,
      days: [{ date: dateOf(last), views: 3 }],
    });
    expect(await viewsOf(two)).toMatchObject({ total: 21 });
  });

  it('are summed over isolates and days, also of a deleted clip, and only for its account', async () => {
    const id = await maker.make();
    const { last } = keptDays(Date.now());
    await addViews(faulty.service.database, last - 1, new Map([[id, 40]]));
    for (let isolates = 0; isolates < 2; isolates++) {
      const { play, settle } = isolate();
      await play(id);
      await settle();
    }
    await maker.remove(id);
    expect(await viewsOf(id)).toMatchObject({
      total: 42,
      days: [
        { date: dateOf(last - 1), views: 40 },
        { date: dateOf(last), views: 2 },
      ],
    });
    const stranger = await createAccount();
    expect((await sendJson(stranger.metered, 'GET', `/api/clips/${id}/views`)).status).toBe(404);
  });

  it('of one address count up to a limit, which the answer does not show', async () => {
    const id = await maker.make();
    const { play, settle } = isolate({ LIMIT_VIEWS: '3' });
    for (let views = 0; views < 10; views++) expect(await play(id)).toBe(204);
    await settle();
    expect((await viewsOf(id)).total).toBe(3);
  });

  it('of an unknown clip are refused', async () => {
    const deleted = await maker.make();
    await maker.remove(deleted);
    const { play, settle } = isolate();
    faulty.reset();
    for (const id of [deleted, crypto.randomUUID(), 'x']) expect(await play(id)).toBe(404);
    await settle();
    expect(databaseCalls()).toBe(0);
  });

  it('count from pages of the service and of the sites that the account lists', async () => {
    const open = await maker.make();
    await sendJson(maker.key, 'PATCH', '/api/viewing', { embed_sites: ['example.com'] });
    const limited = await maker.make();
    await sendJson(maker.key, 'PATCH', '/api/viewing', { embed_sites: null });
    const { play, settle } = isolate();
    const pages = [{ Origin: 'https://evil.com' }, {}, { Origin: 'https://example.com' }, { Origin: BASE_URL }];
    // An embed in a frame without an origin.
    const framed = { Origin: 'null', Referer: `${BASE_URL}/` };
    for (const headers of [...pages, framed, { Origin: 'null' }]) {
      for (const id of [open, limited]) expect(await play(id, headers as Record<string, string>)).toBe(204);
    }
    await settle();
    expect((await viewsOf(open)).total).toBe(2);
    expect((await viewsOf(limited)).total).toBe(3);
  });

  it('are lost if they cannot be written, without further effects', async () => {
    const id = await maker.make();
    const { play, settle } = isolate();
    await play(id);
    faulty.fail('DB', 'D1_ERROR: Network connection lost.', { times: 1 });
    await settle();
    const later = isolate();
    await later.play(id);
    await later.settle();
    expect((await viewsOf(id)).total).toBe(1);
  });

  it('are deleted after ninety days', async () => {
    const db = faulty.service.database;
    const { first, last } = keptDays(Date.now());
    await addViews(db, first - 1, new Map([['old', 1]]));
    await addViews(db, first, new Map([['old', 2]]));
    await runUpkeep(faulty.service, Date.now());
    expect(await selectViews(db, 'old', first - 9, last)).toEqual([{ day: first, views: 2 }]);
  });
});

describe('views with Analytics Engine', () => {
  const ENGINE = { VIEWS_ACCOUNT_ID: 'a'.repeat(32), VIEWS_TOKEN: 'a-token' };

  it('do not use the database, and are read through the SQL API', async () => {
    const id = await maker.make();
    const points: AnalyticsEngineDataPoint[] = [];
    const VIEWS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) };
    const { play, settle, get } = isolate({ ...ENGINE, VIEWS });
    await play(id);
    faulty.reset();
    await play(id);
    await settle();
    expect(faulty.calls).toEqual([]);
    expect(points).toEqual([{ indexes: [id] }, { indexes: [id] }]);

    const { last } = keptDays(Date.now());
    const asked: Request[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      asked.push(new Request(input as string, init as RequestInit));
      return Response.json({ meta: [], data: [{ day: dateOf(last), views: '2' }], rows: 1 });
    });
    const response = await get(id, maker.key);
    expect(await response.json()).toMatchObject({ total: 2, days: [{ date: dateOf(last), views: 2 }] });
    const [query] = asked;
    expect(query?.url).toBe(`https://api.cloudflare.com/client/v4/accounts/${'a'.repeat(32)}/analytics_engine/sql`);
    expect(query?.headers.get('Authorization')).toBe('Bearer a-token');
    expect(await query?.text()).toContain(`SUM(_sample_interval) AS views FROM tickreel_views`);
  });

  it('need a token to be read: a dataset without a token is refused', () => {
    const VIEWS = { writeDataPoint: () => {} };
    expect(() => createService({ ...bindings, VIEWS } as unknown as Bindings)).toThrow('VIEWS_TOKEN');
    const half = { ...bindings, VIEWS_TOKEN: 'a-token' } as unknown as Bindings;
    expect(() => createService(half)).toThrow('belong together');
  });
});
