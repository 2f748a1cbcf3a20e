import { createExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { runUpkeep } from '#src/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { createClipMaker } from '../support/clips.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { fireAlarm } from '../support/scenario.ts';
import { BASE_URL, bindings, send, submit } from '../support/service.ts';
import { standInJpeg } from '../support/stand-ins.ts';
import { THUMBNAIL } from '../support/test-host.ts';

let maker: Awaited<ReturnType<typeof createClipMaker>>;
let clipId: string;
let page: string;

beforeAll(async () => {
  maker = await createClipMaker();
  clipId = await maker.make();
  page = `${BASE_URL}/clips/${clipId}`;
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

  it('answers 404 for a URL without a clip', async () => {
    const deleted = await maker.make();
    await maker.remove(deleted);
    for (const url of [
      `${BASE_URL}/clips/${deleted}`,
      `${BASE_URL}/clips/${crypto.randomUUID()}`,
      `${BASE_URL}/clips/${clipId}/video.mp4`,
      `${BASE_URL}/`,
      `https://other.example/clips/${clipId}`,
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
  it('is in the pages of its clip, is served, and is deleted with the clip', async () => {
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

  it('is not shown for a re-run by a host that makes no storyboards', async () => {
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

  it('is refused if it differs from its announcement', async () => {
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
    return Promise.all([read(`/clips/${clipId}`), read(`/clips/${clipId}/embed`)]);
  };

  it('is on the page and the embed, and contains the clip', async () => {
    const page = encodeURIComponent(`${BASE_URL}/clips/${clipId}`);
    for (const text of await pages({ ABUSE_URL: 'mailto:abuse@example.com' })) {
      expect(text).toContain(`href="mailto:abuse@example.com?subject=${page}"`);
    }
    for (const text of await pages({ ABUSE_URL: 'https://example.com/report?from=clips' })) {
      expect(text).toContain(`href="https://example.com/report?from=clips&#38;clip=${page}"`);
    }
  });

  it('is absent unless it is configured, and cannot be a script', async () => {
    for (const text of await pages({})) expect(text).not.toContain('class="report"');
    expect(() => createService({ ...bindings, ABUSE_URL: 'javascript:alert(1)' } as unknown as Bindings)).toThrow(
      'ABUSE_URL',
    );
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

  it('shows a browser why the file of a deleted or unfinished clip is missing', async () => {
    const deleted = await maker.make();
    await maker.remove(deleted);
    const jobId = await submit(maker.key);
    await maker.host.claimJob(jobId);
    await fireAlarm(jobId);
    const rendering = await clipIdOf(jobId);
    for (const file of ['video.mp4', 'thumbnail.jpg']) {
      const gone = await send(`/clips/${deleted}/${file}`, { headers: { Accept: BROWSER } });
      expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('This clip was deleted')]);
      const soon = await send(`/clips/${rendering}/${file}`, { headers: { Accept: BROWSER } });
      expect([soon.status, await soon.text()]).toEqual([404, expect.stringContaining('still rendering')]);
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
    expect([response.status, await response.json()]).toMatchObject([410, { type: '/docs/problems#gone' }]);
  });
});
