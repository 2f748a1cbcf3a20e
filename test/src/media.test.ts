import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { disposition } from '#src/viewing/clip-file.ts';
import { createApp } from '#src/worker.ts';
import { createClipMaker, jobIdOf } from '../support/accounts.ts';
import { BASE_URL, bindings, send } from '../support/service.ts';
import { standInMp4, THUMBNAIL, VIDEO } from '../support/test-host.ts';

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

  const RANGES: readonly (readonly [range: string, start: number, end: number])[] = [
    ['bytes=500-999', 500, 1000],
    ['bytes=-500', SIZE - 500, SIZE],
  ];
  for (const [range, start, end] of RANGES) {
    it(`answers ${range} with 206 and exactly these bytes`, async () => {
      const response = await get({ Range: range });
      expect(response.status).toBe(206);
      expect(response.headers.get('Content-Range')).toBe(`bytes ${start}-${end - 1}/${SIZE}`);
      expect(response.headers.get('Content-Length')).toBe(String(end - start));
      expect(response.headers.get('ETag')).toBe(etag);
      expectBytes(await bytes(response), VIDEO.slice(start, end));
    });
  }

  it('answers 416 with the size for a range outside of the file, and ignores an invalid range', async () => {
    const outside = await get({ Range: `bytes=${SIZE}-` });
    expect([outside.status, outside.headers.get('Content-Range')]).toEqual([416, `bytes */${SIZE}`]);
    await outside.body?.cancel();
    const none = await get({ Range: 'bytes=9-5' });
    expect([none.status, (await bytes(none)).byteLength]).toEqual([200, SIZE]);
  });

  it('evaluates conditions in their order', async () => {
    const before = new Date(Date.parse(modified) - 1000).toUTCString();
    const cases: [Record<string, string>, number][] = [
      [{ 'If-None-Match': etag }, 304],
      [{ 'If-Modified-Since': modified }, 304],
      [{ 'If-Modified-Since': before }, 200],
      [{ 'If-Match': '"other"' }, 412],
      [{ 'If-Unmodified-Since': before }, 412],
      [{ 'If-None-Match': etag, Range: 'bytes=0-9' }, 304],
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

  it('comes from the cache after the first load, whole and in parts', async () => {
    const id = await maker.make();
    const video = `/clips/${id}/video.mp4`;
    expectBytes(await viewedBy(video), VIDEO);
    for (const { key } of (await bindings.CLIPS.list({ prefix: `clips/${id}/` })).objects) {
      await bindings.CLIPS.delete(key);
    }
    expectBytes(await viewedBy(video), VIDEO);
    expectBytes(await viewedBy(video, 'bytes=100-199'), VIDEO.slice(100, 200));
    // The thumbnail is not cached, so it is lost with its storage.
    expect((await send(`/clips/${id}/thumbnail.jpg`)).status).toBe(404);
  });
});

describe('a thumbnail', () => {
  it('is served like the video', async () => {
    const response = await send(path.replace('video.mp4', 'thumbnail.jpg'), { headers: { Range: 'bytes=0-99' } });
    expect(response.status).toBe(206);
    expect(response.headers.get('Content-Type')).toBe('image/jpeg');
    expect(response.headers.get('Content-Disposition')).toContain('2 kills by Ferris on cs_italy.jpg');
    expectBytes(await bytes(response), THUMBNAIL.slice(0, 100));
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
