import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTickreel, type TickreelError } from '#client/index.ts';
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
});

describe('a call that fails', () => {
  it('waits until the time that the service names', async () => {
    const until = new Date(Date.now() + 30_000).toUTCString();
    const { fetch } = farEnd(problem('rate_limited', 429, { 'Retry-After': until }), json({ id: ID }));
    expect(await settled(clientOf(fetch).jobs.get(ID))).toMatchObject({ value: { id: ID }, took: 30_000 });
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

it('a submit has the same key in each attempt, also on a page over plain http', async () => {
  const { fetch, sent } = farEnd(new TypeError('terminated'), json({ job_id: ID }, 200));
  vi.spyOn(crypto, 'randomUUID').mockImplementation(() => {
    throw new TypeError('crypto.randomUUID is not a function');
  });
  await settled(clientOf(fetch).clips.submit(REQUEST));
  vi.restoreAllMocks();
  const [first, second] = sent.map(({ body }) => Object(body).idempotency_key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
});

describe('a clip', () => {
  it('is embedded by an iframe, in any size at 16:9, whatever its title', () => {
    const { clips } = clientOf(farEnd().fetch);
    const src = `https://tickreel.test/clips/${ID}/embed`;
    const html = clips.embedHtml(ID, { width: 640, title: '"><script>\u202e' });
    expect(html).toContain(`<iframe src="${src}" width="640" height="360" title="&#34;&#62;&#60;script&#62;" `);
    expect(clips.embedHtml('a"b')).toContain('/clips/a%22b/embed" width="960" height="540" title="Clip" ');
    expect(clips.embedHtml(ID, { aspect: '4:5', width: 400 })).toContain('width="400" height="500"');
    expect(clips.embedHtml(ID, { height: 300 })).toContain('width="960" height="300"');
  });

  it('is not saved once its signal is aborted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tickreel-download-'));
    const stop = new AbortController();
    const pull = (controller: ReadableStreamDefaultController) => {
      stop.abort(new Error('enough'));
      controller.error(stop.signal.reason);
    };
    const { fetch } = farEnd(new Response(new ReadableStream({ pull }, { highWaterMark: 0 })));
    vi.useRealTimers();
    const saved = clientOf(fetch).clips.downloadTo(ID, join(folder, 'clip.mp4'), { signal: stop.signal });
    await expect(saved).rejects.toThrow(/^enough$/);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

it('a list begins at the cursor that is given, and has a page as it is', async () => {
  const page = { jobs: [{ id: 'a' }], next_cursor: 'c1' };
  const { fetch, sent } = farEnd(json(page));
  expect(await clientOf(fetch).jobs.list({ cursor: 'c0' }).page()).toEqual(page);
  expect(sent[0]?.url.search).toBe('?cursor=c0');
});
