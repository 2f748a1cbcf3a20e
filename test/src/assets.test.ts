import { beforeAll, describe, expect, it } from 'vitest';
import { ASSET_USES } from '#domain/clip/render-order.ts';
import { ASSET_FIELDS, type Asset, AssetList } from '#protocol/account/assets.ts';
import { requireValid } from '#service/job/submit-one.ts';
import { createService } from '#service/lib/service.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { openDatabase } from '#storage/lib/database.ts';
import { createAccount, createHost, type TestAccount } from '../support/accounts.ts';
import { PICTURES, pngOfSize, withByte } from '../support/pictures.ts';
import { bindings, roundRequest, send, sendJson, submit } from '../support/service.ts';
import { SOUNDS } from '../support/sounds.ts';
import type { TestHost } from '../support/test-host.ts';

const KIB = 1024;
const LIMIT = 5 * KIB * KIB;
const UNKNOWN = '6b1f7a52-9c5c-4d0e-8a43-0d5a3f1b2c3d';

let account: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
});

function upload(
  body: BodyInit,
  { type = 'image/png', query = 'kind=watermark', key = account.metered } = {},
): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
  if (type !== '') headers['Content-Type'] = type;
  if (body instanceof Uint8Array) headers['Content-Length'] = String(body.length);
  return send(`/api/assets?${query}`, { method: 'POST', headers, body });
}

async function uploaded(kind: Asset['kind'] = 'watermark', key = account.metered): Promise<Asset> {
  const query = `kind=${kind}`;
  const response =
    kind === 'music'
      ? await upload(SOUNDS.opus, { query, key, type: 'audio/ogg' })
      : await upload(PICTURES.png, { query, key });
  expect(response.status).toBe(201);
  return response.json<Asset>();
}

async function errorsOf(response: Response): Promise<{ path: string; message: string }[]> {
  expect(response.status).toBe(400);
  return (await response.json<{ errors: { path: string; message: string }[] }>()).errors;
}

/** Returns a PNG of this many bytes: a meaningless chunk follows its pixels. */
function pngOfBytes(length: number): Uint8Array<ArrayBuffer> {
  const { png } = PICTURES;
  const bytes = new Uint8Array(length);
  const end = png.length - 12;
  bytes.set(png.subarray(0, end));
  new DataView(bytes.buffer).setUint32(end, length - png.length - 12);
  bytes.set(new TextEncoder().encode('teXt'), end + 4);
  bytes.set(png.subarray(end), length - 12);
  return bytes;
}

/** Returns the bytes as a stream of unknown length. */
function streamed(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + 64 * KIB));
      at += 64 * KIB;
    },
  });
}

describe('uploading an asset', () => {
  it.each([
    ['image/png', PICTURES.png],
    ['image/jpeg', PICTURES.jpeg],
    ['image/webp', PICTURES.losslessWebp],
  ])('takes %s and says what it is', async (type, bytes) => {
    const response = await upload(bytes, { type, query: 'kind=watermark&name=Our%20logo' });
    expect(response.status).toBe(201);
    const asset = await response.json<Asset>();
    expect(asset).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'watermark',
      name: 'Our logo',
      content_type: type,
      width: 4,
      height: 3,
      seconds: null,
      bytes: bytes.length,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(response.headers.get('Location')).toBe(`/api/assets/${asset.id}`);
    const read = await sendJson(account.reserved, 'GET', `/api/assets/${asset.id}`);
    expect(await read.json()).toEqual(asset);
  });

  it('needs no name, and takes parameters behind the content type', async () => {
    const response = await upload(PICTURES.png, { type: 'Image/PNG; name=logo' });
    expect(await response.json()).toMatchObject({ name: null, content_type: 'image/png' });
  });

  it.each(['image/gif', 'image/svg+xml', 'application/json', 'multipart/form-data; boundary=x'])(
    'answers 415 for %s',
    async (type) => {
      expect((await upload(PICTURES.png, { type })).status).toBe(415);
    },
  );

  it('takes 5 MiB, or 1 MiB without a length, and no byte more', { tags: ['long'] }, async () => {
    expect((await upload(pngOfBytes(LIMIT))).status).toBe(201);
    expect((await upload(pngOfBytes(LIMIT + 1))).status).toBe(413);
    expect((await upload(streamed(pngOfBytes(KIB * KIB)))).status).toBe(201);
    expect((await upload(streamed(pngOfBytes(KIB * KIB + 1)))).status).toBe(411);
  });

  it.each<[string, Uint8Array<ArrayBuffer>, string, RegExp]>([
    ['text', Uint8Array.from(new TextEncoder().encode('<svg/>')), 'image/png', /PNG, JPEG or WebP/],
    ['another format than announced', PICTURES.jpeg, 'image/png', /image\/png .* image\/jpeg/],
    ['an image cut off at its end', PICTURES.jpeg.slice(0, -2), 'image/jpeg', /cut off/],
    ['an animation', PICTURES.animatedWebp, 'image/webp', /still image/],
    ['no pixels at all', pngOfSize(0, 3), 'image/png', /1 to 4096 pixels.*0×3/],
    ['too wide an image', pngOfSize(4097, 1), 'image/png', /1 to 4096 pixels.*4097×1/],
    ['too high an image', pngOfSize(1, 4097), 'image/png', /1 to 4096 pixels.*1×4097/],
  ])('answers 400 for %s and names the rule', async (_name, bytes, type, rule) => {
    expect(await errorsOf(await upload(bytes, { type }))).toEqual([{ path: '', message: expect.stringMatching(rule) }]);
  });

  it('takes an image of just the largest size', async () => {
    expect((await upload(pngOfSize(4096, 4096))).status).toBe(201);
  });

  it.each([
    ['', 'kind'],
    ['kind=card', 'kind'],
    ['kind=watermark&name=', 'name'],
    ['kind=watermark&name=a%0Ab', 'name'],
    [`kind=watermark&name=${'x'.repeat(101)}`, 'name'],
    ['kind=watermark&colour=red', 'colour'],
  ])('answers 400 for ?%s and names the parameter', async (query, path) => {
    expect(await errorsOf(await upload(PICTURES.png, { query }))).toMatchObject([{ path }]);
  });
});

describe('an account’s assets', () => {
  it('are listed newest first, page by page and by kind, and only its own', async () => {
    const mine = await createAccount();
    const made: string[] = [];
    for (const kind of ASSET_USES) made.push((await uploaded(kind, mine.metered)).id);
    const list = async (query: string) => {
      const response = await sendJson(mine.reserved, 'GET', `/api/assets${query}`);
      return AssetList.parse(await response.json());
    };
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    expect(second.next_cursor).toBeNull();
    const seen = [...first.assets, ...second.assets];
    expect(seen.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
    const times = seen.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await list('?kind=outro')).assets.map(({ id }) => id)).toEqual([made[2]]);
    expect(await errorsOf(await sendJson(mine.metered, 'GET', '/api/assets?kind=card'))).toMatchObject([
      { path: 'kind' },
    ]);
  });

  it('disappear at once when deleted', async () => {
    const { id } = await uploaded();
    expect((await sendJson(account.metered, 'DELETE', `/api/assets/${id.toUpperCase()}`)).status).toBe(204);
    expect((await sendJson(account.metered, 'GET', `/api/assets/${id}`)).status).toBe(404);
    expect((await sendJson(account.metered, 'DELETE', `/api/assets/${id}`)).status).toBe(404);
    const list = await sendJson(account.metered, 'GET', '/api/assets?limit=200');
    expect((await list.json<{ assets: Asset[] }>()).assets.map((asset) => asset.id)).not.toContain(id);
  });
});

describe('music', () => {
  const sent = (bytes: Uint8Array<ArrayBuffer>, type: string) => upload(bytes, { type, query: 'kind=music&name=song' });

  it.each([
    ['audio/wav', SOUNDS.wav, 0.5],
    ['audio/mpeg', SOUNDS.mp3, 0.648],
    ['audio/flac', SOUNDS.flac, 0.5],
    ['audio/ogg', SOUNDS.vorbis, 0.5],
  ])('is taken as %s, with its length', async (content_type, bytes, seconds) => {
    const response = await sent(bytes, content_type);
    expect(response.status).toBe(201);
    const asset = await response.json<Asset>();
    expect(asset).toMatchObject({ kind: 'music', content_type, width: null, height: null, seconds });
    expect(await (await sendJson(account.metered, 'GET', `/api/assets/${asset.id}`)).json()).toEqual(asset);
  });

  it.each([
    ['audio/x-wav', SOUNDS.wav, 'audio/wav'],
    ['audio/mp3', SOUNDS.mp3, 'audio/mpeg'],
    ['audio/x-flac', SOUNDS.flac, 'audio/flac'],
    ['application/ogg', SOUNDS.opus, 'audio/ogg'],
  ])('may be announced as %s', async (type, bytes, content_type) => {
    expect(await (await sent(bytes, type)).json()).toMatchObject({ content_type });
  });

  it('has at most 20 MiB and 10 minutes', { tags: ['long'] }, async () => {
    const wavOf = (length: number, bytesASecond: number) => {
      const bytes = new Uint8Array(length);
      bytes.set(SOUNDS.wav.subarray(0, 44));
      const view = new DataView(bytes.buffer);
      // Its rate, and the samples up to the end, after 44 bytes.
      view.setUint32(24, bytesASecond, true);
      bytes.set(
        [...'data'].map((char) => char.charCodeAt(0)),
        36,
      );
      view.setUint32(40, length - 44, true);
      return bytes;
    };
    const whole = 4 * LIMIT;
    expect((await sent(wavOf(whole, 48_000), 'audio/wav')).status).toBe(201);
    expect((await sent(wavOf(whole + 1, 48_000), 'audio/wav')).status).toBe(413);
    expect((await sent(wavOf(44 + 600_000, 1000), 'audio/wav')).status).toBe(201);
    expect(await errorsOf(await sent(wavOf(44 + 600_010, 1000), 'audio/wav'))).toEqual([
      { path: '', message: 'must be at most 600 seconds long; it is 600.01' },
    ]);
  });

  it.each<[string, Uint8Array<ArrayBuffer>, string, RegExp]>([
    [
      'a playlist',
      Uint8Array.from(new TextEncoder().encode('#EXTM3U\nfile:///etc/passwd')),
      'audio/mpeg',
      /WAV, MP3, FLAC or OGG/,
    ],
    ['a picture', PICTURES.png, 'audio/wav', /WAV, MP3, FLAC or OGG/],
    ['another format than announced', SOUNDS.flac, 'audio/wav', /audio\/wav .* audio\/flac/],
    ['a file that is cut off', SOUNDS.wav.slice(0, -9), 'audio/wav', /cut off/],
    ['an OGG of another codec', withByte(SOUNDS.opus, 28, 0), 'audio/ogg', /Vorbis or Opus/],
  ])('is not %s', async (_name, bytes, type, rule) => {
    expect(await errorsOf(await sent(bytes, type))).toEqual([{ path: '', message: expect.stringMatching(rule) }]);
  });

  it('and pictures are announced as what their kind is', async () => {
    for (const type of ['image/png', 'audio/aac']) expect((await sent(SOUNDS.wav, type)).status).toBe(415);
    expect((await upload(SOUNDS.wav, { type: 'audio/wav', query: 'kind=intro' })).status).toBe(415);
  });
});

describe('an asset that a submit names', () => {
  const errorsFor = async (fields: Record<string, unknown>) =>
    errorsOf(await sendJson(account.metered, 'POST', '/api/clips', roundRequest(fields)));

  it('is not a deleted one, nor one of another account', async () => {
    const deleted = await uploaded();
    await sendJson(account.metered, 'DELETE', `/api/assets/${deleted.id}`);
    const foreign = await uploaded('music', other.metered);
    expect(await errorsFor({ watermark_image_id: deleted.id, music_asset_id: foreign.id })).toEqual([
      { path: 'watermark_image_id', message: 'must be the UUID of one of your assets of kind watermark' },
      { path: 'music_asset_id', message: 'must be the UUID of one of your assets of kind music' },
    ]);
  });

  it('takes one query, whatever the number of assets', async () => {
    const ids = await Promise.all(ASSET_USES.map(async (kind) => [ASSET_FIELDS[kind], (await uploaded(kind)).id]));
    const { settings, now } = createService(bindings);
    let queries = 0;
    const counting = new Proxy(bindings.DB, {
      get(d1, name) {
        if (name === 'prepare') queries++;
        const value: unknown = Reflect.get(d1, name);
        return typeof value === 'function' ? value.bind(d1) : value;
      },
    });
    const service = { database: openDatabase(counting), settings, now };
    const body = roundRequest(Object.fromEntries(ids));
    expect(await requireValid(service, { accountId: account.id } as Caller, body, null)).toMatchObject(body);
    expect(queries).toBe(1);
  });

  it('is of the kind of its field', async () => {
    const ids = await Promise.all(ASSET_USES.map(async (kind) => (await uploaded(kind)).id));
    for (const [i, use] of ASSET_USES.entries()) {
      const path = ASSET_FIELDS[use];
      const found = ASSET_USES[(i + 1) % ids.length];
      const message = `must be the UUID of one of your assets of kind ${use}; this one is of kind ${found}`;
      expect(await errorsFor({ [path]: ids[(i + 1) % ids.length] })).toEqual([{ path, message }]);
    }
  });
});

describe('an asset of a job', () => {
  const fetchFrom = (token: string, jobId: string, fence: number, use = 'watermark') =>
    send(`/gateway/v1/jobs/${jobId}/assets/${use}?fence=${fence}`, { headers: { Authorization: `Bearer ${token}` } });
  let host: TestHost;

  beforeAll(async () => {
    host = await createHost();
  });

  it('goes to the host that holds the lease, byte by byte', async () => {
    const { id } = await uploaded();
    const jobId = await submit(account.metered, { watermark_image_id: id });
    const grant = await host.claimJob(jobId);
    expect(grant.order.watermark_image_id).toBe(id);
    const response = await fetchFrom(host.token, jobId, grant.lease.fence);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('image/png');
    expect(response.headers.get('Content-Length')).toBe(String(PICTURES.png.length));
    expect(await response.bytes()).toEqual(PICTURES.png);

    // `MEDIA_BASE_URL` would serve files in the bucket of clips. One that is there already is found.
    const key = `assets/${account.id}/${id}`;
    expect(await bindings.CLIPS.head(key)).toBeNull();
    await bindings.CLIPS.put(key, PICTURES.png, { httpMetadata: { contentType: 'image/png' } });
    await bindings.ASSETS.delete(key);
    const former = await fetchFrom(host.token, jobId, grant.lease.fence);
    expect([former.status, former.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    expect(await former.bytes()).toEqual(PICTURES.png);
  });

  it('is refused to all others', async () => {
    const { id } = await uploaded();
    const jobId = await submit(account.metered, { watermark_image_id: id });
    const { lease } = await host.claimJob(jobId);
    expect((await fetchFrom((await createHost()).token, jobId, lease.fence)).status).toBe(409);
    expect((await fetchFrom(host.token, jobId, lease.fence + 1)).status).toBe(409);
    expect((await fetchFrom(host.token, UNKNOWN, 1)).status).toBe(409);
    expect((await fetchFrom(account.metered, jobId, lease.fence)).status).toBe(401);
    await errorsOf(await fetchFrom(host.token, jobId, 0));
  });

  it('is found by its use', async () => {
    const ids = await Promise.all(ASSET_USES.map(async (kind) => [ASSET_FIELDS[kind], (await uploaded(kind)).id]));
    const jobId = await submit(account.metered, Object.fromEntries(ids));
    const { lease, order } = await host.claimJob(jobId);
    expect(order).toMatchObject(Object.fromEntries(ids));
    for (const use of ['intro', 'outro']) {
      expect(await (await fetchFrom(host.token, jobId, lease.fence, use)).bytes()).toEqual(PICTURES.png);
    }
    const music = await fetchFrom(host.token, jobId, lease.fence, 'music');
    expect([music.headers.get('Content-Type'), await music.bytes()]).toEqual(['audio/ogg', SOUNDS.opus]);
  });

  it('is 404 for a use that the job does not have', async () => {
    const { id } = await uploaded('outro');
    const jobId = await submit(account.metered, { outro_asset_id: id });
    const { lease } = await host.claimJob(jobId);
    for (const use of ['watermark', 'constructor', id]) {
      expect((await fetchFrom(host.token, jobId, lease.fence, use)).status).toBe(404);
    }
  });

  it('is still there for a job that was accepted before the watermark was deleted', async () => {
    const { id } = await uploaded();
    const jobId = await submit(account.metered, { watermark_image_id: id });
    await sendJson(account.metered, 'DELETE', `/api/assets/${id}`);
    const { lease } = await host.claimJob(jobId);
    expect((await fetchFrom(host.token, jobId, lease.fence)).status).toBe(200);
    await bindings.ASSETS.delete(`assets/${account.id}/${id}`);
    expect((await fetchFrom(host.token, jobId, lease.fence)).status).toBe(404);
  });
});
