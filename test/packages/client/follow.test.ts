import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTickreel, JobFailedError, type JobProgress } from '#client/index.ts';
import { events, farEnd, json, never, problem, type Reply } from './far-end.ts';

const ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';
const REQUEST = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '1' };
const notice = (status: string, progress: number | null = null) => ({ status, progress, attempt: 1, error_code: null });
const sse = (...notices: readonly object[]) => notices.map((one) => `data: ${JSON.stringify(one)}\n\n`);
const job = (status: string, more = {}) => json({ id: ID, status, clip_id: null, error_code: null, ...more });
const done = { ...notice('done'), progress: 1 };
const asked = (status: string) => ({
  ...{ status, progress: status === 'done' ? 1 : null, attempt: null, error_code: null },
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
  it('is read from events, whatever their chunks, line ends and comments', async () => {
    const text = `:\n\nretry: 1000\nid: 7\ndata: ${JSON.stringify(notice('render', 0.5))}\r\n\r\n:\n\n${sse(notice('done')).join('')}`;
    for (const cut of [1, 3, 17, 1000]) {
      const pieces = text.match(new RegExp(`[^]{1,${cut}}`, 'g')) ?? [];
      expect(await watched(events(pieces))).toEqual([notice('render', 0.5), done]);
    }
  });

  it('has progress of three decimals that ends at 1, without repeats, and none after a failure', async () => {
    const failed = { ...notice('error'), error_code: 'demo_404' };
    const states = [
      notice('prefetch'),
      notice('render', 0.123456),
      notice('render', 0.12349),
      notice('render', 0.9999),
    ];
    // Each connection begins with the present state.
    const again = [notice('render', 0.9999), notice('done')];
    expect(await watched(events(sse(...states), 'breaks'), job('render'), events(sse(...again)))).toEqual([
      ...[notice('prefetch'), notice('render', 0.123), notice('render', 1), done],
    ]);
    const stopped = [notice('render', 0.5), { ...failed, progress: null }];
    expect(await watched(events(sse(...stopped, failed)))).toEqual(stopped);
  });

  it('has the reason for its wait and each change of it, if that is included', async () => {
    const queue = { position: 2, estimate_s: 9, reason: 'hosts_busy', text: 'All are busy.', hosts: 2, until: null };
    const waits = [queue, queue, { ...queue, position: 1 }].map((one) => ({ ...notice('pending'), queue: one }));
    const { fetch, sent } = farEnd(events(sse(...waits, { ...notice('done'), queue: null })));
    const seen: JobProgress[] = [];
    for await (const one of clientOf(fetch).jobs.watch(ID, { include: ['queue'] })) seen.push(one);
    expect(seen).toEqual([waits[0], waits[2], { ...done, queue: null }]);
    expect(sent[0]?.url.search).toBe('?include=queue');
  });

  it('reconnects if the stream breaks or ends early', async () => {
    expect(
      await watched(
        events(sse(notice('render', 0.2)), 'breaks'),
        job('render'),
        events(sse(notice('render', 0.6)), 'closes'),
        job('render'),
        events(sse(notice('done'))),
      ),
    ).toEqual([notice('render', 0.2), notice('render', 0.6), done]);
  });

  it('reconnects after the last event', async () => {
    const { fetch, sent } = farEnd(
      events([`id: 4\n${sse(notice('render', 0.2))[0]}`], 'breaks'),
      job('render'),
      events(sse(notice('render', 0.6)), 'breaks'),
      job('render'),
      new Response(null, { status: 204 }),
      job('done'),
    );
    const seen: string[] = [];
    const followed = (async () => {
      for await (const { status } of clientOf(fetch).jobs.watch(ID)) seen.push(status);
    })();
    await Promise.all([followed, vi.runAllTimersAsync()]);
    expect(seen).toEqual(['render', 'render', 'done']);
    const asked = sent.filter(({ url }) => url.pathname.endsWith('/events'));
    expect(asked.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual([null, '4', '4']);
  });

  it('is polled if a stream is silent', async () => {
    expect(await watched(events(sse(notice('render', 0.2)), 'stays'), job('done'))).toEqual([
      notice('render', 0.2),
      asked('done'),
    ]);
  });

  it('is only polled if no stream works', async () => {
    const full = () => problem('limit_reached', 429, { 'Retry-After': '10' });
    expect(
      await watched(full(), job('pending'), full(), job('pending'), full(), job('render'), job('render'), job('error')),
    ).toEqual([asked('pending'), asked('render'), asked('error')]);
  });

  it('is followed through an outage, however long, until the service refuses', async () => {
    const outage = () => [
      ...Array.from({ length: 12 }, () => new TypeError('fetch failed')),
      ...[problem('unavailable', 503, { 'Retry-After': '600' }), problem('rate_limited', 429)],
    ];
    const begun = events([`id: 4\n${sse(notice('render', 0.2))[0]}`], 'breaks');
    const { fetch, sent } = farEnd(
      ...[begun, ...outage(), job('render'), events(sse(notice('render', 0.6), notice('done')))],
      ...[...outage(), job('done')],
    );
    const seen: string[] = [];
    const waited = clientOf(fetch).jobs.wait(ID, { onProgress: ({ status }) => seen.push(status) });
    const [finished] = await Promise.all([waited, vi.runAllTimersAsync()]);
    expect(finished.status).toBe('done');
    expect(seen).toEqual(['render', 'render', 'done']);
    expect(sent[16]?.headers.get('Last-Event-ID')).toBe('4');
    await expect(
      watched(events(sse(notice('render', 0.2)), 'breaks'), ...outage(), problem('unauthorized', 401)),
    ).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('that does not exist rejects at once', async () => {
    await expect(watched(problem('not_found', 404))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends with the signal', async () => {
    const controller = new AbortController();
    const { fetch } = farEnd(never);
    const first = clientOf(fetch).jobs.watch(ID, { signal: controller.signal }).next();
    controller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
  });
});

describe('the changes of all jobs', () => {
  const change = (id: string, status: string) => `id: ${id}\ndata: ${JSON.stringify({ id: ID, status })}\n\n`;

  it('continue after the first id of a stream that breaks before its first change', async () => {
    const { fetch, sent } = farEnd(events(['id: 5\n\nid: 6\n'], 'breaks'), problem('unauthorized', 401));
    const read = (async () => {
      for await (const { id } of clientOf(fetch).events()) expect(id).toBe('none');
    })();
    await Promise.all([expect(read).rejects.toMatchObject({ code: 'unauthorized' }), vi.runAllTimersAsync()]);
    expect(sent.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual([null, '5']);
  });

  it('continue after the last one if the stream breaks or ends, until the service refuses', async () => {
    const { fetch, sent } = farEnd(
      events([change('7', 'render')], 'breaks'),
      events([':\n\n']),
      ...Array.from({ length: 12 }, () => new TypeError('fetch failed')),
      ...[problem('unavailable', 503, { 'Retry-After': '600' }), problem('rate_limited', 429)],
      events([change('8', 'done')]),
      problem('unauthorized', 401),
    );
    const seen: string[] = [];
    const read = (async () => {
      for await (const { id, job: changed } of clientOf(fetch).events({ after: '6' }))
        seen.push(`${id} ${changed.status}`);
    })();
    await Promise.all([expect(read).rejects.toMatchObject({ code: 'unauthorized' }), vi.runAllTimersAsync()]);
    expect(seen).toEqual(['7 render', '8 done']);
    expect(sent.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual([
      ...['6', '7', ...Array(15).fill('7')],
      '8',
    ]);
  });
});

describe('a render', () => {
  const submitted = () => json({ job_id: ID }, 201);

  it('resolves with the clip, and reports its progress', async () => {
    const { fetch, sent } = farEnd(
      submitted(),
      events(sse(notice('render', 0.5), notice('done'))),
      job('done', { clip_id: 'c-1' }),
      json({ id: 'c-1', title: 'Ace' }),
    );
    const reported: unknown[] = [];
    const clip = await clientOf(fetch).clips.render(REQUEST, {
      onProgress: (now) => reported.push([now.job_id, now.status]),
    });
    expect(clip).toEqual({ id: 'c-1', title: 'Ace' });
    expect(reported).toEqual([
      [ID, 'render'],
      [ID, 'done'],
    ]);
    expect(sent.map(({ url }) => url.pathname)).toEqual([
      '/api/clips',
      `/api/jobs/${ID}/events`,
      `/api/jobs/${ID}`,
      '/api/clips/c-1',
    ]);
    expect(clientOf(fetch).clips.urls('c-1')).toEqual({
      page: 'https://tickreel.test/clips/c-1',
      embed: 'https://tickreel.test/clips/c-1/embed',
      video: 'https://tickreel.test/clips/c-1/video.mp4',
      thumbnail: 'https://tickreel.test/clips/c-1/thumbnail.jpg',
    });
  });

  it('continues through an outage after the submit', async () => {
    const outage = () => Array.from({ length: 12 }, () => problem('unavailable', 503));
    const { fetch } = farEnd(
      ...[submitted(), ...outage(), job('done', { clip_id: 'c-1' }), job('done', { clip_id: 'c-1' })],
      ...[...outage(), json({ id: 'c-1' })],
    );
    const [clip] = await Promise.all([clientOf(fetch).clips.render(REQUEST), vi.runAllTimersAsync()]);
    expect(clip).toEqual({ id: 'c-1' });
  });

  it('rejects with why the job failed', async () => {
    const docs_url = 'https://clips.example/docs/errors/demo_404';
    const diagnosis = { error_code: 'demo_404', summary: 'Check the address.', facts: null, docs_url };
    const { fetch, sent } = farEnd(
      ...[submitted(), events(sse({ ...notice('error'), error_code: 'demo_404' }))],
      job('error', { error_code: 'demo_404', diagnosis }),
    );
    const error = await clientOf(fetch)
      .clips.render(REQUEST)
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({ code: 'demo_404', job: { id: ID }, diagnosis: { summary: 'Check the address.' } });
    expect(error.message).toBe(`Job ${ID} failed: demo_404. Check the address.`);
    expect(error.docsUrl).toBe(docs_url);
    expect(sent[2]?.url.search).toBe('?include=diagnosis');
  });

  it('rejects even if no cause is known', async () => {
    const { fetch } = farEnd(submitted(), events(sse(notice('error'))), job('error'));
    const rendered = clientOf(fetch).clips.render(REQUEST);
    await expect(rendered).rejects.toMatchObject({ code: 'error', diagnosis: null, docsUrl: null });
  });

  it('is of a highlight of a demo, with more fields', async () => {
    const { fetch, sent } = farEnd(submitted(), events(sse(notice('done'))), job('done', { clip_id: 'c-1' }), json({}));
    await clientOf(fetch).clips.fromHighlight({ request: { ...REQUEST, round: 7 } }, { fps: 60 });
    expect(sent[0]?.body).toMatchObject({ ...REQUEST, round: 7, fps: 60 });
  });

  it.each([
    ['is canceled as well, if wanted', true, [`POST /api/jobs/${ID}/cancel`]],
    ['continues otherwise', false, []],
  ])('that is aborted: its job %s', async (_, cancelOnAbort, calls) => {
    const controller = new AbortController();
    const { fetch, sent } = farEnd(
      submitted(),
      events(sse(notice('render', 0.1)), 'stays'),
      problem('job_finished', 409),
    );
    const onProgress = () => controller.abort(new Error('enough'));
    const rendered = clientOf(fetch).clips.render(REQUEST, { signal: controller.signal, cancelOnAbort, onProgress });
    await Promise.all([expect(rendered).rejects.toThrow('enough'), vi.runAllTimersAsync()]);
    expect(sent.slice(2).map(({ method, url }) => `${method} ${url.pathname}`)).toEqual(calls);
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

  it('times out, with the job’s id', async () => {
    const { fetch } = farEnd(submitted(), never);
    const rendered = clientOf(fetch).clips.render(REQUEST, { timeoutMs: 5000 });
    const [error] = await Promise.all([rendered.catch((reason) => reason), vi.advanceTimersByTimeAsync(5000)]);
    expect(error).toMatchObject({ code: 'timed_out', message: expect.stringContaining(ID) });
  });
});
