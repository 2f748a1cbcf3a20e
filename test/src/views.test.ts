import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bindings, createService } from '#service/lib/service.ts';
import { keptDays } from '#service/lib/views.ts';
import { sweepViewing } from '#src/cron/sweep-viewing.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { addViews, selectViews } from '#storage/clip/clip-lists.ts';
import { readRecord, writeRecord } from '#storage/clip/public-record.ts';
import { reloadRecord } from '#storage/clip/record-cache.ts';
import { createAccount, createClipMaker, jobIdOf } from '#test/support/accounts.ts';
import { freezeClock } from '#test/support/clock.ts';
import { createFaultyService } from '#test/support/faulty-service.ts';
import { storedKeys } from '#test/support/objects.ts';
import { evict, fireAlarm } from '#test/support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson } from '#test/support/service.ts';
import { standInMp4, THUMBNAIL } from '#test/support/test-host.ts';

describe('the index', () => {
  const faulty = createFaultyService();
  let limited: Maker;
  let maker: Awaited<ReturnType<typeof createClipMaker>>;

  beforeAll(async () => {
    maker = await createClipMaker();
    limited = await createClipMaker();
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
    it('are counted by clip and day, and an isolate writes all of them in one statement', {
      tags: ['long'],
    }, async () => {
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

    it('are summed over isolates and days, also of a deleted clip, and only for its account', {
      tags: ['long'],
    }, async () => {
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

  const SITES = ['example.com', '*.example.org', 'localhost:8080'];
  const MINUTE = 60_000;

  type Maker = Awaited<ReturnType<typeof createClipMaker>>;

  const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
  const change = (key: string, changes: object) => sendJson(key, 'PATCH', '/api/viewing', changes);
  /** Runs the cron after the delay for clips in the making. */
  const sweep = async (ms = 2 * MINUTE, size = 200, between?: (shown: number) => Promise<unknown>) => {
    const report = { called: 0, expired: 0, removed: 0, swept: 0, shown: 0, forgotten: 0, erased: 0, cut: 0 };
    const onFailure = (error: unknown) => expect.fail(String(error));
    const run = sweepViewing(faulty.service, { now: Date.now() + ms, size, report, onFailure });
    for await (const _ of run) await between?.(report.shown);
    return report.shown;
  };
  const headersOf = async (path: string, headers: Record<string, string> = {}) => {
    const response = await send(path, { headers });
    await response.arrayBuffer();
    return { status: response.status, of: (name: string) => response.headers.get(name) };
  };
  /** Repeats assertions, a second of the clock later each time: a job writes its record later, and isolates cache it. */
  const soon = (look: () => Promise<void>) =>
    vi.waitFor(
      () => {
        later(1000);
        return look();
      },
      { timeout: 40_000 },
    );
  const framedBy = async (id: string) =>
    /frame-ancestors (.*)$/.exec((await headersOf(`/clips/${id}/embed`)).of('Content-Security-Policy') ?? '')?.[1];

  describe('the viewing settings of an account', () => {
    it('have defaults, and do not change other accounts', async () => {
      const { metered } = await createAccount();
      const other = await createAccount();
      const usual = { embed_sites: null, show_views: false, show_more: false, hide_names: false };
      expect(await (await sendJson(metered, 'GET', '/api/viewing')).json()).toEqual(usual);
      const changed = await change(metered, { show_views: true });
      expect(await changed.json()).toEqual({ ...usual, show_views: true });
      expect(await (await change(metered, { embed_sites: SITES })).json()).toEqual({
        embed_sites: SITES,
        show_views: true,
        show_more: false,
        hide_names: false,
      });
      expect(await (await sendJson(other.metered, 'GET', '/api/viewing')).json()).toEqual(usual);
      const wishes = [{ embed_sites: null }, { show_views: false }, { show_more: true }];
      await Promise.all(wishes.map((wish) => change(metered, wish)));
      expect(await (await sendJson(metered, 'GET', '/api/viewing')).json()).toEqual({ ...usual, show_more: true });
    });

    it.each([
      { embed_sites: ['https://example.com'] },
      { embed_sites: ["example.com 'unsafe-inline'"] },
      { embed_sites: ['*'] },
      { embed_sites: ['example.com;'] },
      { embed_sites: 'example.com' },
      { show_views: 'yes' },
      { more: 1 },
    ])('is refused where it is none: %j', async (changes) => {
      expect((await change(limited.key, changes)).status).toBe(400);
    });
  });

  describe('a clip with a list of sites', () => {
    it('can be framed by these sites; its files load on these sites and for requests without a site', async () => {
      await change(limited.key, { embed_sites: SITES });
      const id = await limited.make();
      expect(await framedBy(id)).toBe("'self' example.com *.example.org localhost:8080");
      for (const file of ['video.mp4', 'thumbnail.jpg']) {
        const load = (referer: string | null) =>
          headersOf(`/clips/${id}/${file}`, referer === null ? {} : { Referer: referer });
        const policy = async (referer: string | null) => {
          const { status, of } = await load(referer);
          return `${status} ${of('Cross-Origin-Resource-Policy')}`;
        };
        const [own, named] = ['https://tickreel.test/clips/x', 'https://sub.example.org/'];
        expect(await policy(null)).toBe('200 same-origin');
        for (const referer of [own, named, 'https://example.com/a', 'http://localhost:8080/'])
          expect(await policy(referer)).toBe('200 cross-origin');
        for (const referer of [
          'https://evil.com/',
          'https://example.org/',
          'https://notexample.com/',
          'http://localhost/',
        ])
          expect((await load(referer)).status, referer).toBe(403);
        expect((await load(own)).of('Vary')).toBe('Origin, Referer');
      }
    });

    it('can be read only by scripts of these sites, and is not stored by shared caches', {
      tags: ['long'],
    }, async () => {
      const purged = { PURGE_ZONE_ID: 'f'.repeat(32), PURGE_TOKEN: 'token' };
      const app = createApp(createService({ ...bindings, ...purged } as unknown as Bindings));
      const load = async (id: string, headers: Record<string, string>, base = BASE_URL) => {
        const request = new Request(`${base}/clips/${id}/video.mp4`, { headers });
        const { status, headers: got, body } = await app(request, createExecutionContext());
        await body?.cancel();
        return [status, got.get('Access-Control-Allow-Origin'), got.get('Cross-Origin-Resource-Policy')];
      };
      const open = await (await createClipMaker()).make();
      expect(await load(open, { Origin: 'https://evil.com' })).toEqual([200, '*', 'cross-origin']);
      await change(limited.key, { embed_sites: SITES });
      const id = await limited.make();
      for (const origin of ['https://sub.example.org', 'http://localhost:8080', BASE_URL]) {
        expect(await load(id, { Origin: origin })).toEqual([200, origin, 'cross-origin']);
      }
      for (const origin of ['https://evil.com', 'https://example.org', 'http://localhost']) {
        expect(await load(id, { Origin: origin }), origin).toEqual([403, null, null]);
        expect(await load(id, { Origin: origin, Referer: `${BASE_URL}/` }), origin).toEqual([403, null, null]);
      }
      // A frame without an origin, and a page that sends no referrer.
      expect(await load(id, { Origin: 'null' })).toEqual([200, null, 'same-origin']);
      expect(await load(id, {})).toEqual([200, null, 'same-origin']);
      // Behind a proxy that sends another `Host` than the public name.
      const inside = 'http://10.0.0.7:8787';
      expect(await load(id, { Referer: `${BASE_URL}/clips/${id}` }, inside)).toEqual([200, null, 'cross-origin']);
      const kept = async (clip: string) =>
        (await app(new Request(`${BASE_URL}/clips/${clip}/thumbnail.jpg`), createExecutionContext())).headers;
      expect((await kept(open)).get('Cache-Control')).toBe('public, max-age=300');
      expect((await kept(id)).get('Cache-Control')).toBe('private, max-age=300');
    });

    it('is served by the Worker, even if there is a media host', { tags: ['long'] }, async () => {
      const media = { ...bindings, MEDIA_BASE_URL: 'https://media.example.com' } as Bindings;
      const app = createApp(createService(media));
      const pages = async (id: string) => {
        const load = async (path: string) => (await app(new Request(BASE_URL + path), createExecutionContext())).text();
        const oembed = `/oembed?url=${BASE_URL}/clips/${id}`;
        return (await Promise.all([`/clips/${id}`, `/clips/${id}/embed`, oembed].map(load))).join('');
      };
      for (const embed_sites of [SITES, []]) {
        await change(limited.key, { embed_sites });
        const text = await pages(await limited.make());
        expect(text).toContain('/video.mp4?v=');
        expect(text).not.toContain('https://media.example.com/');
      }
      await change(limited.key, { embed_sites: null });
      expect(await pages(await limited.make())).toContain('https://media.example.com/clips/');
      await change(limited.key, { embed_sites: SITES });
    });

    it('gets the settings from the cron if it is older than they are, and nothing else of it changes', {
      tags: ['long'],
    }, async () => {
      const maker = await createClipMaker();
      const [kept, deleted] = [await maker.make(), await maker.make()];
      await maker.remove(deleted);
      expect(await framedBy(kept)).toBe('*');
      const before = await readRecord(bindings.CLIPS, kept);
      await change(maker.key, { embed_sites: [] });
      // Not before the delay for clips in the making.
      expect(await sweep(0)).toBe(0);
      await sweep();
      if (before?.state !== 'ready') throw new Error('it was there');
      await soon(async () => {
        const after = await readRecord(bindings.CLIPS, kept);
        expect(after).toMatchObject({ state: 'ready', clip: { ...before.clip, embedSites: [] } });
        expect(after?.version).toBeGreaterThan(before.version);
      });
      expect(await readRecord(bindings.CLIPS, deleted)).toMatchObject({ state: 'deleted' });
      await soon(async () => expect(await framedBy(kept)).toBe("'self'"));
      await change(maker.key, { embed_sites: null });
      await sweep();
      await soon(async () => expect(await framedBy(kept)).toBe('*'));
      expect((await headersOf(`/clips/${kept}/video.mp4`, { Referer: 'https://evil.com/' })).status).toBe(200);
    });

    it.each(['save', 'unsave'])(
      'gets the settings even if it is changed by %s during the run of the cron',
      { tags: ['long'] },
      async (to) => {
        // What other tests have changed.
        await sweep();
        const maker = await createClipMaker();
        const clips = [await maker.make(), await maker.make(), await maker.make()];
        const [first = '', second = '', third = ''] = clips;
        const put = (id: string, mark: string) => sendJson(maker.key, 'POST', `/api/clips/${id}/${mark}`);
        for (const id of to === 'save' ? [third] : [first, second]) await put(id, 'save');
        await change(maker.key, { embed_sites: ['example.com'] });
        const moved = async (shown: number) => {
          if (shown === 1) await put(to === 'save' ? first : second, to);
        };
        expect(await sweep(2 * MINUTE, 1, moved)).toBe(3);
        for (const id of clips) await soon(async () => expect(await framedBy(id)).toBe("'self' example.com"));
      },
    );
  });

  describe('more clips on the page of one', () => {
    interface More {
      readonly clips: readonly { page: string; title: string; thumbnail: string }[];
    }
    const moreOf = async (id: string) => {
      const response = await faulty.send('', 'GET', `/clips/${id}/more`);
      return response.status === 200 ? (await response.json<More>()).clips : response.status;
    };
    const pagesOf = async (id: string) => {
      const found = await moreOf(id);
      return Array.isArray(found) ? found.map(({ page }) => page.slice('/clips/'.length)) : found;
    };

    it('are other clips of the match and of the player, of the same account, if it enables them', {
      tags: ['long'],
    }, async () => {
      const [maker, other] = [await createClipMaker(), await createClipMaker()];
      const hidden = await maker.make();
      for (const { key } of [maker, other]) await change(key, { show_more: true });
      const first = await maker.make({ title: 'The first' });
      const second = await maker.make({ title: 'The <b>second</b>' });
      await other.make();
      const elsewhere = await maker.make({ demo_url: 'https://demos.example.com/another.dem' });
      later(30_000);
      expect(await moreOf(hidden)).toBe(404);
      expect(await (await send(`/clips/${hidden}`)).text()).not.toContain('data-more="');
      // The match's first, then the player's.
      expect(await pagesOf(first)).toEqual([second, elsewhere]);
      expect(await moreOf(first)).toMatchObject([
        { title: 'The <b>second</b>', thumbnail: expect.stringMatching(/^\/clips\/.*\/thumbnail\.jpg\?v=\d+$/) },
        {},
      ]);
      expect(await pagesOf(elsewhere)).toEqual([second, first]);
      expect(await (await send(`/clips/${first}`)).text()).toContain(`data-more="/clips/${first}/more"`);

      faulty.reset();
      await moreOf(first);
      expect(faulty.calls).toEqual([]);
      await maker.remove(second);
      later(12_000);
      faulty.reset();
      expect(await pagesOf(first)).toEqual([elsewhere]);
      // Reads the record and each of the two lists, but neither the index nor an object.
      expect(faulty.calls).toEqual(['CLIPS.get', 'CLIPS.get', 'CLIPS.get']);
      expect(await moreOf(second)).toBe(404);
    });

    it('disappear when the account disables them and return when it enables them, older clips too', {
      tags: ['long'],
    }, async () => {
      const maker = await createClipMaker();
      const [one, two] = [await maker.make(), await maker.make()];
      const wished = async (show_more: boolean, seen: unknown) => {
        await change(maker.key, { show_more });
        await sweep();
        await soon(async () => expect(await pagesOf(one)).toEqual(seen));
      };
      await wished(true, [two]);
      await wished(false, 404);
      // The lists are written after the record.
      await soon(async () => {
        const lists = (await bindings.CLIPS.list({ prefix: 'lists/', limit: 1000 })).objects;
        const all = await Promise.all(lists.map(async ({ key }) => (await bindings.CLIPS.get(key))?.json<object[]>()));
        expect(all.flat().filter((each) => JSON.stringify(each).includes(one))).toMatchObject([
          { id: one, shown: null },
          { id: one, shown: null },
        ]);
      });
      await wished(true, [two]);
    });
  });

  describe('views on the page of a clip', () => {
    it('are shown if the account enables them, with one statement a minute', { tags: ['long'] }, async () => {
      const maker = await createClipMaker();
      const hidden = await maker.make();
      await change(maker.key, { show_views: true });
      const id = await maker.make();
      await addViews(faulty.service.database, Math.floor(Date.now() / 86_400_000), new Map([[id, 1842]]));
      const pageOf = async (clip: string) => (await send(`/clips/${clip}`)).text();
      expect(await pageOf(id)).toContain(`data-count="/clips/${id}/views"`);
      expect(await pageOf(hidden)).not.toContain('data-count="');
      expect((await headersOf(`/clips/${hidden}/views`)).status).toBe(404);
      const ask = () => faulty.send('', 'GET', `/clips/${id}/views`);
      await ask();
      faulty.reset();
      const shown = await ask();
      expect(await shown.json()).toEqual({ total: 1842 });
      expect(shown.headers.get('Cache-Control')).toBe('public, max-age=60');
      expect(faulty.calls).toEqual([]);
    });
  });
});

describe('a clip in a cold cache', () => {
  const SLICE = 4 * 1024 * 1024;
  const SIZE = 9_000_001;
  const FIRST = 100_000;
  /** Milliseconds after which viewers leave a fill that receives nothing. */
  const STALLED_MS = 5000;
  const video = standInMp4(SIZE);

  // Only tests advance the time, so no machine is so slow that a fill stalls in another test.
  beforeAll(() => {
    const now = Date.now();
    vi.useRealTimers();
    vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  });

  interface Read {
    readonly from: number;
    readonly to: number;
    /** Lets storage send more than the first bytes of this read. */
    go(): void;
    fail(): void;
  }

  /**
   * Creates a clip in a bucket that sends the first bytes of each read, and the others once the test allows it. Each clip
   * has its own hash, so no cache has it.
   */
  async function createColdClip() {
    const id = crypto.randomUUID();
    const file = { key: `clips/${id}/1/video.mp4`, bytes: SIZE, sha256: id };
    await bindings.CLIPS.put(file.key, video);
    const clip = { title: 't', resolution: 1080, fps: 30, durationSeconds: 1, createdAt: 1, renderedAt: 1 };
    const record = { version: 1, state: 'ready', clip: { ...clip, video: file, thumbnail: file } } as const;
    await writeRecord(bindings.CLIPS, id, record);
    const reads: Read[] = [];
    const held = { isHeld: true, isSilent: false };
    const get = async (key: string, options?: { range: { offset: number; length: number } }) => {
      const object = await bindings.CLIPS.get(key, options as R2GetOptions);
      if (!options || !object) return object;
      const bytes = new Uint8Array(await object.arrayBuffer());
      const gate = Promise.withResolvers<void>();
      const { offset: from, length } = options.range;
      const fail = () => gate.reject(new Error('Network connection lost.'));
      reads.push({ from, to: from + length, go: gate.resolve, fail });
      if (!held.isHeld) gate.resolve();
      gate.promise.catch(() => {});
      if (held.isSilent) await gate.promise;
      let at = 0;
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (at > 0) await gate.promise;
        const next = at === 0 ? FIRST : at + 500_000;
        controller.enqueue(bytes.subarray(at, next));
        at = next;
        if (at >= bytes.byteLength) controller.close();
      };
      return { body: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }) };
    };
    const CLIPS = new Proxy(bindings.CLIPS, {
      get: (target, name) => {
        const member = name === 'get' ? get : Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const app = createApp(createService({ ...bindings, CLIPS }));
    const context = createExecutionContext();
    return {
      reads,
      at: (from: number) => reads.find((read) => read.from === from) as Read,
      /** Storage does not answer new reads at all. */
      silence(): void {
        held.isSilent = true;
      },
      /** Storage sends everything of new reads, and no more of those that have begun. */
      stall(): void {
        Object.assign(held, { isHeld: false, isSilent: false });
      },
      /** Storage sends everything from now on. */
      release(): void {
        held.isHeld = false;
        for (const { go } of reads) go();
      },
      async load(from: number, to: number) {
        const headers = { Range: `bytes=${from}-${to - 1}` };
        const response = await app(new Request(`${BASE_URL}/clips/${id}/video.mp4`, { headers }), context);
        expect(response.status).toBe(206);
        return response;
      },
      /** Resolves when the caches are filled. */
      filled: () => waitOnExecutionContext(context),
      removeFile: () => bindings.CLIPS.delete(file.key),
    };
  }

  const readerOf = (response: Response) => {
    const reader = response.body?.getReader();
    if (!reader) throw new Error('there is no body');
    return reader;
  };

  /** Reads at least so many bytes. */
  async function read(reader: ReadableStreamDefaultReader<Uint8Array>, least: number): Promise<number> {
    let bytes = 0;
    while (bytes < least) {
      const { value, done } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
    }
    return bytes;
  }

  async function expectVideo(response: Response, from: number, to: number): Promise<void> {
    const body = new Uint8Array(await response.arrayBuffer());
    const isSame = body.byteLength === to - from && body.every((byte, i) => byte === video[from + i]);
    expect(isSame).toBe(true);
  }

  /** Advances the time until the work is done. */
  async function overStalls<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    const wait = () => {
      vi.advanceTimersByTime(STALLED_MS);
      return isDone;
    };
    await expect.poll(wait).toBe(true);
    return done;
  }

  describe('a file that no cache has', () => {
    it('is sent as it arrives, while its slice is cached', { tags: ['long'] }, async () => {
      const clip = await createColdClip();
      const viewer = readerOf(await clip.load(0, 1_000_000));
      expect(await read(viewer, FIRST)).toBe(FIRST);
      clip.release();
      expect(await read(viewer, SIZE)).toBe(1_000_000 - FIRST);
      await clip.filled();
      expect(clip.reads).toHaveLength(1);
      await clip.removeFile();
      await expectVideo(await clip.load(10, SLICE), 10, SLICE);
    });

    it('is read from the wanted byte on, and then what is before that in the slice', { tags: ['long'] }, async () => {
      const clip = await createColdClip();
      const viewer = readerOf(await clip.load(2_000_000, 2_050_000));
      expect(await read(viewer, SIZE)).toBe(50_000);
      // Wants more of the same slice, and what has not been asked for.
      const [later, earlier] = await Promise.all([clip.load(2_060_000, 3_000_000), clip.load(1_000_000, 2_000_000)]);
      expect(clip.reads.map(({ from, to }) => [from, to])).toEqual([
        [2_000_000, SLICE],
        [1_000_000, 2_000_000],
      ]);
      clip.release();
      await expectVideo(later, 2_060_000, 3_000_000);
      await expectVideo(earlier, 1_000_000, 2_000_000);
      await clip.filled();
      expect(clip.reads.slice(2).map(({ from, to }) => [from, to])).toEqual([[0, 2_000_000]]);
      await clip.removeFile();
      await expectVideo(await clip.load(0, SLICE), 0, SLICE);
    });

    it('is read from two slices at once', { tags: ['long'] }, async () => {
      const clip = await createColdClip();
      const viewer = readerOf(await clip.load(SLICE - 10, SLICE + 10));
      expect(await read(viewer, SIZE)).toBe(20);
      expect(clip.reads.map(({ from }) => from)).toEqual([SLICE - 10, SLICE]);
      await viewer.cancel();
      clip.release();
      await clip.filled();
      await clip.removeFile();
      await expectVideo(await clip.load(0, 2 * SLICE), 0, 2 * SLICE);
    });

    it('is cached whole when its viewer leaves, and no further slice', { tags: ['long'] }, async () => {
      const clip = await createColdClip();
      const viewer = readerOf(await clip.load(0, SIZE));
      await read(viewer, FIRST);
      await viewer.cancel();
      clip.release();
      await clip.filled();
      expect(clip.reads.map(({ from }) => from)).toEqual([0, SLICE]);
    });

    it('is not held in memory by a slow viewer, who gets the rest from the cache', { tags: ['long'] }, async () => {
      const clip = await createColdClip();
      const response = await clip.load(0, SIZE);
      clip.release();
      await clip.filled();
      expect(clip.reads.map(({ from }) => from)).toEqual([0, SLICE]);
      await expectVideo(response, 0, SIZE);
      expect(clip.reads.map(({ from }) => from)).toEqual([0, SLICE, 2 * SLICE]);
    });

    it('whose read breaks off is not cached, and its viewer gets the rest by another read', {
      tags: ['long'],
    }, async () => {
      const clip = await createColdClip();
      const response = await clip.load(0, 1_000_000);
      clip.at(0).fail();
      await clip.filled();
      clip.release();
      await expectVideo(response, 0, 1_000_000);
      expect(clip.reads.length).toBe(2);
      await expectVideo(await clip.load(0, SLICE), 0, SLICE);
      expect(clip.reads.length).toBe(3);
    });

    it('is read by each viewer of a fill that stalls', async () => {
      const clip = await createColdClip();
      const viewer = readerOf(await clip.load(0, 1_000_000));
      await read(viewer, FIRST);
      const joined = await clip.load(0, 1_000_000);
      expect(clip.reads).toHaveLength(1);
      clip.stall();
      await viewer.cancel();
      await overStalls(expectVideo(joined, 0, 1_000_000));
      clip.release();
      await clip.filled();
    });

    it('is read by each viewer of a fill that storage does not answer', async () => {
      const clip = await createColdClip();
      clip.silence();
      const viewers = [clip.load(0, 100), clip.load(50, 200)];
      await expect.poll(() => clip.reads.length).toBe(1);
      clip.stall();
      const [first, joined] = await overStalls(Promise.all(viewers));
      await expectVideo(first as Response, 0, 100);
      await expectVideo(joined as Response, 50, 200);
      clip.release();
      await clip.filled();
    });

    it('is cached after eight others have stalled', { tags: ['long'] }, async () => {
      const stalled = await Promise.all(Array.from({ length: 8 }, createColdClip));
      await Promise.all(stalled.map((clip) => clip.load(0, SLICE)));
      vi.setSystemTime(Date.now() + STALLED_MS);
      const clip = await createColdClip();
      clip.release();
      await expectVideo(await clip.load(0, SLICE), 0, SLICE);
      await clip.filled();
      await clip.removeFile();
      await expectVideo(await clip.load(0, SLICE), 0, SLICE);
      for (const { release } of stalled) release();
      await Promise.all(stalled.map(({ filled }) => filled()));
    });

    it('of many viewers at once is held in memory at most eight times, and each viewer gets its own', {
      tags: ['long'],
    }, async () => {
      const clips = await Promise.all(Array.from({ length: 9 }, createColdClip));
      const responses = await Promise.all(clips.map((clip) => clip.load(0, SLICE)));
      for (const clip of clips) clip.release();
      for (const response of responses) await expectVideo(response, 0, SLICE);
      await Promise.all(clips.map((clip) => clip.filled()));
      await Promise.all(clips.map((clip) => clip.removeFile()));
      const again = await Promise.all(clips.map((clip) => clip.load(0, 100).catch(() => null)));
      expect(again.filter((response) => response !== null)).toHaveLength(8);
    });
  });
});

describe('a clip that is taken down', () => {
  const MINUTE = 60_000;
  const FILES = ['video.mp4', 'thumbnail.jpg', 'storyboard.jpg'];

  const admin = (method: string, path: string, body?: object) => sendJson(ADMIN_TOKEN, method, `/admin${path}`, body);
  const takeDown = (id: string, reason = 'It shows an address.') => admin('DELETE', `/clips/${id}`, { reason });
  const statuses = (paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => {
        const response = await send(path);
        await response.arrayBuffer();
        return response.status;
      }),
    );
  const shownAt = (id: string) => [
    ...['', '/embed', ...FILES.map((file) => `/${file}`)].map((path) => `/clips/${id}${path}`),
    `/oembed?url=${encodeURIComponent(`${BASE_URL}/clips/${id}`)}`,
  ];
  const passUpkeep = async (ms: number) => {
    vi.setSystemTime(Date.now() + ms);
    return runUpkeep(createService(bindings), Date.now());
  };

  let maker: Awaited<ReturnType<typeof createClipMaker>>;
  beforeEach(async () => {
    freezeClock();
    maker = await createClipMaker();
  });
  const accountOf = async (clipId: string) => {
    const story = await admin('GET', `/jobs/${await jobIdOf(clipId)}`);
    return (await story.json<{ account_id: string }>()).account_id;
  };
  const readClip = async (id: string) =>
    (await sendJson(maker.key, 'GET', `/api/clips/${id}?include=removal`)).json<Record<string, unknown>>();

  describe('a clip that the operator takes down', () => {
    it('answers 410 at once, also where page and slices of its files were cached, and its files are deleted', {
      tags: ['long'],
    }, async () => {
      const id = await maker.make({ storyboard: THUMBNAIL });
      const before = await statuses(shownAt(id));
      expect(new Set(before)).toEqual(new Set([200]));
      expect((await takeDown(id)).status).toBe(204);
      expect(await statuses(shownAt(id))).toEqual(before.map(() => 410));
      const page = await (await send(`/clips/${id}`)).text();
      expect(page).toContain('This clip was removed');
      expect(page).not.toContain('address');
      const asked = await send(`/clips/${id}`, { headers: { Accept: 'application/json' } });
      expect(await asked.json()).toMatchObject({ status: 410, type: expect.stringContaining('#gone') });
      await fireAlarm(await jobIdOf(id));
      expect((await storedKeys()).filter((key) => key.includes(id))).toEqual([`records/${id}.json`]);
    });

    it('tells its owner why, in an include alone, and stays as it is', { tags: ['long'] }, async () => {
      const id = await maker.make();
      const usual = Object.keys((await (await sendJson(maker.key, 'GET', `/api/clips/${id}`)).json()) as object);
      expect((await readClip(id)).removal).toBeNull();
      await takeDown(id, '  It shows\n an\u202e address. ');
      const removal = { at: new Date().toISOString(), reason: 'It shows an address.' };
      expect(await readClip(id)).toMatchObject({ state: 'deleted', is_saved: false, removal });
      vi.setSystemTime(Date.now() + 1000);
      expect((await takeDown(id, 'another')).status).toBe(204);
      for (const change of ['save', 'unsave']) {
        expect((await sendJson(maker.key, 'POST', `/api/clips/${id}/${change}`)).status).toBe(204);
      }
      expect((await maker.remove(id)).status).toBe(204);
      await evict(await jobIdOf(id));
      expect(await readClip(id)).toMatchObject({ state: 'deleted', is_saved: false, removal });
      const plain = (await (await sendJson(maker.key, 'GET', `/api/clips/${id}`)).json()) as object;
      expect(Object.keys(plain)).toEqual(usual);
      const list = await sendJson(maker.key, 'GET', '/api/clips?include=removal');
      expect(await list.json()).toMatchObject({ clips: [{ id, state: 'deleted', removal }] });
      expect(await (await admin('GET', `/jobs/${await jobIdOf(id)}`)).json()).toMatchObject({ clip: { removal } });
    });

    it('may be of a suspended account, needs a reason of a bounded length, and a role; the audit log names it', async () => {
      const id = await maker.make();
      await admin('PATCH', `/accounts/${await accountOf(id)}`, { suspended: true });
      for (const reason of ['', ' \u200b ', 'x'.repeat(501)]) expect((await takeDown(id, reason)).status).toBe(400);
      expect((await admin('DELETE', `/clips/${id}`)).status).toBe(415);
      const operator = await admin('POST', '/operators', { name: 'Ada', role: 'operate' });
      const { token } = await operator.json<{ token: string }>();
      const body = { reason: 'It shows an address.' };
      expect((await sendJson(maker.key, 'DELETE', `/admin/clips/${id}`, body)).status).toBe(401);
      expect((await sendJson(token, 'DELETE', `/admin/clips/${id}`, body)).status).toBe(204);
      expect(await statuses([`/clips/${id}`])).toEqual([410]);
      expect((await takeDown(crypto.randomUUID())).status).toBe(404);
      const { entries } = await (await admin('GET', '/audit?limit=200')).json<{ entries: object[] }>();
      const target = { id, account_id: await accountOf(id) };
      const noted = { action: 'removeClip', operator: 'Ada', target, changes: JSON.stringify(body), status: 204 };
      expect(entries).toContainEqual(expect.objectContaining(noted));
    });
  });

  describe('the clips of a suspended account', () => {
    it('are hidden if the operator says so, new ones at once, and come back when it is resumed', {
      tags: ['long'],
    }, async () => {
      const [first, second] = [await maker.make(), await maker.make()];
      const account = await accountOf(first);
      const change = async (body: object) => (await admin('PATCH', `/accounts/${account}`, body)).json();
      expect(await change({ suspended: true })).toMatchObject({ clips_hidden: false });
      await passUpkeep(2 * MINUTE);
      expect(await statuses([`/clips/${first}`])).toEqual([200]);
      expect(await change({ suspended: true, hide_clips: true })).toMatchObject({ clips_hidden: true });
      // The sweep begins a minute later, and isolates cache records for seconds.
      const afterSweep = async () => {
        const report = await passUpkeep(2 * MINUTE);
        for (const id of [first, second]) await reloadRecord(createService(bindings), id, () => {});
        return report.shown;
      };
      expect(await afterSweep()).toBe(2);
      expect(await statuses([...shownAt(first), ...shownAt(second)])).toEqual(Array(12).fill(410));
      expect((await storedKeys()).filter((key) => key.includes(first)).length).toBeGreaterThan(2);
      expect(await change({ suspended: true })).toMatchObject({ clips_hidden: true });
      expect(await afterSweep()).toBe(0);
      expect(await change({ suspended: false })).toMatchObject({ clips_hidden: false, suspended_at: null });
      expect(await afterSweep()).toBe(2);
      expect(await statuses([`/clips/${first}`, `/clips/${second}/video.mp4`])).toEqual([200, 200]);
      expect(await readClip(first)).toMatchObject({ state: 'ready', removal: null });
    });

    it('are not hidden without a suspension', async () => {
      const account = await accountOf(await maker.make());
      for (const body of [{ hide_clips: true }, { suspended: false, hide_clips: true }]) {
        expect((await admin('PATCH', `/accounts/${account}`, body)).status).toBe(400);
      }
    });
  });
});
