import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bindings, createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { readRecord, writeRecord } from '#storage/clip/public-record.ts';
import { forgetRecord, rememberedIds } from '#storage/clip/record-cache.ts';
import { clipIdOf, createClipMaker, isolate } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { fireAlarm } from '../support/scenario.ts';
import { BASE_URL, bindings, sendJson, submit } from '../support/service.ts';
import { standInMp4, VIDEO } from '../support/test-host.ts';

/** The URLs of a clip. */
const ROUTES = (id: string) => [
  `/clips/${id}`,
  `/clips/${id}/embed`,
  `/clips/${id}/video.mp4`,
  `/clips/${id}/thumbnail.jpg`,
  `/oembed?url=${BASE_URL}/clips/${id}`,
];
/** A data centre reads a record once in ten seconds, and an isolate reads its data centre's cache once in two. */
const FRESH_MS = 10_000;
const OLDEST_MS = 22_000;

const faulty = createFaultyService();
const { service } = faulty;
let maker: Awaited<ReturnType<typeof createClipMaker>>;
let app = createApp(service);

beforeAll(async () => {
  maker = await createClipMaker();
});

interface View {
  readonly status: number;
  readonly body: Uint8Array;
  readonly headers: Headers;
}

async function view(path: string, headers: Record<string, string> = {}, of = app): Promise<View> {
  const context = createExecutionContext();
  const response = await of(new Request(BASE_URL + path, { headers }), context);
  const body = new Uint8Array(await response.arrayBuffer());
  await waitOnExecutionContext(context);
  return { status: response.status, body, headers: response.headers };
}

/** Returns the calls of the index, of objects and of storage by a view and its background work. */
async function costOf(path: string, headers: Record<string, string> = {}) {
  faulty.reset();
  const { status } = await view(path, headers);
  const count = (of: RegExp) => faulty.calls.filter((call) => of.test(call)).length;
  return { status, d1: count(/^DB/), objects: count(/^(RENDER_JOB|DISPATCHER)/), r2: count(/^CLIPS/) };
}

const isVideo = (path: string) => /video|thumbnail/.test(path);

describe('the cost of a view', () => {
  it.each(ROUTES('…'))('%s of a popular clip: reads a record and a file once, and then nothing', async (route) => {
    const id = await maker.make();
    await forgetRecord(service, id);
    const path = route.replace('…', id);
    const cold = await costOf(path);
    expect(cold).toEqual({ status: 200, d1: 0, objects: 0, r2: isVideo(path) ? 2 : 1 });
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }, { Range: 'bytes=100-199' }])
      expect(await costOf(path, headers)).toMatchObject({ d1: 0, objects: 0, r2: 0 });
  });

  it('of a deleted, unfinished or unknown clip: reads a record once, and then nothing', async () => {
    const deleted = await maker.make();
    await maker.remove(deleted);
    const jobId = await submit(maker.key);
    await maker.host.claimJob(jobId);
    const rendering = await clipIdOf(jobId);
    await fireAlarm(jobId);
    // Before its clip is made there is no record.
    expect(await readRecord(bindings.CLIPS, rendering)).toBeNull();
    for (const id of [deleted, rendering, crypto.randomUUID()]) {
      await forgetRecord(service, id);
      const [page = '', ...others] = ROUTES(id);
      expect(await costOf(page)).toMatchObject({ d1: 0, objects: 0, r2: 1 });
      for (const path of [page, ...others]) {
        const { status, ...cost } = await costOf(path);
        expect({ path, ...cost }).toEqual({ path, d1: 0, objects: 0, r2: 0 });
        expect(status).toBe(id === deleted ? 410 : 404);
      }
    }
  });

  it('of the landing page: reads the record of its clip, and no index', async () => {
    const id = await maker.make();
    const shared = app;
    app = createApp(createService({ ...faulty.bindings, LANDING_CLIP_ID: id } as Bindings));
    await forgetRecord(service, id);
    expect(await costOf('/')).toEqual({ status: 200, d1: 0, objects: 0, r2: 1 });
    expect(await costOf('/')).toEqual({ status: 200, d1: 0, objects: 0, r2: 0 });
    app = shared;
  });

  it('on workers.dev, without a cache: reads storage once for each load of a file', async () => {
    const id = await maker.make();
    const shared = app;
    app = createApp(createService({ ...faulty.bindings, BASE_URL: 'https://x.somebody.workers.dev' } as Bindings));
    await forgetRecord(service, id);
    const path = `/clips/${id}/thumbnail.jpg`;
    for (const r2 of [2, 1, 1]) expect(await costOf(path)).toEqual({ status: 200, d1: 0, objects: 0, r2 });
    app = shared;
  });
});

describe('guessing ids', () => {
  it('reads storage for each id up to the limit of an address, then nothing, and never the index or an object', async () => {
    const limited = isolate({}, faulty.bindings as Partial<Bindings>, { clip_guesses: 200 });
    faulty.reset();
    const before = rememberedIds();
    const guess = () => limited('GET', `/clips/${crypto.randomUUID()}/video.mp4`, null);
    const statuses: number[] = [];
    for (let i = 0; i < 1000; i++) statuses.push((await guess()).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(200);
    expect(statuses.filter((status) => status === 429)).toHaveLength(800);
    expect(faulty.calls).toEqual(Array.from({ length: 200 }, () => 'CLIPS.get'));
    expect(rememberedIds() - before).toBe(200);
  });
});

describe('a record', () => {
  const record = (version: number) => ({ version, state: 'deleted' }) as const;

  it('is never replaced by an older one, even if both are written at once', async () => {
    const { CLIPS } = bindings;
    for (let round = 0; round < 5; round++) {
      const id = crypto.randomUUID();
      const states = ['deleted', 'unknown', 'deleted', 'deleted', 'deleted'] as const;
      const writes = states.map((state, i) => writeRecord(CLIPS, id, { version: 3 + i, state }));
      await Promise.all(round % 2 ? writes.reverse() : writes);
      expect(await readRecord(CLIPS, id)).toEqual({ version: 7, state: 'deleted' });
      await writeRecord(CLIPS, id, record(2));
      expect(await readRecord(CLIPS, id)).toEqual(record(7));
    }
  });

  it('of a newer version stays if it is written between the read and the write of an older one', async () => {
    const id = crypto.randomUUID();
    const { CLIPS } = bindings;
    await writeRecord(CLIPS, id, record(1));
    const slow = {
      head: async (key: string) => {
        const found = await CLIPS.head(key);
        await writeRecord(CLIPS, id, record(9));
        return found;
      },
      put: CLIPS.put.bind(CLIPS) as R2Bucket['put'],
    };
    await writeRecord(slow, id, { version: 5, state: 'unknown' });
    expect(await readRecord(CLIPS, id)).toEqual(record(9));
  });
});

it('a record that the cache refuses is in the index and on the pages all the same', async () => {
  vi.spyOn(caches.default, 'put').mockRejectedValue(new Error('Network connection lost.'));
  const id = await maker.make();
  await expect.poll(async () => (await sendJson(maker.key, 'GET', '/api/clips')).text()).toContain(id);
  expect((await view(`/clips/${id}`)).status).toBe(200);
  vi.restoreAllMocks();
});

describe('a changed clip', () => {
  /** Advances the clock, so that the isolate's cache expires. */
  const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it('is visible within the documented delay: page, player and files together', async () => {
    const id = await maker.make();
    const [page = '', , video = ''] = ROUTES(id);
    expect((await view(page)).status).toBe(200);
    expect((await view(video)).status).toBe(200);
    // Written by another data centre, so that no cache here is updated.
    await writeRecord(bindings.CLIPS, id, { version: 1000, state: 'deleted' });
    expect((await view(page)).status).toBe(200);
    later(OLDEST_MS);
    for (const path of ROUTES(id)) expect([404, 410]).toContain((await view(path)).status);
  });

  it('is read once in ten seconds for a popular clip, in the background', async () => {
    const id = await maker.make();
    await forgetRecord(service, id);
    faulty.reset();
    const reads = () => faulty.calls.filter((call) => call === 'CLIPS.get').length;
    for (let second = 0; second < 30; second++) {
      await Promise.all(Array.from({ length: 3 }, () => view(`/clips/${id}`)));
      later(1000);
    }
    expect(reads()).toBe(30_000 / FRESH_MS);
  });

  it('never has an old file on a new page, even if the old record is cached', async () => {
    const id = await maker.make();
    const old = (await readRecord(bindings.CLIPS, id)) ?? { version: 0 };
    expect((await view(`/clips/${id}/video.mp4?v=${old.version}`)).status).toBe(200);
    const other = standInMp4(5000, 17);
    await maker.remake(id, { video: other });
    const now = (await readRecord(bindings.CLIPS, id)) ?? { version: 0 };
    expect(now.version).toBeGreaterThan(old.version);
    later(1000);
    expect(isSame((await view(`/clips/${id}/video.mp4?v=${now.version}`)).body, other)).toBe(true);
    expect(new TextDecoder().decode((await view(`/clips/${id}`)).body)).toContain(`video.mp4?v=${now.version}`);
  });

  it('is reloaded at most once a second for a version that does not exist', async () => {
    const id = await maker.make();
    await view(`/clips/${id}/thumbnail.jpg`);
    faulty.reset();
    later(1500);
    for (let i = 0; i < 5; i++) await view(`/clips/${id}/thumbnail.jpg?v=999999`);
    expect(faulty.calls).toEqual(['CLIPS.get']);
  });
});

describe('a clip that is deleted while many people watch it', () => {
  it('is whole in each answer before, and in none after', async () => {
    const id = await maker.make();
    const routes = [`/clips/${id}`, `/clips/${id}/embed`, `/clips/${id}/video.mp4`];
    const seen = new Set<string>();
    const watch = async (path: string) => {
      const { status, body } = await view(path);
      const isWhole = path.endsWith('.mp4')
        ? isSame(body, VIDEO)
        : new TextDecoder().decode(body).endsWith('</html>\n');
      seen.add(status === 200 ? `200 whole: ${isWhole}` : String(status));
    };
    await Promise.all(routes.map(watch));
    let isGone = false;
    const removed = maker.remove(id).finally(() => {
      isGone = true;
    });
    while (!isGone) {
      await Promise.all([...routes, ...routes].map(watch));
      // Yields to the service: a view from the cache does not wait for anything.
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect((await removed).status).toBe(204);
    for (const path of routes) expect((await view(path)).status).toBe(410);
    expect([...seen].filter((status) => status !== '410')).toEqual(['200 whole: true']);
  });
});

describe('a page', () => {
  it('is kept compressed and plain, with an entity tag each', async () => {
    const path = `/clips/${await maker.make()}`;
    const plain = await view(path);
    const gzip = await view(path, { 'Accept-Encoding': 'gzip, br' });
    expect(gzip.headers.get('Content-Encoding')).toBe('gzip');
    expect(gzip.headers.get('Vary')).toBe('Accept, Accept-Encoding');
    const unpacked = new Response(gzip.body).body?.pipeThrough(new DecompressionStream('gzip'));
    const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
    expect(isSame(bytes, plain.body)).toBe(true);
    expect(gzip.body.byteLength).toBeLessThan(10_000);
    const tags = [plain, gzip].map(({ headers }) => headers.get('ETag') ?? '');
    expect(tags).toEqual([expect.stringMatching(/^"[0-9a-f]{32}"$/), expect.stringMatching(/^"[0-9a-f]{32}-gzip"$/)]);
    for (const [i, encoding] of ['identity', 'gzip'].entries()) {
      const headers = { 'Accept-Encoding': encoding, 'If-None-Match': tags[i] ?? '' };
      expect((await view(path, headers)).status).toBe(304);
      expect((await view(path, { ...headers, 'If-None-Match': '"other"' })).status).toBe(200);
    }
  });
});

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
}
