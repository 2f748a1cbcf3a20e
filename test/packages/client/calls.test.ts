import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTickreel, TickreelError } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import { farEnd, json, never, problem } from './far-end.ts';

const ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';
const REQUEST = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '1' };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-05-04T12:00:00Z') });
  // The longest of each wait, so that waits differ.
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function clientOf(fetch: typeof globalThis.fetch, options = {}) {
  return createTickreel({ baseUrl: 'https://tickreel.test/', apiKey: 'tr_met_1', fetch, ...options });
}

/** Fires all timers. Resolves with the promise's outcome and the milliseconds that passed. */
async function settled<T>(promise: Promise<T>): Promise<{ value?: T; error?: TickreelError; took: number }> {
  const begun = Date.now();
  const outcome = promise.then(
    (value) => ({ value, took: Date.now() - begun }),
    (error) => ({ error, took: Date.now() - begun }),
  );
  await vi.runAllTimersAsync();
  return outcome;
}

describe('a call', () => {
  it('shows its key, names its operation by its address, and reads the answer', async () => {
    const { fetch, sent } = farEnd(json({ id: ID }), new Response(null, { status: 204 }));
    expect(await clientOf(fetch).jobs.get(ID, { include: ['queue', 'diagnosis'] })).toEqual({ id: ID });
    expect(await clientOf(fetch).clips.save(ID)).toBeUndefined();
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET https://tickreel.test/api/jobs/${ID}?include=queue%2Cdiagnosis`,
      `POST https://tickreel.test/api/clips/${ID}/save`,
    ]);
    expect(sent[0]?.headers.get('Authorization')).toBe('Bearer tr_met_1');
  });

  it('of the operator shows the operator’s token', async () => {
    const { fetch, sent } = farEnd(json({ account_id: ID }, 201));
    const operator = createTickreelOperator({ baseUrl: 'https://tickreel.test', adminToken: 'secret', fetch });
    await operator.call('createAccount', { body: { name: 'Example' } });
    expect(sent[0]).toMatchObject({ method: 'POST', body: { name: 'Example' } });
    expect(sent[0]?.headers.get('Authorization')).toBe('Bearer secret');
  });

  it('is not made by a client without a key or an address', () => {
    expect(() => createTickreel({ baseUrl: 'https://tickreel.test', apiKey: '' })).toThrow('TICKREEL_API_KEY');
    expect(() => createTickreel({ apiKey: 'k', baseUrl: '' })).toThrow('TICKREEL_URL');
  });

  it('that is refused rejects with kind, status, request and each rule', async () => {
    const type = 'https://clips.example/docs/problems#invalid_request';
    const body = { type, title: 'The request is not valid', status: 400 };
    const errors = [
      { path: 'fps', message: 'must be at least 5' },
      { path: '', message: 'must be an object' },
    ];
    const { fetch } = farEnd(json({ ...body, detail: 'fps', request_id: 'r-9', errors }, 400));
    const { error } = await settled(clientOf(fetch).clips.submit(REQUEST));
    expect(error).toBeInstanceOf(TickreelError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, requestId: 'r-9', problem: { errors } });
    expect(error?.message).toBe('The request is not valid:\n  fps must be at least 5\n  the body must be an object');
    expect(error?.docsUrl).toBe(type);
  });

  it('that a proxy refuses rejects too', async () => {
    const { fetch } = farEnd(new Response('<h1>No</h1>', { status: 403 }));
    const { error } = await settled(clientOf(fetch).jobs.get(ID));
    expect(error).toMatchObject({ code: 'http_403', status: 403, requestId: null, problem: null, docsUrl: null });
  });
});

describe('a call that fails', () => {
  it('is retried after longer and longer waits, and then rejects', async () => {
    const broken = () => Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') });
    const { fetch, sent } = farEnd(broken(), problem('unavailable', 503), broken(), broken(), broken());
    const { error, took } = await settled(clientOf(fetch).jobs.get(ID));
    expect(sent).toHaveLength(5);
    expect(took).toBe(500 + 1000 + 2000 + 4000);
    expect(error).toMatchObject({ code: 'not_reached', status: null });
    expect(error?.message).toContain('ECONNREFUSED');
  });

  it('waits as long as the service asks, in seconds or until a time', async () => {
    const until = new Date(Date.now() + 30_000).toUTCString();
    const { fetch } = farEnd(
      problem('unavailable', 503, { 'Retry-After': '7' }),
      problem('rate_limited', 429, { 'Retry-After': until }),
      json({ id: ID }),
    );
    expect(await settled(clientOf(fetch).jobs.get(ID))).toMatchObject({ value: { id: ID }, took: 30_000 });
  });

  it('is not retried if the service asks for too long a wait', async () => {
    const { fetch } = farEnd(problem('rate_limited', 429, { 'Retry-After': '3600' }));
    expect(await settled(clientOf(fetch).jobs.get(ID))).toMatchObject({ error: { retryAfterMs: 3_600_000 }, took: 0 });
  });

  it.each(['resubmit', 'resendWebhook'] as const)('is not retried if it is not idempotent: %s', async (operation) => {
    const { fetch, sent } = farEnd(problem('unavailable', 503));
    expect(await settled<unknown>(clientOf(fetch).jobs[operation](ID))).toMatchObject({
      error: { code: 'unavailable' },
    });
    expect(sent).toHaveLength(1);
  });

  it('is retried if the first did nothing', async () => {
    const { fetch } = farEnd(problem('rate_limited', 429, { 'Retry-After': '1' }), json({ job_id: ID }));
    expect((await settled(clientOf(fetch).jobs.resubmit(ID))).value).toEqual({ job_id: ID });
  });

  it.each([
    ['what is wrong', 400],
    ['what is not there', 404],
    ['what is not written', 501],
  ])('is not retried for %s', async (_, status) => {
    const { fetch, sent } = farEnd(problem('a_kind', status));
    await settled(clientOf(fetch).jobs.get(ID));
    expect(sent).toHaveLength(1);
  });

  it('times out, each attempt by itself', async () => {
    const { fetch } = farEnd(never, never);
    const { error, took } = await settled(clientOf(fetch, { timeoutMs: 3000, maxRetries: 1 }).jobs.get(ID));
    expect(error).toMatchObject({ code: 'timed_out' });
    expect(took).toBe(3000 + 500 + 3000);
  });

  it('has ten minutes for an asset, which may be 20 MiB of music', async () => {
    const { fetch } = farEnd(never);
    const { took } = await settled(clientOf(fetch).assets.upload(new Blob(['x']), { kind: 'music' }));
    expect(took).toBe(600_000);
  });

  it('ends with its signal, in an attempt and between two', async () => {
    const controller = new AbortController();
    const { fetch, sent } = farEnd(problem('unavailable', 503), never);
    const call = settled(clientOf(fetch).jobs.get(ID, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect((await call).error).toMatchObject({ message: 'enough' });
    expect(sent.length).toBeLessThan(2);
    const late = AbortSignal.abort(new Error('before it began'));
    expect((await settled(clientOf(fetch).jobs.get(ID, { signal: late }))).error?.message).toBe('before it began');
  });
});

describe('a submit', () => {
  it('has the same key in each attempt, and is new even if its first answer was lost', async () => {
    const { fetch, sent } = farEnd(new TypeError('terminated'), json({ job_id: ID }, 200));
    // As on a page over plain http.
    vi.spyOn(crypto, 'randomUUID').mockImplementation(() => {
      throw new TypeError('crypto.randomUUID is not a function');
    });
    const { value } = await settled(clientOf(fetch).clips.submit(REQUEST));
    vi.restoreAllMocks();
    expect(value).toEqual({ job_id: ID, replayed: false, body_differs: false });
    const [first, second] = sent.map(({ body }) => Object(body).idempotency_key);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  it('with a key of its own says whether that was new', async () => {
    const { fetch, sent } = farEnd(json({ job_id: ID }, 200, { 'Idempotency-Body-Differs': 'true' }));
    const { value } = await settled(clientOf(fetch).clips.submit({ ...REQUEST, idempotency_key: 'match-1' }));
    expect(value).toEqual({ job_id: ID, replayed: true, body_differs: true });
    expect(sent[0]?.body).toMatchObject({ idempotency_key: 'match-1' });
  });
});

describe('a batch', () => {
  it('has a key for each job, the same in each attempt', async () => {
    const outcome = { status: 200, job_id: ID, replayed: true, body_differs: false, problem: null };
    const results = [0, 1].map((index) => ({ index, ...outcome }));
    const { fetch, sent } = farEnd(problem('unavailable', 503), json({ results }));
    const requests = [{ round: 1 }, { round: 2, idempotency_key: 'match-1-2' }];
    const { value } = await settled(clientOf(fetch).clips.submitBatch(requests, REQUEST));
    // The key of the first was made by this call, so the job was made by its first attempt.
    expect(value).toEqual({ results: [{ ...results[0], replayed: false }, results[1]] });
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    const key = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(sent[0]?.body).toEqual({
      ...{ defaults: REQUEST, clips: [{ round: 1, idempotency_key: key }, requests[1]] },
    });
  });
});

describe('a clip', () => {
  it('is embedded by an iframe, in any size at 16:9, whatever its title', () => {
    const { clips } = clientOf(farEnd().fetch);
    const src = `https://tickreel.test/clips/${ID}/embed`;
    const html = clips.embedHtml(ID, { width: 640, title: '"><script>\u202e' });
    expect(html).toContain(`<iframe src="${src}" width="640" height="360" title="&#34;&#62;&#60;script&#62;" `);
    expect(clips.embedHtml('a"b')).toContain('/clips/a%22b/embed" width="960" height="540" title="Clip" ');
    expect(clips.embedHtml(ID, { height: 300 })).toContain('width="960" height="300"');
  });

  it('is saved as a file, at once or not at all', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tickreel-download-'));
    const path = join(folder, 'clip.mp4');
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    const stop = new AbortController();
    const pull = (controller: ReadableStreamDefaultController) => {
      stop.abort(new Error('enough'));
      controller.error(stop.signal.reason);
    };
    const aborted = new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    const { fetch, sent } = farEnd(new Response('first'), new Response(broken), problem('gone', 410), aborted);
    const { clips } = clientOf(fetch);
    vi.useRealTimers();
    await clips.downloadTo(ID, path);
    await expect(clips.downloadTo(ID, path)).rejects.toThrow('clip.mp4 is not saved: terminated');
    await expect(clips.downloadTo(ID, path)).rejects.toMatchObject({ code: 'gone' });
    await expect(clips.downloadTo(ID, path, { signal: stop.signal })).rejects.toThrow(/^enough$/);
    expect(readdirSync(folder)).toEqual(['clip.mp4']);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(sent[0]?.headers.has('Authorization')).toBe(false);
    rmSync(folder, { recursive: true });
  });
});

describe('an upload', () => {
  const upload = (parts: object[]) => ({ id: ID, state: parts.length > 0 ? 'open' : 'complete', demo_url: 'u', parts });
  const urlOf = (part: number) => `https://tickreel.test/api/uploads/${ID}/part?part=${part}`;
  const part = (number: number) => ({
    part: number,
    offset: (number - 1) * 4,
    bytes: number === 1 ? 4 : 2,
    url: urlOf(number),
  });

  it('sends what is missing, and a part again that did not arrive', async () => {
    const stored = () => new Response(null, { status: 204 });
    const { fetch, sent } = farEnd(
      json(upload([part(1), part(2)]), 201),
      ...[stored(), new Response('', { status: 503 }), stored()],
      json(upload([])),
    );
    const about = { name: 'a.dem', sha256: 'a'.repeat(64), tag: 'league', facts: { match_id: '17' } };
    const file = { ...about, content: new Blob(['abcdef']) };
    const reported: number[] = [];
    const { value } = await settled(clientOf(fetch).uploads.send(file, { onProgress: (n) => reported.push(n) }));
    expect(value?.state).toBe('complete');
    expect(reported).toEqual([0, 4, 6]);
    expect(sent[0]?.body).toEqual({ ...about, bytes: 6 });
    expect(sent.slice(1, 4).map(({ url, headers }) => [url.href, headers.get('Authorization')])).toEqual(
      [1, 2, 2].map((number) => [urlOf(number), 'Bearer tr_met_1']),
    );
    expect(await Promise.all(sent.slice(1, 4).map(({ body }) => (body as Blob).text()))).toEqual(['abcd', 'ef', 'ef']);
  });
});

describe('a demo', () => {
  it('is named by its address', async () => {
    const { fetch, sent } = farEnd(json({ id: ID, state: 'pending' }), json({ id: ID, state: 'ready' }));
    const { value } = await settled(clientOf(fetch).demos.inspect('https://d.example/match.dem'));
    expect(value?.state).toBe('ready');
    expect(sent[0]?.body).toEqual({ demo_url: 'https://d.example/match.dem' });
    expect(sent[1]?.url.pathname).toBe(`/api/demos/${ID}`);
  });
});

describe('a list', () => {
  const pages = () => [
    json({ jobs: [{ id: 'a' }, { id: 'b' }], next_cursor: 'c1' }),
    json({ jobs: [{ id: 'c' }], next_cursor: null }),
  ];

  it('is read to its end, page by page', async () => {
    const { fetch, sent } = farEnd(...pages());
    const ids: string[] = [];
    for await (const { id } of clientOf(fetch).jobs.list({ status: 'done', limit: 2 })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(sent.map(({ url }) => url.search)).toEqual(['?status=done&limit=2', '?status=done&limit=2&cursor=c1']);
  });

  it('begins at the cursor that is given', async () => {
    const { fetch, sent } = farEnd(...pages());
    await clientOf(fetch).jobs.list({ cursor: 'c0' }).page();
    expect(sent[0]?.url.search).toBe('?cursor=c0');
  });

  it('reads no page that nobody asks for', async () => {
    const { fetch, sent } = farEnd(...pages());
    for await (const _ of clientOf(fetch).jobs.list()) break;
    expect(sent).toHaveLength(1);
  });

  it('returns one page as it is', async () => {
    const { fetch } = farEnd(json({ clips: [], next_cursor: null }));
    expect(await clientOf(fetch).clips.list({ saved: 'true' }).page()).toEqual({ clips: [], next_cursor: null });
  });
});
