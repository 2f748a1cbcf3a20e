import { createExecutionContext, runDurableObjectAlarm } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { readRecord, writeRecord } from '#storage/clip/public-record.ts';
import { clipIdOf, createClipMaker, jobIdOf } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { parsePage } from '../support/parsed-page.ts';
import { BASE_URL, bindings, send, submit } from '../support/service.ts';
import { standInJpeg, standInMp4, THUMBNAIL } from '../support/test-host.ts';

let maker: Awaited<ReturnType<typeof createClipMaker>>;
let clipId: string;

beforeAll(async () => {
  maker = await createClipMaker();
  const facts = { kills: 3, players: ['Ferris'], map: 'de_nuke', round: 5 };
  clipId = await maker.make({ facts, fps: 60, resolution: 1440 });
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

  it('calls a video secure only at an https address', async () => {
    const app = createApp(createService({ ...bindings, BASE_URL: 'http://127.0.0.1:8787' } as Bindings));
    const { meta } = await parsePage(
      await app(new Request(`http://127.0.0.1:8787/clips/${clipId}`), createExecutionContext()),
    );
    expect(meta.get('og:video')).toBe(`http://127.0.0.1:8787/clips/${clipId}/video.mp4`);
    expect(meta.has('og:video:secure_url')).toBe(false);
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
    for (const fact of ['Ferris', 'Nuke', '7.5 seconds', 'From above (drawn)', '1440p, 60 fps'])
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

  it('labels a name that looks like a title', async () => {
    const facts = { kills: 1, players: ['2 kills by B on de_mirage, round 9', 'C'], map: 'de_dust2', round: null };
    const { h1, meta } = await parsePage(await send(`/clips/${await maker.make({ facts })}`));
    expect(h1).toBe('1 kill by 2 kills by B on de_mirage, round 9 and C');
    expect(meta.get('og:description')).toContain('2 kills by B on de_mirage, round 9 and C on Dust II · ');
    expect(meta.get('og:title')).toBe('1 kill by 2 kills by B on de_mirage, round 9 and C on Dust II');
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
    const of = (tag: string) => [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(([, text]) => text);
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

  it('shows the old clip during a re-run, and then the new one', { tags: ['long'] }, async () => {
    const facts = { kills: 1, players: ['A'], map: 'de_nuke', round: null };
    const id = await maker.make({ facts });
    await maker.remake(id, { facts: { ...facts, kills: 2 }, video: standInMp4(5000) });
    await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(await jobIdOf(id)));
    expect((await parsePage(await send(`/clips/${id}`))).h1).toBe('2 kills by A');
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

let plain: string;
let page: string;

beforeAll(async () => {
  plain = await maker.make();
  page = `${BASE_URL}/clips/${plain}`;
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

  it('answers with a problem for a deleted clip if the client prefers JSON', async () => {
    const id = await maker.make();
    await maker.remove(id);
    const response = await send(`/clips/${id}`, { headers: { Accept: 'application/json' } });
    expect([response.status, await response.json()]).toMatchObject([
      410,
      { type: 'https://tickreel.test/docs/problems#gone' },
    ]);
  });
});
