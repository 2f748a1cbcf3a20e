import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { type DownloadOptions, downloadDemo } from '#render-host/download/download-demo.ts';
import { redactUrl } from '#render-host/download/open-demo.ts';
import { type Handler, serve } from './serve.ts';

const BODY = Buffer.alloc(300_000, 'tickreel ');
const MODIFIED = 'Sat, 21 Nov 2026 10:00:00 GMT';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-'));
});
afterAll(() => rm(folder, { recursive: true }));

function download(url: string, overrides: Partial<DownloadOptions> = {}) {
  return downloadDemo({
    url,
    outPath: join(folder, 'demo'),
    accepts: () => true,
    allowPrivateAddresses: true,
    signal: new AbortController().signal,
    ...overrides,
  });
}

/** A byte for byte comparison of 300 kB buffers by `toEqual` takes half a second. */
async function expectWritten(body: Buffer) {
  expect((await readFile(join(folder, 'demo'))).equals(body)).toBe(true);
}

/** Sends `bytes` of what the request asks for, then breaks the connection. */
function breaking(
  bytes: number,
  headers: Record<string, string>,
): { handler: Handler; ranges: (string | undefined)[] } {
  const ranges: (string | undefined)[] = [];
  const handler: Handler = (request, response) => {
    ranges.push(request.headers.range);
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = BODY.subarray(start);
    if (start > 0) headers['content-range'] = `bytes ${start}-${BODY.length - 1}/${BODY.length}`;
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': rest.length, ...headers });
    response.write(rest.subarray(0, bytes), () => {
      if (rest.length > bytes) response.destroy();
      else response.end();
    });
  };
  return { handler, ranges };
}

describe('a download', () => {
  test('writes the body to the file and reports its progress', async () => {
    const origin = await serve((_request, response) =>
      response.setHeader('Content-Type', 'Text/HTML; charset=utf-8').end(BODY),
    );
    const seen: [number, number | null][] = [];
    const result = await download(origin, { onProgress: (bytes, total) => seen.push([bytes, total]) });
    expect(result).toEqual({ ok: true, bytes: BODY.length, received: 'text/html', codings: [] });
    await expectWritten(BODY);
    expect(seen.at(-1)).toEqual([BODY.length, BODY.length]);
  });

  test('does without a Content-Length', async () => {
    const origin = await serve((_request, response) => {
      response.write(BODY.subarray(0, 1000));
      response.end(BODY.subarray(1000));
    });
    const totals = new Set<number | null>();
    expect(await download(origin, { onProgress: (_bytes, total) => totals.add(total) })).toMatchObject({ ok: true });
    expect([...totals]).toEqual([null]);
    await expectWritten(BODY);
  });

  test.each([
    [203, {}],
    [206, { 'content-range': `bytes 0-${BODY.length - 1}/${BODY.length}` }],
  ])('takes the whole file that comes with status %i, without a range asked for', async (status, headers) => {
    const origin = await serve((_request, response) => response.writeHead(status, headers).end(BODY));
    expect(await download(origin)).toMatchObject({ ok: true, bytes: BODY.length });
    await expectWritten(BODY);
  });

  test('returns the content codings that the server used', async () => {
    const origin = await serve((_request, response) => response.setHeader('Content-Encoding', 'GZIP, br').end(BODY));
    expect(await download(origin)).toMatchObject({ ok: true, codings: ['gzip', 'br'] });
  });

  test('follows redirects, relative ones too', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/a/start') response.writeHead(302, { location: 'next?x=1' }).end();
      else if (request.url === '/a/next?x=1') response.writeHead(308, { location: '/end' }).end();
      else response.end(request.url);
    });
    expect(await download(`${origin}/a/start`)).toMatchObject({ ok: true });
    await expectWritten(Buffer.from('/end'));
  });
});

describe('a download fails with', () => {
  test.each([
    [404, 'demo_404', /404/],
    [410, 'demo_404', /410/],
    [401, 'download_error', /401.*access refused/],
    [403, 'download_error', /403.*access refused/],
    [429, 'download_error', /429/],
    [500, 'download_error', /500/],
    [503, 'download_error', /503/],
    [206, 'download_error', /206/],
    [304, 'download_error', /304/],
  ])('status %i: %s', async (status, code, detail) => {
    const origin = await serve((_request, response) => response.writeHead(status).end());
    const facts = { http_status: status };
    expect(await download(origin)).toEqual({ ok: false, code, detail: expect.stringMatching(detail), facts });
  });

  test.each(['bytes 0-9/20', 'bytes 1-9/10', 'bytes 0-9/*'])(
    'download_error for a part that was not asked for: %s',
    async (range) => {
      const origin = await serve((_request, response) => response.writeHead(206, { 'content-range': range }).end(BODY));
      expect(await download(origin)).toMatchObject({ ok: false, code: 'download_error' });
    },
  );

  test('download_error when nobody listens', async () => {
    expect(await download('http://127.0.0.1:9')).toMatchObject({ ok: false, code: 'download_error' });
  });

  test('demo_url_rejected for a URL, or a scheme, that is not accepted: nothing is asked of the server', async () => {
    const origin = await serve(() => expect.unreachable());
    const rejected = { ok: false, code: 'demo_url_rejected' };
    expect(await download(origin, { accepts: () => false })).toMatchObject(rejected);
    expect(await download('file:///etc/passwd')).toMatchObject(rejected);
    expect(await download('no url')).toMatchObject(rejected);
  });

  test('demo_url_rejected for a redirect off the accepted domains', async () => {
    const elsewhere = await serve(() => expect.unreachable());
    const origin = await serve((_request, response) =>
      response.writeHead(302, { location: `${elsewhere}/x.dem?signature=secret` }).end(),
    );
    const result = await download(origin, { accepts: (url) => url.startsWith(origin) });
    expect(result).toMatchObject({ ok: false, code: 'demo_url_rejected' });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  test('demo_url_rejected for a name that leads to a private address', async () => {
    const result = await download('http://localhost:9/x.dem', { allowPrivateAddresses: false });
    expect(result).toMatchObject({ ok: false, code: 'demo_url_rejected' });
  });

  test('download_error for a redirect loop and for a redirect without a target', async () => {
    let hops = 0;
    const loop = await serve((_request, response) => {
      hops += 1;
      response.writeHead(302, { location: '/' }).end();
    });
    expect(await download(loop)).toMatchObject({ ok: false, code: 'download_error' });
    expect(hops).toBe(6);
    const nowhere = await serve((_request, response) => response.writeHead(302).end());
    expect(await download(nowhere)).toMatchObject({ ok: false, code: 'download_error' });
  });

  test('download_timeout when the server never answers, stops within the body, or drips', async () => {
    const limits = { stallWindowMs: 60, stallMinBytes: 1000 };
    const timeout = { ok: false, code: 'download_timeout' };
    const silent = await serve(() => {});
    const stalled = await serve((_request, response) => response.write(BODY));
    const dripping = await serve((_request, response) => {
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    const results = await Promise.all(
      [silent, stalled, dripping].map((url, at) => download(url, { limits, outPath: join(folder, `slow-${at}`) })),
    );
    expect(results).toEqual([timeout, timeout, timeout].map((result) => expect.objectContaining(result)));
  });

  test('download_timeout at the deadline, however steady the bytes come', async () => {
    const steady = await serve((_request, response) => {
      const flow = setInterval(() => response.write(BODY.subarray(0, 1000)), 2);
      response.on('close', () => clearInterval(flow));
    });
    const result = await download(steady, { limits: { deadlineMs: 80 } });
    expect(result).toMatchObject({ ok: false, code: 'download_timeout', detail: expect.stringContaining('80 ms') });
  });

  test('demo_failed_parse for a file over the limit, promised or not', async () => {
    const promised = await serve((_request, response) => response.end(BODY));
    const unpromised = await serve((_request, response) => {
      response.write(BODY);
      response.end(BODY);
    });
    const limits = { maxBytes: BODY.length - 1 };
    expect(await download(promised, { limits })).toMatchObject({ ok: false, code: 'demo_failed_parse' });
    expect(await download(unpromised, { limits })).toMatchObject({ ok: false, code: 'demo_failed_parse' });
  });

  test('cs2_unavailable, which is retried, when the file cannot be written', async () => {
    const origin = await serve((_request, response) => response.end(BODY));
    const result = await download(origin, { outPath: join(folder, 'no', 'such', 'folder') });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable' });
  });

  test('details that show no query, in which links carry their signature', async () => {
    const origin = await serve((_request, response) => response.writeHead(403).end());
    const result = await download(`${origin}/match.dem?signature=secret`);
    expect(result).toMatchObject({ detail: expect.stringContaining(`${origin}/match.dem answered 403`) });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('a broken connection', () => {
  test.each([
    ['an ETag', { etag: '"v1"' }, '"v1"'],
    ['a date', { 'last-modified': MODIFIED }, MODIFIED],
    ['a date beside a weak ETag', { etag: 'W/"v1"', 'last-modified': MODIFIED }, MODIFIED],
  ])('is resumed where the server offers ranges and %s', async (_name, headers, validator) => {
    const { handler, ranges } = breaking(100_000, { 'accept-ranges': 'bytes', ...headers });
    const conditions: (string | undefined)[] = [];
    const origin = await serve((request, response) => {
      conditions.push(request.headers['if-range'] as string | undefined);
      handler(request, response);
    });
    // How much of a broken response arrives is up to the network: more than two resumptions may be needed.
    const result = await download(origin, { limits: { maxResumptions: 100 } });
    expect(result).toEqual({ ok: true, bytes: BODY.length, received: null, codings: [] });
    await expectWritten(BODY);
    expect(ranges.at(-1)).toMatch(/^bytes=[1-9]\d*-$/);
    expect(new Set(conditions)).toEqual(new Set([undefined, validator]));
  });

  test('starts over when the file has changed meanwhile', async () => {
    const fresh = Buffer.alloc(50_000, 'new');
    const { handler } = breaking(100_000, { 'accept-ranges': 'bytes', etag: '"v1"' });
    let requests = 0;
    const origin = await serve((request, response) => {
      requests += 1;
      if (requests === 1) handler(request, response);
      else response.end(fresh);
    });
    expect(await download(origin)).toEqual({ ok: true, bytes: fresh.length, received: null, codings: [] });
    await expectWritten(fresh);
  });

  const GONE = () => ({});
  /** The file that replaced the first one on a server that ignores `If-Range`. */
  const fresh = Buffer.alloc(BODY.length, 'replaced ');
  const range = (start: number, end = BODY.length - 1, total: number | string = BODY.length) =>
    `bytes ${start}-${end}/${total}`;
  test.each<[string, Record<string, string>, (start: number) => Record<string, string>]>([
    ['another ETag', { etag: '"v1"' }, (start) => ({ etag: '"v2"', 'content-range': range(start) })],
    ['no ETag', { etag: '"v1"' }, (start) => ({ 'content-range': range(start) })],
    [
      'another date',
      { 'last-modified': MODIFIED },
      (start) => ({ 'last-modified': 'Sun, 22 Nov 2026 10:00:00 GMT', 'content-range': range(start) }),
    ],
    [
      'another weak ETag beside the date',
      { 'last-modified': MODIFIED, etag: 'W/"1"' },
      (start) => ({ 'last-modified': MODIFIED, etag: 'W/"2"', 'content-range': range(start) }),
    ],
    [
      'another length',
      { etag: '"v1"' },
      (start) => ({ etag: '"v1"', 'content-range': range(start, BODY.length, BODY.length + 1) }),
    ],
    [
      'an unknown length',
      { etag: '"v1"' },
      (start) => ({ etag: '"v1"', 'content-range': range(start, BODY.length - 1, '*') }),
    ],
    [
      'an end before the end',
      { etag: '"v1"' },
      (start) => ({ etag: '"v1"', 'content-range': range(start, BODY.length - 2) }),
    ],
    ['another start', { etag: '"v1"' }, () => ({ etag: '"v1"', 'content-range': range(7) })],
    ['no range', { etag: '"v1"' }, () => ({ etag: '"v1"' })],
    ['status 416, for the file is shorter now', { etag: '"v1"' }, GONE],
  ])('starts again if the rest comes with %s', async (_name, first, rest) => {
    const { handler } = breaking(100_000, { 'accept-ranges': 'bytes', ...first });
    const asked: (string | undefined)[] = [];
    const origin = await serve((request, response) => {
      asked.push(request.headers.range);
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      if (asked.length === 1) handler(request, response);
      else if (start > 0 && rest === GONE) response.writeHead(416).end();
      else if (start > 0) response.writeHead(206, rest(start)).end(fresh.subarray(start));
      else response.end(fresh);
    });
    expect(await download(origin)).toEqual({ ok: true, bytes: fresh.length, received: null, codings: [] });
    await expectWritten(fresh);
    expect(asked).toEqual([undefined, expect.stringMatching(/^bytes=/), undefined]);
  });

  test.each([
    ['no ranges', { etag: '"v1"' }],
    ['nothing to tell versions apart by', { 'accept-ranges': 'bytes' }],
    ['only a weak ETag', { 'accept-ranges': 'bytes', etag: 'W/"v1"' }],
  ])('is download_error where the server offers %s', async (_name, headers) => {
    const { handler, ranges } = breaking(100_000, headers);
    expect(await download(await serve(handler))).toMatchObject({ ok: false, code: 'download_error' });
    expect(ranges).toHaveLength(1);
  });

  test('is resumed a bounded number of times', async () => {
    const { handler, ranges } = breaking(1000, { 'accept-ranges': 'bytes', etag: '"v1"' });
    const result = await download(await serve(handler), { limits: { maxResumptions: 3 } });
    expect(result).toMatchObject({ ok: false, code: 'download_error', detail: expect.stringContaining('of 300000') });
    expect(ranges).toHaveLength(4);
  });
});

describe('a demo that the gateway has', () => {
  const sourceAt = (origin: string) => createGatewayClient(origin, 'a token').demoSource({ jobId: 'j', fence: 1 });

  test('is requested again if the gateway closes without a byte, is away for a moment, or breaks off', {
    tags: ['long'],
  }, async () => {
    const { handler } = breaking(200_000, { 'accept-ranges': 'bytes', etag: '"v1"' });
    let requests = 0;
    const origin = await serve((request, response) => {
      requests += 1;
      if (requests === 1) request.socket.destroy();
      else if (requests === 2 || requests === 4) response.writeHead(503).end();
      else handler(request, response);
    });
    expect(await download('', sourceAt(origin))).toMatchObject({ ok: true, bytes: BODY.length });
    await expectWritten(BODY);
    expect(requests).toBeGreaterThan(4);
  });

  test('is asked for once where the lease is gone, and for no longer than anything else is', async () => {
    let requests = 0;
    const origin = await serve((_request, response) => {
      requests += 1;
      response.writeHead(409).end();
    });
    const source = sourceAt(origin);
    expect(await download('', source)).toMatchObject({ ok: false, code: 'download_error' });
    expect(requests).toBe(1);
    expect(await source.again?.({ statusCode: 503, headers: {} }, 6, new AbortController().signal)).toBe(false);
  });
});

describe('a demo to which the gateway redirects', () => {
  const sourceAt = (origin: string) => createGatewayClient(origin, 'a token').demoSource({ jobId: 'j', fence: 1 });
  const redirectTo = (place: string) => serve((_, response) => response.writeHead(302, { location: place }).end());

  test('is fetched without the token, from an address that is accepted', async () => {
    const keys: (string | undefined)[] = [];
    const place = await serve(({ headers }, response) => {
      keys.push(headers.authorization);
      response.end(BODY);
    });
    const source = sourceAt(await redirectTo(`${place}/a.dem?signature=1`));
    expect(await download('', source)).toMatchObject({ ok: true, bytes: BODY.length });
    expect(keys).toEqual([undefined]);
    const refused = { ok: false, code: 'demo_url_rejected', detail: expect.stringContaining('the redirect to') };
    expect(await download('', { ...source, accepts: () => false })).toMatchObject(refused);
    const named = sourceAt(await redirectTo(place.replace('127.0.0.1', 'localhost')));
    expect(await download('', { ...named, allowPrivateAddresses: false })).toMatchObject({ code: 'demo_url_rejected' });
    expect(keys).toHaveLength(1);
  });

  test('is asked for once more if its address refuses, as one that has expired', async () => {
    let asked = 0;
    const place = await serve((_, response) => response.writeHead(403).end());
    const origin = await serve((_, response) => {
      asked++;
      response.writeHead(302, { location: place }).end();
    });
    expect(await download('', sourceAt(origin))).toMatchObject({ code: 'download_error', facts: { http_status: 403 } });
    expect(asked).toBe(2);
  });
});

test('a demo that the gateway refuses fails with the code and facts of the refusal', async () => {
  const facts = { refused_by: 'FACEIT' };
  const answers = [
    [422, { error_code: 'demo_404', detail: 'FACEIT answered 404', facts }],
    [422, 'no problem'],
    [503, { detail: 'FACEIT answered 429', facts }],
  ] as const;
  const found = [{ code: 'demo_404', facts }, { code: 'download_error' }, { code: 'download_error', facts }];
  for (const [i, [status, problem]] of answers.entries()) {
    const origin = await serve((_, response) => response.writeHead(status).end(JSON.stringify(problem)));
    const { again: _, ...source } = createGatewayClient(origin, 'a token').demoSource({ jobId: 'j', fence: 1 });
    expect(await download('', source)).toMatchObject(found[i] ?? {});
  }
});

test('an abort ends the download with its reason', async () => {
  const controller = new AbortController();
  const origin = await serve((_request, response) => {
    response.write(BODY);
    controller.abort(new Error('the lease is lost'));
  });
  await expect(download(origin, { signal: controller.signal })).rejects.toThrow('the lease is lost');
});

test.each([
  ['https://demos.example.com/a/b.dem.gz?X-Amz-Signature=secret&t=1', 'https://demos.example.com/a/b.dem.gz'],
  ['https://user:secret@demos.example.com:8443/b.dem#secret', 'https://demos.example.com:8443/b.dem'],
  ['http://[::1]:9/b.dem', 'http://[::1]:9/b.dem'],
  ['secret?not a URL', 'an unreadable URL'],
])('%s is logged as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
