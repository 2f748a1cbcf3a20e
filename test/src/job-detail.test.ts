import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { isSigned } from '#protocol/signed-message.ts';
import { evict, fireAlarm, useScenario } from '../support/scenario.ts';
import { BASE_URL, bindings, createAccount, readJob, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const get = (path: string) => sendJson(scene.account.metered, 'GET', path);
const ALL = '?include=diagnosis,attempts,progress,queue';
const detail = async (jobId: string, query = ALL) => (await get(`/api/jobs/${jobId}${query}`)).json();

/** Returns the first event of a stream. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

describe('a job that is asked for more', () => {
  it('shows each attempt with its host, its diagnosis and its retry', async () => {
    const jobId = await submit(scene.account.metered, { round: 9 });
    const first = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(first, 'prefetch', 0.1);
    const away = { code: 'download_error', detail: '/tmp/secret', stage: 'download', facts: { http_status: 503 } };
    expect((await scene.host.report(first, 'fail', away)).status).toBe(204);
    const waiting = {
      error_code: 'download_error',
      summary: expect.stringMatching(/^The server of the demo answered 503\./),
      facts: { http_status: 503 },
      retryable: true,
      retry_at: expect.any(String),
    };
    const retrying = await detail(jobId);
    expect(retrying).toMatchObject({
      status: 'retrying',
      diagnosis: { ...waiting, docs_url: '/docs/errors/download_error' },
      attempts: [{ ...waiting, host: 'test host', outcome: 'failed', phase: 'prefetch', stage: 'download' }],
      queue: null,
    });
    // The client does not see what the host reports to the operator.
    expect(JSON.stringify(retrying)).not.toContain('secret');

    vi.setSystemTime(Date.now() + 20_000);
    await fireAlarm(jobId);
    const second = await scene.host.claimJob(jobId);
    const beat = { phase: 'prefetch', progress: 0.2, stage: 'parse' };
    expect((await scene.host.report(second, 'heartbeat', beat)).status).toBe(204);
    expect(await detail(jobId)).toMatchObject({
      status: 'prefetch',
      diagnosis: null,
      attempts: [{ outcome: 'failed' }, { outcome: 'working', host: 'test host', stage: 'parse', ended_at: null }],
      progress: { phase: 'prefetch', stage: 'parse', progress: 0.2, heard_at: expect.any(String) },
    });
    const facts = { round_asked: 9, rounds: [1, 2], rounds_in_demo: [1, 2, 3] };
    await scene.host.report(second, 'fail', { code: 'no_kills_found', detail: '', stage: 'parse', facts });
    expect(await detail(jobId)).toMatchObject({
      diagnosis: { summary: expect.stringContaining('rounds 1 and 2'), facts, retryable: false, retry_at: null },
      attempts: [{ error_code: 'download_error' }, { error_code: 'no_kills_found', facts, outcome: 'failed' }],
    });
    // Other readers see only the fields of the contract.
    const fields = Object.keys(await readJob(scene.account.metered, jobId));
    expect(fields).not.toEqual(expect.arrayContaining(['diagnosis']));
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    expect(await detail(jobId)).toMatchObject({ diagnosis: null, attempts: [] });

    // The attempt that makes the clip is the last of its run, and the only one in the row of the job.
    const third = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(third);
    await scene.host.report(third, 'fail', away);
    vi.setSystemTime(Date.now() + 20_000);
    await fireAlarm(jobId);
    const fourth = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(fourth);
    await scene.host.finish(fourth);
    await evict(jobId);
    const made = { outcome: 'completed', phase: 'render', host: 'test host', error_code: null };
    const { attempts } = (await detail(jobId)) as { attempts: object[] };
    expect(attempts).toHaveLength(2);
    expect(attempts).toMatchObject([
      { error_code: 'download_error', facts: { http_status: 503 }, phase: 'render' },
      made,
    ]);
    const row = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) =>
      storage.sql.exec<{ state: string }>('SELECT state FROM job').one(),
    );
    expect(JSON.parse(row.state)).toMatchObject({ lastEnd: { outcome: 'completed' } });
    expect(row.state).not.toContain('download_error');
  });

  it('shows its position in the queue', async () => {
    const jobs = [await submit(scene.account.metered), await submit(scene.account.metered)];
    for (const jobId of jobs) await fireAlarm(jobId);
    const places = await Promise.all(jobs.map((jobId) => detail(jobId, '?include=queue')));
    const [first = 0, second] = places.map((one) => (one as { queue: { position: number } }).queue.position);
    expect(first).toBeGreaterThanOrEqual(1);
    // Jobs of other accounts may be queued between them.
    expect(second).toBeGreaterThan(first);
    const [last = ''] = jobs.slice(-1);
    const grant = await scene.host.claimJob(last);
    await scene.host.heartbeat(grant);
    expect(await detail(last, '?include=queue')).toMatchObject({ status: 'render', queue: null });
  });

  it('a code that the service gave itself has a diagnosis without an attempt', async () => {
    const jobId = await submit(scene.account.metered, { demo_url: 'https://elsewhere.example.net/a.dem' });
    expect(await detail(jobId)).toMatchObject({
      diagnosis: { error_code: 'demo_url_rejected', facts: null, retryable: false },
      attempts: [],
    });
  });

  it.each(['include=all', 'include=diagnosis,', 'include=', 'include=queue&include=queue'])(
    'refuses ?%s',
    async (query) => {
      const response = await get(`/api/jobs/${await submit(scene.account.metered)}?${query}`);
      expect(response.status).toBe(400);
      const { errors } = await response.json<{ errors: { path: string }[] }>();
      expect(errors[0]?.path).toMatch(/^include/);
    },
  );

  it('has the same fields in its events, under the id of the change', async () => {
    const jobId = await submit(scene.account.metered);
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    const path = `/api/jobs/${jobId}/events?include=diagnosis,progress`;
    const headers = { Authorization: `Bearer ${scene.account.metered}` };
    const text = await firstOf(await send(path, { headers }));
    const [, id = '', data = ''] = /^retry: 2000\nid: (\d+)\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({ status: 'error', stage: null, diagnosis: { error_code: 'demo_404' } });
    const known = await send(path, { headers: { ...headers, 'Last-Event-ID': id } });
    expect([known.status, await known.text()]).toEqual([204, '']);
    const older = await send(path, { headers: { ...headers, 'Last-Event-ID': '1' } });
    expect(await firstOf(older)).toContain(`id: ${id}`);
  });
});

it('a clip includes its addresses and its expiry on request, alone and in a list', async () => {
  const jobId = await submit(scene.account.metered);
  await scene.host.finish(await scene.host.claimJob(jobId));
  const { clip_id: id } = await readJob<{ clip_id: string }>(scene.account.metered, jobId);
  const { created_at } = await (await get(`/api/clips/${id}`)).json<{ created_at: string }>();
  const expires_at = new Date(Date.parse(created_at) + 30 * 24 * 3_600_000).toISOString();
  const page = `${BASE_URL}/clips/${id}`;
  const urls = { page, embed: `${page}/embed`, video: `${page}/video.mp4`, thumbnail: `${page}/thumbnail.jpg` };
  const query = '?include=urls,expiry';
  expect(await (await get(`/api/clips/${id}${query}`)).json()).toMatchObject({ id, urls, expires_at });
  await fireAlarm(jobId);
  const { clips } = await (await get(`/api/clips${query}&limit=1`)).json<{ clips: unknown[] }>();
  expect(clips).toMatchObject([{ id, urls, expires_at }]);
  await sendJson(scene.account.metered, 'POST', `/api/clips/${id}/save`);
  expect(await (await get(`/api/clips/${id}${query}`)).json()).toMatchObject({ expires_at: null });
  const plain = await (await get(`/api/clips/${id}`)).json<object>();
  expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['urls']));
});

async function makeSecret(): Promise<{ id: string; secret: string }> {
  return (await sendJson(scene.account.metered, 'POST', '/api/webhook-secrets')).json();
}

it('webhooks of an account with secrets are signed under each of them, by the id of their delivery', async () => {
  const inbox = createInbox();
  const [first, second] = [await makeSecret(), await makeSecret()];
  const jobId = await submit(scene.account.metered, { webhook_url: inbox.url, extras: { order: 7 } });
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  await fireAlarm(jobId);
  const [received] = await inbox.received();
  const { headers = {}, body = '' } = received ?? {};
  expect(headers['webhook-id']).toBe(headers['x-service-delivery-id']);
  const header = (name: string) => String(headers[name]);
  for (const { secret } of [first, second])
    expect(await isSigned(secret, { header, body, now: Date.now() })).toBe(true);
  expect(await isSigned(first.secret, { header, body: `${body} `, now: Date.now() })).toBe(false);
});

it('without a secret they are unsigned, also after it was deleted', async () => {
  const { id, secret } = await makeSecret();
  const hints = await (await sendJson(scene.account.metered, 'GET', '/api/webhook-secrets')).text();
  expect(hints).toContain(id);
  expect(hints).not.toContain(secret);
  const path = `/api/webhook-secrets/${id}`;
  expect((await sendJson((await createAccount()).metered, 'DELETE', path)).status).toBe(404);
  expect((await sendJson(scene.account.metered, 'DELETE', path)).status).toBe(204);
  const inbox = createInbox();
  const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  await fireAlarm(jobId);
  const [received] = await inbox.received();
  expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
});

it('a test webhook is sent like any other, and the result is in the answer', async () => {
  const inbox = createInbox('500');
  const { secret } = await makeSecret();
  const test = { webhook_url: inbox.url, webhook_auth_header: 'Bearer a', event: 'job.failed' };
  const response = await sendJson(scene.account.metered, 'POST', '/api/webhooks/test', test);
  const answer = await response.json<{ delivery_id: string }>();
  const failed = { delivered: false, http_status: 500, error: 'the receiver answered 500', signatures: 1 };
  expect(answer).toMatchObject(failed);
  const [received, ...more] = await inbox.received();
  expect(more).toEqual([]);
  const { headers = {}, body = '' } = received ?? {};
  expect(headers).toMatchObject({
    authorization: 'Bearer a',
    'x-service-attempt': '1',
    'x-service-delivery-id': answer.delivery_id,
  });
  expect(JSON.parse(body)).toMatchObject({ event: 'job.failed', error_code: 'no_kills_found', extras: { test: true } });
  const header = (name: string) => String(headers[name]);
  expect(await isSigned(secret, { header, body, now: Date.now() })).toBe(true);
});
