import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTickreel, type JobProgress } from '#client/index.ts';
import { events, farEnd, json, never, type Reply } from './far-end.ts';

const ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';
const REQUEST = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '1' };
const notice = (status: string, progress: number | null = null) => ({ status, progress, attempt: 1, error_code: null });
const sse = (...notices: readonly object[]) => notices.map((one) => `data: ${JSON.stringify(one)}\n\n`);
const job = (status: string, more = {}) => json({ id: ID, status, clip_id: null, error_code: null, ...more });
const done = { ...notice('done'), progress: 1 };
const asked = (status: string) => ({
  status,
  progress: status === 'done' ? 1 : null,
  attempt: null,
  error_code: null,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function clientOf(fetch: typeof globalThis.fetch) {
  return createTickreel({ baseUrl: 'https://tickreel.test', apiKey: 'a-key', fetch });
}

async function watched(...replies: readonly Reply[]): Promise<JobProgress[]> {
  const seen: JobProgress[] = [];
  const followed = (async () => {
    for await (const progress of clientOf(farEnd(...replies).fetch).jobs.watch(ID)) seen.push(progress);
  })();
  await Promise.all([followed, vi.runAllTimersAsync()]);
  return seen;
}

describe('a job that is followed', () => {
  it('has the reason for its wait and each change of it, if that is included', async () => {
    const queue = { position: 2, estimate_s: 9, reason: 'hosts_busy', text: 'All are busy.', hosts: 2, until: null };
    const waits = [queue, queue, { ...queue, position: 1 }].map((one) => ({ ...notice('pending'), queue: one }));
    const { fetch, sent } = farEnd(events(sse(...waits, { ...notice('done'), queue: null })));
    const seen: JobProgress[] = [];
    for await (const one of clientOf(fetch).jobs.watch(ID, { include: ['queue'] })) seen.push(one);
    expect(seen).toEqual([waits[0], waits[2], { ...done, queue: null }]);
    expect(sent[0]?.url.search).toBe('?include=queue');
  });

  it('is polled if a stream is silent', async () => {
    expect(await watched(events(sse(notice('render', 0.2)), 'stays'), job('done'))).toEqual([
      notice('render', 0.2),
      asked('done'),
    ]);
  });

  it('ends with the signal', async () => {
    const controller = new AbortController();
    const { fetch } = farEnd(never);
    const first = clientOf(fetch).jobs.watch(ID, { signal: controller.signal }).next();
    controller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
  });
});

describe('a render', () => {
  const submitted = () => json({ job_id: ID }, 201);

  it('has the addresses of its clip', () => {
    expect(clientOf(farEnd().fetch).clips.urls('c-1')).toEqual({
      page: 'https://tickreel.test/clips/c-1',
      embed: 'https://tickreel.test/clips/c-1/embed',
      video: 'https://tickreel.test/clips/c-1/video.mp4',
      thumbnail: 'https://tickreel.test/clips/c-1/thumbnail.jpg',
    });
  });

  it('is of a highlight of a demo, with more fields', async () => {
    const { fetch, sent } = farEnd(submitted(), events(sse(notice('done'))), job('done', { clip_id: 'c-1' }), json({}));
    await clientOf(fetch).clips.fromHighlight({ request: { ...REQUEST, round: 7 } }, { fps: 60 });
    expect(sent[0]?.body).toMatchObject({ ...REQUEST, round: 7, fps: 60 });
  });

  it('that is aborted leaves its job, unless the caller wants it canceled', async () => {
    const controller = new AbortController();
    const { fetch, sent } = farEnd(submitted(), events(sse(notice('render', 0.1)), 'stays'));
    const onProgress = () => controller.abort(new Error('enough'));
    const rendered = clientOf(fetch).clips.render(REQUEST, { signal: controller.signal, onProgress });
    await Promise.all([expect(rendered).rejects.toThrow('enough'), vi.runAllTimersAsync()]);
    expect(sent).toHaveLength(2);
  });

  it('that is aborted during its submit is canceled once the job is known, and not submitted after an abort', async () => {
    const controller = new AbortController();
    const { fetch, sent } = farEnd(
      () => {
        controller.abort(new Error('enough'));
        return submitted();
      },
      json({ job_id: ID }),
    );
    const render = () => clientOf(fetch).clips.render(REQUEST, { signal: controller.signal, cancelOnAbort: true });
    await expect(render()).rejects.toThrow('enough');
    await expect(render()).rejects.toThrow('enough');
    expect(sent.map(({ url }) => url.pathname)).toEqual(['/api/clips', `/api/jobs/${ID}/cancel`]);
  });
});
