import { beforeAll, describe, expect, it } from 'vitest';
import { createClipMaker } from '../support/clips.ts';
import { BASE_URL, send } from '../support/service.ts';

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
  it('describes the player of a clip page, as JSON unless told', async () => {
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

  it('says the same as XML', async () => {
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

  it('keeps within the size that is asked for, in shape, and leaves out a picture that is larger', async () => {
    expect(await read({ url: page, maxwidth: '480' })).toMatchObject({ width: 480, height: 270 });
    expect(await read({ url: page, maxwidth: '480', maxheight: '90' })).toMatchObject({ width: 160, height: 90 });
    expect(await read({ url: page, maxwidth: '5000', maxheight: '' })).toMatchObject({ width: 960, height: 540 });
    expect((await read({ url: page, maxwidth: '480' })).html).toContain('width="480" height="270"');
    expect(await read({ url: page, maxheight: '719' })).not.toHaveProperty('thumbnail_url');
    expect(await read({ url: page, maxheight: '720' })).toHaveProperty('thumbnail_url');
  });

  it('takes the address of the embed too, and keeps the time that an address names', async () => {
    for (const address of [`${page}?t=2.5`, `${page}/embed?t=2.5`, `${page.replace('https:', 'http:')}/?t=2.5`]) {
      expect((await read({ url: address })).html).toContain(`src="${page}/embed?t=2.5"`);
    }
    const hostile = await read({ url: `${page}?t=1"><script>` });
    expect(hostile.html).not.toContain('<script>');
  });

  it('answers 404 for an address that shows no clip', async () => {
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

  it('answers 501 for another format, and 400 without an address or with a size that is no number', async () => {
    expect((await ask({ url: page, format: 'yaml' })).status).toBe(501);
    expect((await ask({})).status).toBe(400);
    expect((await ask({ url: page, maxwidth: 'wide' })).status).toBe(400);
    expect((await ask({ url: page, maxheight: '0' })).status).toBe(400);
  });

  it('answers 400 for a parameter that is sent twice', async () => {
    const response = await send(`/oembed?url=${page}&maxwidth=480&url=${page}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: 'url' }] });
  });
});
