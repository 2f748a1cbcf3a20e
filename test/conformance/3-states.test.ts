import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import { roundRequest, TIME, UUID } from '#test/conformance/support/api.ts';
import { hostAt, OTHER_THUMBNAIL, OTHER_VIDEO, type TestHost, THUMBNAIL, VIDEO } from '../support/test-host.ts';
import { startTestStack, type TestStack } from '../support/test-stack.ts';
import { type Account, createAccountAt, createReceiver } from './support/service.ts';

/**
 * Tests of waiting jobs use a service of their own with real waits (a quarter of an hour between webhooks). The test is
 * its only host.
 */
let stack: TestStack;
let account: Account;
let host: TestHost;

beforeAll(async () => {
  // Jobs that tests leave leased return on a slow machine, so 32 slots were too few.
  stack = await startTestStack({ leaseSeconds: 600, variables: { HOST_SLOTS: '1000' } });
  account = await createAccountAt(stack.baseUrl, stack.credentials.admin_token);
  host = hostAt(stack.baseUrl, stack.credentials.host_token);
});

afterAll(() => stack.remove());

type Status = 'pending' | 'prefetch' | 'render' | 'done' | 'retrying' | 'error';

/** Claims until it gets this job. The other jobs are left from other tests. */
async function claim(jobId: string): Promise<Grant> {
  for (let grant = await host.claim({}, 25); grant; grant = await host.claim({}, 25)) {
    if ((await host.begin(grant)) && grant.job_id === jobId) return grant;
  }
  throw new Error(`job ${jobId} was not offered`);
}

/** Brings a queued job into a state. */
async function bring(jobId: string, status: Status): Promise<void> {
  if (status === 'pending') return;
  const grant = await claim(jobId);
  if (status === 'render') await host.render(grant);
  if (status === 'done') await host.complete(grant);
  if (status === 'retrying') await host.fail(grant, 'download_timeout');
  if (status === 'error') await host.fail(grant, 'render_failed');
  expect(await account.metered.job(jobId)).toMatchObject({ status });
}

async function jobIn(status: Status, fields: Record<string, unknown> = {}): Promise<string> {
  const jobId = await account.metered.submit(roundRequest(fields));
  await bring(jobId, status);
  return jobId;
}

const resubmit = (jobId: string) => account.metered.post(`/api/jobs/${jobId}/resubmit`);

async function deliveriesOf(jobId: string) {
  const { body } = await account.metered.get(`/api/jobs/${jobId}/deliveries`);
  return body.deliveries as { id: string; status: string; event: string }[];
}

/** Returns a finished job whose webhook was refused once and waits for its second attempt. */
async function jobWithWaitingWebhook(fields: Record<string, unknown> = {}) {
  const receiver = await createReceiver((index) => (index === 0 ? 500 : 200));
  const jobId = await jobIn('error', { webhook_url: receiver.url, ...fields });
  const { deliveryId } = await receiver.arrival(0);
  return { receiver, jobId, deliveryId };
}

describe('3.1 job states', () => {
  const IN_FLIGHT = { clip_id: null, error_code: null, finished_at: null };
  const FINISHED = { clip_id: null, error_code: null, finished_at: expect.stringMatching(TIME) };

  it.each([
    ['pending', IN_FLIGHT],
    ['prefetch', IN_FLIGHT],
    ['render', IN_FLIGHT],
    ['retrying', { ...IN_FLIGHT, error_code: 'download_timeout' }],
    ['done', { ...FINISHED, clip_id: expect.stringMatching(UUID) }],
    ['error', { ...FINISHED, error_code: 'render_failed' }],
  ] as const)('%s', async (status, fields) => {
    const jobId = await jobIn(status, { webhook_url: 'http://127.0.0.1:1/' });
    expect(await account.metered.job(jobId)).toMatchObject(fields);
    expect(await deliveriesOf(jobId)).toHaveLength(fields.finished_at === null ? 0 : 1);
  });
});

describe('3.1 transitions', () => {
  it('a forced submit cancels the pending webhook and makes a new one', async () => {
    const key = { idempotency_key: crypto.randomUUID() };
    const { receiver, jobId, deliveryId } = await jobWithWaitingWebhook(key);
    await account.metered.post('/api/clips', roundRequest({ ...key, force: true, webhook_url: receiver.url }));
    expect(await deliveriesOf(jobId)).toMatchObject([{ id: deliveryId, status: 'canceled' }]);
    await bring(jobId, 'done');
    expect(await receiver.arrival(1)).toMatchObject({ attempt: 1, body: { event: 'job.completed' } });
    expect((await receiver.arrival(1)).deliveryId).not.toBe(deliveryId);
  });

  it.each([['done'], ['error'], ['retrying']] as const)('%s → pending by a resubmit', async (status) => {
    const jobId = await jobIn(status, { round: 4, extras: { a: 1 }, webhook_url: 'http://127.0.0.1:1/' });
    const before = await account.metered.job(jobId);
    expect(await resubmit(jobId)).toMatchObject({ status: 200, body: { job_id: jobId } });
    expect(await account.metered.job(jobId)).toEqual({
      ...before,
      status: 'pending',
      clip_id: null,
      error_code: null,
      finished_at: null,
    });
  });

  it('a resubmit cancels the pending webhook; the new outcome goes to the same address', async () => {
    const { receiver, jobId, deliveryId } = await jobWithWaitingWebhook({ webhook_auth_header: 'Token a', extras: 5 });
    await resubmit(jobId);
    expect(await deliveriesOf(jobId)).toMatchObject([{ id: deliveryId, status: 'canceled' }]);
    await bring(jobId, 'done');
    const arrival = await receiver.arrival(1);
    expect(arrival).toMatchObject({
      attempt: 1,
      headers: { authorization: 'Token a' },
      body: { event: 'job.completed', extras: 5 },
    });
    expect(await deliveriesOf(jobId)).toMatchObject([{ status: 'canceled' }, { event: 'job.completed' }]);
  });

  it.each([['pending'], ['prefetch'], ['render']] as const)(
    '%s stays as it is under a resubmit: 409',
    async (status) => {
      const jobId = await jobIn(status);
      const before = await account.metered.job(jobId);
      expect((await resubmit(jobId)).status).toBe(409);
      expect(await account.metered.job(jobId)).toEqual(before);
    },
  );

  it('a reserved job goes before metered ones that have waited longer', async () => {
    const metered: string[] = [];
    for (let i = 0; i < 12; i++) metered.push(await account.metered.submit(roundRequest()));
    const reserved = await account.reserved.submit(roundRequest());
    const order: string[] = [];
    // A job is queued shortly after it was accepted, so the first claims may miss the reserved job.
    while (![...metered, reserved].every((jobId) => order.includes(jobId))) {
      const grant = await host.claim({}, 25);
      if (grant && (await host.begin(grant))) order.push(grant.job_id);
    }
    expect(order.indexOf(reserved)).toBeLessThan(order.indexOf(metered.at(-1) ?? ''));
  });
});

describe('3.2 clip states', () => {
  const page = (path: string) => fetch(stack.baseUrl + path);
  const bytesOf = async (path: string) => new Uint8Array(await (await page(path)).arrayBuffer());

  async function clipOf(fields: Record<string, unknown> = {}) {
    const jobId = await jobIn('done', fields);
    return { jobId, clipId: String((await account.metered.job(jobId)).clip_id) };
  }

  async function rerun(jobId: string): Promise<void> {
    await resubmit(jobId);
    const grant = await claim(jobId);
    await host.complete(grant, { video: OTHER_VIDEO, thumbnail: OTHER_THUMBNAIL, duration: 3.25, title: 'again' });
  }

  it('none → ready when the job succeeds', async () => {
    const { clipId } = await clipOf();
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'ready', is_saved: false });
    expect(await bytesOf(`/clips/${clipId}/video.mp4`)).toEqual(VIDEO);
    expect(await bytesOf(`/clips/${clipId}/thumbnail.jpg`)).toEqual(THUMBNAIL);
    expect(await (await page(`/clips/${clipId}`)).text()).toContain('<video');
    expect(await (await page(`/clips/${clipId}/embed`)).text()).toContain('<video');
  });

  it('ready → deleted for good: no files, and pages with 410', async () => {
    const { clipId } = await clipOf();
    expect((await account.metered.delete(`/api/clips/${clipId}`)).status).toBe(204);
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'deleted' });
    expect((await page(`/clips/${clipId}/video.mp4`)).status).toBe(410);
    expect((await page(`/clips/${clipId}/thumbnail.jpg`)).status).toBe(410);
    for (const path of [`/clips/${clipId}`, `/clips/${clipId}/embed`]) {
      const text = await (await page(path)).text();
      expect(text).toMatch(/clip was deleted/i);
      expect(text).not.toContain('<video');
    }
  });

  it('a re-run overwrites the clip: same id, other files; the old files stay until then', async () => {
    const { jobId, clipId } = await clipOf();
    const before = await account.metered.clip(clipId);
    await resubmit(jobId);
    const grant = await claim(jobId);
    expect(await account.metered.clip(clipId)).toEqual(before);
    expect(await bytesOf(`/clips/${clipId}/video.mp4`)).toEqual(VIDEO);
    await host.complete(grant, { video: OTHER_VIDEO, thumbnail: OTHER_THUMBNAIL, duration: 3.25, title: 'again' });
    expect(await account.metered.job(jobId)).toMatchObject({ clip_id: clipId });
    expect(await account.metered.clip(clipId)).toEqual({
      ...before,
      title: 'again',
      duration_seconds: 3.25,
      size: String(OTHER_VIDEO.byteLength),
    });
    expect(await bytesOf(`/clips/${clipId}/video.mp4`)).toEqual(OTHER_VIDEO);
    expect(await bytesOf(`/clips/${clipId}/thumbnail.jpg`)).toEqual(OTHER_THUMBNAIL);
  });

  it('is_saved is kept through a re-run and through deletion, and changes no state', async () => {
    const { jobId, clipId } = await clipOf();
    await account.metered.post(`/api/clips/${clipId}/save`);
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'ready', is_saved: true });
    await rerun(jobId);
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'ready', is_saved: true });
    await account.metered.delete(`/api/clips/${clipId}`);
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'deleted', is_saved: true });
    await account.metered.post(`/api/clips/${clipId}/unsave`);
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'deleted', is_saved: false });
  });
});
