import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createRoutes } from '#src/routes.ts';
import gateway from '#src/static/openapi/gateway.json';
import operator from '#src/static/openapi/operator.json';
import document from '#src/static/openapi.json';
import { disposition } from '#src/viewing/serve-file.ts';
import { createApp } from '#src/worker.ts';
import { readRecord, writeRecord } from '#storage/clip/public-record.ts';
import { buildMatch } from '#test/packages/render-host/builders.ts';
import { clipIdOf, createClipMaker, jobIdOf } from '#test/support/accounts.ts';
import { createFaultyService } from '#test/support/faulty-service.ts';
import { parsePage } from '#test/support/parsed-page.ts';
import { useScenario } from '#test/support/scenario.ts';
import { BASE_URL, bindings, send, sendJson, submit } from '#test/support/service.ts';
import { announced, standInJpeg, standInMp4, THUMBNAIL, VIDEO } from '#test/support/test-host.ts';
import { writeTracks } from '#tracks/file.ts';

describe('a clip page', () => {
  let plain: string;
  let page: string;
  let maker: Awaited<ReturnType<typeof createClipMaker>>;
  let clipId: string;

  beforeAll(async () => {
    maker = await createClipMaker();
    const facts = { kills: 3, players: ['Ferris'], map: 'de_nuke', round: 5 };
    clipId = await maker.make({ facts, fps: 60, resolution: 1440 });
    plain = await maker.make();
    page = `${BASE_URL}/clips/${plain}`;
  });

  describe('the clip page', () => {
    it('has tags for chats and crawlers: OpenGraph, Twitter, oEmbed, canonical', async () => {
      const { title, meta, links } = await parsePage(await send(`/clips/${clipId}`));
      const page = `${BASE_URL}/clips/${clipId}`;
      const text = 'Ferris on Nuke · 7.5 seconds · 1440p, 60 fps';
      expect(title).toBe('3 kills by Ferris on Nuke, round 5 · Tickreel');
      expect(
        Object.fromEntries([...meta].filter(([name]) => /^(og|video|twitter):|^(description|theme-color)$/.test(name))),
      ).toEqual({
        description: text,
        'theme-color': '#ffb658',
        'og:site_name': 'Tickreel',
        'og:type': 'video.other',
        'og:title': '3 kills by Ferris on Nuke, round 5',
        'og:description': text,
        'og:url': page,
        'og:image': `${page}/thumbnail.jpg`,
        'og:image:type': 'image/jpeg',
        'og:image:width': '1280',
        'og:image:height': '720',
        'og:image:alt': '3 kills by Ferris on Nuke, round 5',
        'og:video': `${page}/video.mp4`,
        'og:video:secure_url': `${page}/video.mp4`,
        'og:video:type': 'video/mp4',
        'og:video:width': '2560',
        'og:video:height': '1440',
        'video:duration': '8',
        'twitter:card': 'player',
        'twitter:title': '3 kills by Ferris on Nuke, round 5',
        'twitter:description': text,
        'twitter:image': `${page}/thumbnail.jpg`,
        'twitter:image:alt': '3 kills by Ferris on Nuke, round 5',
        'twitter:player': `${page}/embed`,
        'twitter:player:width': '2560',
        'twitter:player:height': '1440',
        'twitter:player:stream': `${page}/video.mp4`,
        'twitter:player:stream:content_type': 'video/mp4',
      });
      expect(links.find(({ rel }) => rel === 'canonical')?.href).toBe(page);
      expect(links.filter(({ rel }) => rel === 'alternate').map(({ type, href }) => [type, href])).toEqual([
        ['application/json+oembed', `${BASE_URL}/oembed?url=${encodeURIComponent(page)}&format=json`],
        ['text/xml+oembed', `${BASE_URL}/oembed?url=${encodeURIComponent(page)}&format=xml`],
      ]);
    });

    it('describes the video for search engines', async () => {
      const { jsonLd } = await parsePage(await send(`/clips/${clipId}`));
      const page = `${BASE_URL}/clips/${clipId}`;
      expect(jsonLd).toEqual({
        '@context': 'https://schema.org',
        '@type': 'VideoObject',
        name: '3 kills by Ferris on Nuke, round 5',
        description: expect.stringContaining('Ferris on Nuke'),
        thumbnailUrl: `${page}/thumbnail.jpg`,
        uploadDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        duration: 'PT7.5S',
        contentUrl: `${page}/video.mp4`,
        embedUrl: `${page}/embed`,
        url: page,
        width: 2560,
        height: 1440,
      });
    });

    it('shows the headline, the facts and a video with its final size', async () => {
      const response = await send(`/clips/${clipId}`);
      const text = await response.clone().text();
      const { h1, video, links } = await parsePage(response);
      expect(h1).toBe('3 kills by Ferris');
      for (const fact of [
        'Ferris',
        'Nuke',
        '7.5 seconds',
        'Drawn from the recording, seen from above',
        '1440p, 60 fps',
      ])
        expect(text).toContain(`${fact}<`);
      expect(video).toMatchObject({
        src: expect.stringMatching(new RegExp(`^/clips/${clipId}/video\\.mp4\\?v=\\d+$`)),
        poster: expect.stringMatching(new RegExp(`^/clips/${clipId}/thumbnail\\.jpg\\?v=\\d+$`)),
        preload: 'none',
        width: '2560',
        height: '1440',
        controls: '',
        playsinline: '',
      });
      expect(links).toContainEqual(expect.objectContaining({ rel: 'preload', href: video?.poster }));
    });

    it('says of a map that was drawn from movement what it is drawn from', { tags: ['long'] }, async () => {
      const facts = { kills: 1, players: ['Ferris'], map: 'de_nuke', round: null, floor: 'movement' } as const;
      const text = await (await send(`/clips/${await maker.make({ facts })}`)).text();
      expect(text).toContain('<dd>Nuke, drawn from the players’ movement</dd>');
      expect(await (await send(`/clips/${clipId}`)).text()).not.toContain('drawn from');
    });

    it('shows only the title if the host reported no facts, even if an earlier host did', {
      tags: ['long'],
    }, async () => {
      const title = '3 kills by Ferris on Nuke, round 5';
      const facts = { kills: 1, players: ['A'], map: 'de_nuke', round: null };
      const id = await maker.make({ facts });
      await maker.remake(id, { title });
      await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(await jobIdOf(id)));
      const { h1, meta } = await parsePage(await send(`/clips/${id}`));
      expect(h1).toBe(title);
      expect(meta.get('og:description')).toBe(`${title} · 7.5 seconds · 1080p, 30 fps`);
    });

    it('starts at the time in its URL, and ignores invalid times', async () => {
      for (const [query, fragment] of [
        ['?t=12.5', '#t=12.5'],
        ['?t=1m2s', '#t=62'],
        ['?t=3s', '#t=3'],
        ['?t=-3', ''],
        ['?t="><script>', ''],
        ['?t=', ''],
      ]) {
        const { video } = await parsePage(await send(`/clips/${clipId}${query}`));
        expect(video?.src?.replace(/\?v=\d+/, '')).toBe(`/clips/${clipId}/video.mp4${fragment}`);
      }
    });

    it('allows only its own script and styles, by their hashes, and sets no cookie', async () => {
      const first = await send(`/clips/${clipId}`);
      const policy = first.headers.get('Content-Security-Policy') ?? '';
      const source = async (text: string) => {
        const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
        return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
      };
      const page = await first.clone().text();
      const of = (tag: string) =>
        [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(([, text]) => text);
      const styles = await Promise.all(of('style').map((text) => source(text ?? '')));
      const [script] = await Promise.all(of('script').map((text) => source(text ?? '')));
      expect(styles).toHaveLength(2);
      expect(policy).toBe(
        `default-src 'none'; style-src ${styles.join(' ')}; script-src ${script}; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
      );
      expect(Object.fromEntries(first.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=0, s-maxage=10, stale-while-revalidate=10',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(first.headers.get('Set-Cookie')).toBeNull();
      const text = await first.text();
      expect(text).not.toMatch(/ on\w+=| style=/);
      expect(await (await send('/', {})).headers.get('Set-Cookie')).toBeNull();
    });

    it('omits a large video from chat previews, and omits an unknown length', async () => {
      const id = crypto.randomUUID();
      const record = await readRecord(bindings.CLIPS, clipId);
      if (record?.state !== 'ready') throw new Error('the clip has no record');
      const clip = { ...record.clip, durationSeconds: 0, video: { ...record.clip.video, bytes: 100_000_001 } };
      await writeRecord(bindings.CLIPS, id, { ...record, clip });
      const { meta, jsonLd } = await parsePage(await send(`/clips/${id}`));
      expect(meta.get('twitter:card')).toBe('summary_large_image');
      expect(meta.get('og:image')).toMatch(/thumbnail\.jpg$/);
      expect([...meta.keys()].filter((name) => /video|player/.test(name))).toEqual([]);
      expect(jsonLd).not.toHaveProperty('duration');
    });
  });

  describe('the clip page with a media host', () => {
    it('links to the files there and allows them, but downloads through the service', async () => {
      const app = createApp(
        createService({ ...bindings, MEDIA_BASE_URL: 'https://media.example.com/clips-of-us' } as Bindings),
      );
      const response = await app(new Request(`${BASE_URL}/clips/${clipId}`), createExecutionContext());
      expect(response.headers.get('Content-Security-Policy')).toContain("media-src 'self' https://media.example.com;");
      const text = await response.clone().text();
      const { video, meta } = await parsePage(response);
      const file = new RegExp(`^https://media\\.example\\.com/clips-of-us/clips/${clipId}/\\d+/video\\.mp4$`);
      expect(video?.src).toMatch(file);
      expect(meta.get('og:video')).toMatch(file);
      expect(meta.get('og:image')).toMatch(/^https:\/\/media\.example\.com\/.*thumbnail\.jpg$/);
      expect(text).toContain(`href="/clips/${clipId}/video.mp4?download"`);
    });
  });

  describe('the embed', () => {
    it('can be framed by any site, and is not indexed by search engines', async () => {
      const response = await send(`/clips/${clipId}/embed`);
      expect(response.headers.get('Content-Security-Policy')).toContain('frame-ancestors *');
      expect(response.headers.get('X-Frame-Options')).toBeNull();
      const { meta, video } = await parsePage(response);
      expect(meta.get('robots')).toBe('noindex');
      // Webhooks name the embed, and bots post that address.
      const { meta: ofPage } = await parsePage(await send(`/clips/${clipId}`));
      expect([...ofPage].filter(([name, value]) => meta.get(name) !== value)).toEqual([]);
      expect(video).toMatchObject({ controls: '', poster: expect.stringMatching(/thumbnail\.jpg\?v=\d+$/) });
    });

    it('accepts parameters with or without a value, and ignores unknown ones', async () => {
      const cases: [string, Record<string, unknown>, string[]][] = [
        ['autoplay', { autoplay: '', muted: '' }, ['loop']],
        ['muted', { muted: '' }, ['autoplay']],
        ['muted=1', { muted: '' }, ['autoplay']],
        ['muted=0&loop=false', {}, ['muted', 'loop']],
        ['loop&t=2&end=4', { loop: '', src: expect.stringMatching(/#t=2$/), 'data-end': '4' }, []],
        ['start=1.5&end=4', { src: expect.stringMatching(/#t=1\.5,4$/) }, []],
        ['end=4', { src: expect.stringMatching(/#t=0,4$/) }, []],
        ['start=5&end=4', { src: expect.stringMatching(/#t=5$/) }, ['data-end']],
        ['controls=0&poster=0', { 'data-bare': '' }, ['controls', 'poster']],
        ['Autoplay=1&volume=3', { controls: '' }, ['autoplay', 'muted']],
      ];
      for (const [query, has, lacks] of cases) {
        const { video } = await parsePage(await send(`/clips/${clipId}/embed?${query}`));
        expect(video, query).toMatchObject(has);
        for (const name of lacks) expect(video, query).not.toHaveProperty(name);
      }
    });
  });

  describe('a page without a clip', () => {
    const pages = async (id: string) => [await send(`/clips/${id}`), await send(`/clips/${id}/embed`)];

    it('answers 410 with a note for a deleted clip, as a page and as an embed', async () => {
      const id = await maker.make();
      expect((await maker.remove(id)).status).toBe(204);
      for (const page of await pages(id)) {
        expect(page.status).toBe(410);
        expect(await page.clone().text()).toContain('This clip was deleted');
        const { video, meta } = await parsePage(page);
        expect(video).toBeNull();
        expect(meta.get('robots')).toBe('noindex');
      }
    });

    it('answers alike for a failed job, an unknown id and an invalid id', async () => {
      const jobId = await submit(maker.key);
      await maker.host.report(await maker.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
      await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
      for (const id of [await clipIdOf(jobId), crypto.randomUUID(), 'nothing', '%3Cscript%3E']) {
        for (const page of await pages(id)) {
          expect(page.status).toBe(404);
          expect(page.headers.get('Retry-After')).toBeNull();
          expect(await page.text()).toContain('No such clip');
        }
      }
    });
  });

  describe('the landing page', () => {
    it('describes the service and links to the docs, even without a clip', async () => {
      const response = await send('/');
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Security-Policy')).not.toContain('script-src');
      const text = await response.clone().text();
      expect(text).toContain('href="/docs"');
      expect((await parsePage(response)).video).toBeNull();
    });
  });

  const ask = (query: Record<string, string>) => send(`/oembed?${new URLSearchParams(query)}`);
  const read = async (query: Record<string, string>) => (await ask(query)).json<Record<string, string | number>>();

  describe('oEmbed', () => {
    it('describes the player of a clip page, as JSON by default', async () => {
      const response = await ask({ url: page });
      expect(response.headers.get('Content-Type')).toBe('application/json');
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(await response.json()).toEqual({
        type: 'video',
        version: '1.0',
        title: '2 kills by Ferris on cs_italy',
        description: expect.stringMatching(/ · 7\.5 seconds · 1080p, 30 fps$/),
        provider_name: 'Tickreel',
        provider_url: BASE_URL,
        cache_age: 300,
        html: expect.stringMatching(
          new RegExp(`^<iframe src="${page}/embed" width="960" height="540" title="[^"]+" [^>]*></iframe>$`),
        ),
        width: 960,
        height: 540,
        thumbnail_url: `${page}/thumbnail.jpg`,
        thumbnail_width: 1280,
        thumbnail_height: 720,
      });
    });

    it('answers the same as XML', async () => {
      const response = await ask({ url: page, format: 'xml' });
      expect(response.headers.get('Content-Type')).toBe('text/xml; charset=utf-8');
      const text = await response.text();
      expect(text).toMatch(/^<\?xml version="1\.0" encoding="utf-8" standalone="yes"\?>\n<oembed>/);
      const fields = [...text.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [
        name,
        value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
      ]);
      const json = await read({ url: page });
      expect(Object.fromEntries(fields)).toEqual(
        Object.fromEntries(Object.entries(json).map(([name, value]) => [name, String(value)])),
      );
    });

    it('scales the player to the requested size, and omits a larger thumbnail', async () => {
      expect(await read({ url: page, maxwidth: '480' })).toMatchObject({ width: 480, height: 270 });
      expect(await read({ url: page, maxwidth: '480', maxheight: '90' })).toMatchObject({ width: 160, height: 90 });
      expect(await read({ url: page, maxwidth: '5000', maxheight: '' })).toMatchObject({ width: 960, height: 540 });
      expect((await read({ url: page, maxwidth: '480' })).html).toContain('width="480" height="270"');
      expect(await read({ url: page, maxheight: '719' })).not.toHaveProperty('thumbnail_url');
      expect(await read({ url: page, maxheight: '720' })).toHaveProperty('thumbnail_url');
    });

    it('accepts the URL of an embed, and keeps the time in a URL', async () => {
      for (const address of [`${page}?t=2.5`, `${page}/embed?t=2.5`, `${page.replace('https:', 'http:')}/?t=2.5`]) {
        expect((await read({ url: address })).html).toContain(`src="${page}/embed?t=2.5"`);
      }
      const hostile = await read({ url: `${page}?t=1"><script>` });
      expect(hostile.html).not.toContain('<script>');
    });

    it('answers 404 for a URL without a clip, and 410 for a deleted one', async () => {
      const deleted = await maker.make();
      await maker.remove(deleted);
      expect((await ask({ url: `${BASE_URL}/clips/${deleted}` })).status).toBe(410);
      for (const url of [
        `${BASE_URL}/clips/${crypto.randomUUID()}`,
        `${BASE_URL}/clips/${plain}/video.mp4`,
        `${BASE_URL}/`,
        `https://other.example/clips/${plain}`,
        'no address',
      ]) {
        expect((await ask({ url })).status, url).toBe(404);
      }
    });

    it('answers 501 for another format, and 400 without a URL or with an invalid size', async () => {
      expect((await ask({ url: page, format: 'yaml' })).status).toBe(501);
      expect((await ask({})).status).toBe(400);
      expect((await ask({ url: page, maxwidth: 'wide' })).status).toBe(400);
      expect((await ask({ url: page, maxheight: '0' })).status).toBe(400);
    });
  });

  const BOARD = standInJpeg(3000, 11);
  const HOUR = 60 * 60 * 1000;
  const load = async (id: string, file: string) => {
    const response = await send(`/clips/${id}${file}`);
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  };
  const pageOf = async (id: string) => new TextDecoder().decode((await load(id, '')).body);
  const keysOf = async (id: string) =>
    (await bindings.CLIPS.list({ prefix: `clips/${id}/` })).objects.map(({ key }) => key.split('/').at(-1));

  describe('a storyboard', () => {
    it('is in the pages of its clip, is served, and is deleted with the clip', { tags: ['long'] }, async () => {
      const id = await maker.make({ storyboard: BOARD });
      expect(await load(id, '/storyboard.jpg')).toEqual({ status: 200, body: BOARD });
      for (const page of [await pageOf(id), new TextDecoder().decode((await load(id, '/embed')).body)]) {
        const named = page.match(/data-board="([^"]+)" data-columns="6" data-rows="4" data-interval="0.5"/)?.[1];
        expect(named).toMatch(`/clips/${id}/storyboard.jpg?v=`);
      }
      await maker.remove(id);
      expect((await load(id, '/storyboard.jpg')).status).toBe(410);
      await expect.poll(() => keysOf(id)).toEqual([]);
    });

    it('is not shown for a re-run by a host that makes no storyboards', { tags: ['long'] }, async () => {
      const id = await maker.make({ storyboard: BOARD });
      await maker.remake(id, {});
      await expect.poll(() => pageOf(id)).not.toContain('storyboard.jpg');
      expect((await load(id, '/storyboard.jpg')).status).toBe(404);
    });

    it('belongs to its clip for the sweep of orphaned files, without a call of an object', async () => {
      const faulty = createFaultyService();
      // Removes what earlier tests left.
      await runUpkeep(faulty.service, Date.now() + 2 * HOUR);
      const id = await maker.make({ storyboard: BOARD });
      await expect.poll(() => bindings.DB.prepare('SELECT 1 FROM clips WHERE id = ?').bind(id).first()).not.toBeNull();
      faulty.reset();
      await runUpkeep(faulty.service, Date.now() + 2 * HOUR);
      expect(await keysOf(id)).toEqual(['storyboard.jpg', 'thumbnail.jpg', 'video.mp4']);
      expect(faulty.calls.filter((call) => call === 'RENDER_JOB.ownsFile')).toEqual([]);
    });

    it('is refused if it differs from its announcement', { tags: ['long'] }, async () => {
      const grant = await maker.host.claimJob(await submit(maker.key));
      expect(grant.optional_files).toEqual(['storyboard']);
      await maker.host.heartbeat(grant);
      for (const file of ['video', 'thumbnail', 'storyboard'] as const) await maker.host.upload(grant, file, THUMBNAIL);
      const answers = await Promise.all(
        [{ bytes: 1_000_001 }, { columns: 0 }, { interval_seconds: 0 }, { sha256: 'a'.repeat(64) }].map(async (lie) => {
          const { bytes, sha256 } = { bytes: THUMBNAIL.byteLength, sha256: 'b'.repeat(64) };
          const storyboard = { bytes, sha256, columns: 6, rows: 4, interval_seconds: 0.5, ...lie };
          const file = { bytes, sha256 };
          const told = { title: 't', duration_seconds: 1, video: file, thumbnail: file, storyboard };
          return (await maker.host.report(grant, 'complete', told)).status;
        }),
      );
      expect(answers).toEqual([400, 400, 400, 409]);
      await maker.host.report(grant, 'release');
    });
  });

  describe('the link for reports', () => {
    const pages = async (variables: Record<string, string>) => {
      const app = createApp(createService({ ...bindings, ...variables } as Bindings));
      const read = (path: string) => app(new Request(BASE_URL + path), createExecutionContext()).then((r) => r.text());
      return Promise.all([read(`/clips/${plain}`), read(`/clips/${plain}/embed`)]);
    };

    it('is on the page and the embed, and contains the clip', async () => {
      const page = encodeURIComponent(`${BASE_URL}/clips/${plain}`);
      for (const text of await pages({ ABUSE_URL: 'mailto:abuse@example.com' })) {
        expect(text).toContain(`href="mailto:abuse@example.com?subject=${page}"`);
      }
      for (const text of await pages({ ABUSE_URL: 'https://example.com/report?from=clips' })) {
        expect(text).toContain(`href="https://example.com/report?from=clips&#38;clip=${page}"`);
      }
    });

    it('is absent unless its address is configured, and cannot be a script', async () => {
      for (const variables of [{}, { ABUSE_URL: 'javascript:alert(1)' }]) {
        for (const text of await pages(variables)) expect(text).not.toMatch(/class="report"|alert\(1\)/);
      }
    });
  });

  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

  describe('an unknown URL', () => {
    it.each(['x/y', 'x/embed/z', 'x/video.mp4', 'x/thumbnail.jpg', '', `${crypto.randomUUID()}/video`, '%20/%ff'])(
      'a browser at /clips/%s, where there never was anything, gets the page for it',
      async (path) => {
        const response = await send(`/clips/${path}`, { headers: { Accept: BROWSER } });
        expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
        expect(await response.text()).toContain('No such clip');
        expect((await send(`/clips/${path}`, { method: 'POST', headers: { Accept: BROWSER } })).status).not.toBe(200);
      },
    );

    it('shows a browser why the file of a deleted clip is missing', async () => {
      const deleted = await maker.make();
      await maker.remove(deleted);
      for (const file of ['video.mp4', 'thumbnail.jpg']) {
        const gone = await send(`/clips/${deleted}/${file}`, { headers: { Accept: BROWSER } });
        expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('This clip was deleted')]);
      }
    });

    it.each([
      ['x', 'application/json'],
      ['x', 'application/problem+json, text/html;q=0.5'],
      ['x/embed', 'application/json'],
      ['x/y', 'application/json'],
      ['x/y', '*/*'],
      ['x/video.mp4', 'video/mp4,*/*'],
      ['x/video.mp4', 'text/html;q=0'],
    ])('who asks for /clips/%s with Accept: %s gets a problem', async (path, accept) => {
      const response = await send(`/clips/${path}`, { headers: { Accept: accept } });
      expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/problem+json']);
    });
  });
});

describe('the files of a clip', () => {
  const SIZE = VIDEO.byteLength;
  const app = createApp(createService(bindings));
  let maker: Awaited<ReturnType<typeof createClipMaker>>;
  let path: string;
  let etag: string;
  let modified: string;

  beforeAll(async () => {
    maker = await createClipMaker();
    path = `/clips/${await maker.make()}/video.mp4`;
    etag = `"${await sha256Hex(VIDEO)}"`;
    modified = (await send(path, { method: 'HEAD' })).headers.get('Last-Modified') ?? '';
  });

  const get = (headers: Record<string, string> = {}, method = 'GET') => send(path, { method, headers });
  /** Compares bytes, much faster than `toEqual`. */
  function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
    expect(actual.byteLength).toBe(expected.byteLength);
    expect(actual.findIndex((byte, i) => byte !== expected[i])).toBe(-1);
  }
  const bytes = async (response: Response) => new Uint8Array(await response.arrayBuffer());

  describe('a video', () => {
    it('is whole without a range, with all headers', async () => {
      const response = await get();
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'accept-ranges': 'bytes',
        'access-control-allow-origin': '*',
        'cache-control': 'private, max-age=300',
        'content-disposition': `inline; filename="2 kills by Ferris on cs_italy.mp4"; filename*=UTF-8''2%20kills%20by%20Ferris%20on%20cs_italy.mp4`,
        'content-length': String(SIZE),
        'content-type': 'video/mp4',
        'cross-origin-resource-policy': 'cross-origin',
        etag,
        'x-content-type-options': 'nosniff',
      });
      expectBytes(await bytes(response), VIDEO);
    });

    it('answers a range with 206 and exactly these bytes', async () => {
      const response = await get({ Range: 'bytes=500-999' });
      expect(response.status).toBe(206);
      expect(response.headers.get('Content-Range')).toBe(`bytes 500-999/${SIZE}`);
      expect(response.headers.get('Content-Length')).toBe('500');
      expect(response.headers.get('ETag')).toBe(etag);
      expectBytes(await bytes(response), VIDEO.slice(500, 1000));
    });

    it('answers 416 with the size for a range outside of the file', async () => {
      const outside = await get({ Range: `bytes=${SIZE}-` });
      expect([outside.status, outside.headers.get('Content-Range')]).toEqual([416, `bytes */${SIZE}`]);
      await outside.body?.cancel();
    });

    it('evaluates conditions', async () => {
      const cases: [Record<string, string>, number][] = [
        [{ 'If-None-Match': etag }, 304],
        [{ 'If-Modified-Since': modified }, 304],
        [{ 'If-Match': '"other"' }, 412],
        [{ 'If-Range': modified, Range: 'bytes=0-9' }, 206],
        [{ 'If-Range': '"other"', Range: `bytes=${SIZE}-` }, 200],
      ];
      for (const [headers, status] of cases) {
        const response = await get(headers);
        expect(response.status, JSON.stringify(headers)).toBe(status);
        if (status === 304) {
          expect(response.headers.get('ETag')).toBe(etag);
          expect(response.headers.get('Cache-Control')).toBe('private, max-age=300');
        }
        await response.arrayBuffer();
      }
    });

    it('allows shared caches only if a deletion can purge them', async () => {
      const zone = { MEDIA_BASE_URL: 'https://media.example.com', PURGE_ZONE_ID: 'f'.repeat(32), PURGE_TOKEN: 'token' };
      const kept = async (settings: object) => {
        const response = await createApp(createService({ ...bindings, ...settings } as Bindings))(
          new Request(BASE_URL + path, { method: 'HEAD' }),
          createExecutionContext(),
        );
        return response.headers.get('Cache-Control');
      };
      expect(await kept(zone)).toBe('public, max-age=300');
      expect(await kept({ MEDIA_BASE_URL: zone.MEDIA_BASE_URL })).toBe('private, max-age=300');
      // A media host serves the file as it was uploaded, whatever was set then.
      const { objects } = await bindings.CLIPS.list({ prefix: `${path.slice(1, path.lastIndexOf('/'))}/` });
      for (const { key } of objects) {
        expect((await bindings.CLIPS.head(key))?.httpMetadata?.cacheControl).toBe('public, max-age=300');
      }
      expect(objects.length).toBeGreaterThanOrEqual(2);
    });

    it('answers HEAD like GET, without body and ranges', async () => {
      const response = await get({ Range: 'bytes=0-9' }, 'HEAD');
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Length')).toBe(String(SIZE));
      expect(await response.text()).toBe('');
      expect((await get({ 'If-None-Match': etag }, 'HEAD')).status).toBe(304);
    });

    it('is the new file after a re-run, also for conditional requests', { tags: ['long'] }, async () => {
      const id = await maker.make();
      const video = `/clips/${id}/video.mp4`;
      expectBytes(await bytes(await send(video)), VIDEO);
      const other = standInMp4(VIDEO.byteLength, 17);
      await maker.remake(id, { video: other });
      await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(await jobIdOf(id)));
      const response = await send(video, { headers: { 'If-None-Match': etag } });
      expect(response.status).toBe(200);
      expectBytes(await bytes(response), other);
      expectBytes(await bytes(await send(video, { headers: { 'If-Range': etag, Range: 'bytes=0-9' } })), other);
    });

    it('is gone at once when its clip is deleted, even if it was cached', async () => {
      const id = await maker.make();
      await viewedBy(`/clips/${id}/video.mp4`);
      await viewedBy(`/clips/${id}/video.mp4`);
      await maker.remove(id);
      for (const file of ['video.mp4', 'thumbnail.jpg']) {
        const response = await send(`/clips/${id}/${file}`);
        expect(response.status).toBe(410);
        expect(response.headers.get('Content-Type')).toBe('application/problem+json');
        await response.body?.cancel();
      }
    });
  });

  /**
   * Loads a file and waits until its background work is done. Not through the harness, whose calls become slower.
   */
  async function viewedBy(address: string, range?: string): Promise<Uint8Array> {
    const context = createExecutionContext();
    const request = new Request(BASE_URL + address, range === undefined ? {} : { headers: { Range: range } });
    const body = await bytes(await app(request, context));
    await waitOnExecutionContext(context);
    return body;
  }

  /** Returns the name that a client reads by RFC 8187. */
  function nameIn(header: string): string {
    return decodeURIComponent(/filename\*=UTF-8''(.*)$/.exec(header)?.[1] ?? '');
  }

  describe('the file name of a download', () => {
    it('is the title, in ASCII and in UTF-8', () => {
      expect(disposition('2 kills by Zoë', 'video', true)).toBe(
        `attachment; filename="2 kills by Zo_.mp4"; filename*=UTF-8''2%20kills%20by%20Zo%C3%AB.mp4`,
      );
      expect(disposition('Ace', 'thumbnail', false)).toBe(`inline; filename="Ace.jpg"; filename*=UTF-8''Ace.jpg`);
    });

    it.each([
      ['ends the header', 'a\r\nSet-Cookie: x=1', 'a Set-Cookie  x=1.mp4'],
      ['ends the name', 'a"; filename=evil.exe; x="', 'a ; filename=evil.exe; x=.mp4'],
      ['ends it in its other form', "a'b(c)", "a'b(c).mp4"],
      ['leads into a folder', '../../etc/passwd', '.. .. etc passwd.mp4'],
      ['leads into one of Windows', 'C:\\autorun', 'C autorun.mp4'],
      ['is escaped already', 'a%0d%0ab%22', 'a%0d%0ab%22.mp4'],
      ['turns its direction', 'a\u202e4pm', 'a 4pm.mp4'],
      ['is nothing', '\u0000\u200b', 'clip.mp4'],
      ['is cut within a character', `${'a'.repeat(119)}😀`, `${'a'.repeat(119)}\ufffd.mp4`],
    ])('holds where a title %s', (_, title, name) => {
      const header = disposition(title, 'video', true);
      expect(nameIn(header)).toBe(name);
      expect(header).toMatch(/^attachment; filename="[^"\\%\r\n\u0080-\uffff]*"; filename\*=UTF-8''[\w.!#$&+^`|~%-]+$/);
      expect(new Headers({ 'Content-Disposition': header }).get('Content-Disposition')).toBe(header);
    });
  });
});

const scene = useScenario();
const TRACKS = await writeTracks(buildMatch(), [1, 2, 3]);
let made = 0;

/** Inspects a demo with its replay. Returns the path of the replay's page. */
async function newReplay(): Promise<string> {
  const demo_url = `https://demos.example.com/paged-${++made}.dem`;
  const { id } = await (
    await sendJson(scene.account.metered, 'POST', '/api/demos', { demo_url, replay: true })
  ).json<Demo>();
  const grant = await scene.host.claimJob(id, { skills: ['inspect', 'tracks'] });
  await scene.host.begin(grant);
  await scene.host.upload(grant, 'tracks', TRACKS);
  await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO, tracks: await announced(TRACKS) });
  const { replay_url } = await (await sendJson(scene.account.metered, 'GET', `/api/demos/${id}`)).json<Demo>();
  return (replay_url ?? '').replace(BASE_URL, '');
}
const textOf = async (path: string) => (await send(path)).text();

describe('the pages of a replay', () => {
  it('name their file and their script, and may load only what is here', async () => {
    const path = await newReplay();
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'$/,
    );
    const page = await response.text();
    expect(page).toContain('<meta name="robots" content="noindex">');
    const [, tracks = ''] = /data-tracks="([^"]+)"/.exec(page) ?? [];
    expect(new Uint8Array(await (await send(tracks)).arrayBuffer())).toEqual(TRACKS);
    const [, script = ''] = /<script src="([^"]+)"/.exec(page) ?? [];
    const loaded = await send(script);
    expect([loaded.status, loaded.headers.get('Content-Type')]).toEqual([200, 'text/javascript']);
    expect((await loaded.text()).length).toBeGreaterThan(10_000);
    const font = await send('/player/text-latin.woff2');
    expect([font.headers.get('Content-Type'), (await font.arrayBuffer()).byteLength > 10_000]).toEqual([
      'font/woff2',
      true,
    ]);
    expect((await send('/player/openapi.json')).status).toBe(404);
  });

  it('may be framed as the account allows: the embed anywhere, or on its sites', { tags: ['long'] }, async () => {
    const framedBy = async (path: string) =>
      /frame-ancestors .*/.exec((await send(path)).headers.get('Content-Security-Policy') ?? '')?.[0];
    const path = await newReplay();
    expect(await framedBy(`${path}/embed`)).toBe('frame-ancestors *');
    await sendJson(scene.account.metered, 'PATCH', '/api/viewing', { embed_sites: ['example.com'] });
    const named = await newReplay();
    expect(await framedBy(`${named}/embed`)).toBe("frame-ancestors 'self' example.com");
    await sendJson(scene.account.metered, 'PATCH', '/api/viewing', { embed_sites: null });
  });

  it('are described by oEmbed with their moment', { tags: ['long'] }, async () => {
    const path = await newReplay();
    const url = `${BASE_URL}${path}?from=640&to=1280&player=2&utm=1`;
    const response = await send(`/oembed?${new URLSearchParams({ url })}`);
    expect(await response.json()).toMatchObject({
      title: 'Replay of a match',
      html: expect.stringContaining(`src="${BASE_URL}${path}/embed?from=640&#38;to=1280&#38;player=2"`),
    });
    expect(await textOf(path)).toContain(`/oembed?url=${encodeURIComponent(BASE_URL + path)}&#38;format=json`);
  });

  it('do not exist for a job without a replay', async () => {
    for (const page of ['', '/embed', '/tracks'])
      expect((await send(`/replays/${crypto.randomUUID()}${page}`)).status).toBe(404);
    expect(
      (await send(`/oembed?${new URLSearchParams({ url: `${BASE_URL}/replays/${crypto.randomUUID()}` })}`)).status,
    ).toBe(404);
  });
});

const DOCUMENTS = {
  '/openapi.json': document,
  '/openapi/gateway.json': gateway,
  '/openapi/operator.json': operator,
};

describe.each(Object.entries(DOCUMENTS))('GET %s', (path, committed) => {
  it('answers with the document of this service, for any site, with a cache lifetime', async () => {
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    const servers = [{ ...committed.servers[0], url: BASE_URL }];
    expect(await response.json()).toEqual({ ...committed, servers });
  });

  it('answers 304 to a reader who has it, and HEAD without a body', async () => {
    const head = await send(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const etag = head.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await send(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await send(path, { headers: { 'If-None-Match': '"another"' } })).status).toBe(200);
  });
});

describe('the documents together', () => {
  it('describes every route of the Worker but that of MCP, and no other', () => {
    const service = createService(bindings);
    const served = createRoutes(service).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.values(DOCUMENTS).flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    expect([...described, 'POST /mcp'].sort()).toEqual(served.sort());
  });
});

describe('GET /docs', () => {
  it('answers with a page without a script and without requests to other origins', async () => {
    const response = await send('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(page.match(/\ssrc=\S*/g)).toEqual([' src="/sample-clip.jpg"']);
    expect(page).not.toMatch(/<link (?!rel="icon" href="data:)|@import|url\(/);
  });

  it('says what a clip shows, with a still; so does the front page', async () => {
    for (const path of ['/docs', '/']) {
      expect(await (await send(path)).text(), path).toMatch(
        /from above, drawn from the demo without the game; .*GPU host/,
      );
    }
    expect(await (await send('/')).text()).toContain('src="/sample-clip.jpg"');
    const still = await send('/sample-clip.jpg');
    expect(still.headers.get('Content-Type')).toBe('image/jpeg');
    expect([...new Uint8Array(await still.arrayBuffer()).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });
});

describe('GET /docs/reference', () => {
  it('has an origin of its own, and its script is sent compressed', async () => {
    const response = await send('/docs/reference');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^sandbox allow-scripts allow-forms;/);
    const [, source] = (await response.text()).match(/<script src="([^"]+)"/) ?? [];
    const script = await send(source ?? '');
    expect([script.status, script.headers.get('Content-Encoding')]).toEqual([200, 'gzip']);
    await script.body?.cancel();
  });
});

describe('GET /docs/problems', () => {
  it('explains every kind of problem at the URL of its type', async () => {
    const page = await (await send('/docs/problems')).text();
    for (const kind of Object.keys(PROBLEMS)) expect(page).toContain(`<section id="${kind}">`);
  });
});

describe('GET /llms.txt', () => {
  it('is listed for language models, without broken links', async () => {
    const text = await (await send('/llms.txt')).text();
    expect(text).toMatch(/^# Tickreel\n\n> /);
    for (const [, path] of text.matchAll(/\]\(https:\/\/tickreel\.test(\/[^)#]*)/g)) {
      expect((await send(path ?? '')).status).toBe(200);
    }
  });
});
