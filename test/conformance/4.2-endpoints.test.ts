import { beforeAll, describe, expect, it } from 'vitest';
import { OTHER_VIDEO } from '../support/test-host.ts';
import { type Answer, parkedRequest, roundRequest, UUID } from './support/api.ts';
import { type Account, createAccount, createReceiver, failJob, renderedClip, renderJob } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

const post = (path: string, key = account.metered) => key.post(path);

function expectEmpty(answer: Answer): void {
  expect(answer, answer.text).toMatchObject({ status: 204, text: '' });
  expect(answer.headers.get('Content-Type')).toBeNull();
}

const mine = () => renderedClip(account.metered, roundRequest());

/** 5-authentication.test.ts checks that each answers 404 for an unknown id. */
describe('4.2 GET /api/jobs/:id', () => {
  it('200 with the job', async () => {
    const jobId = await account.metered.submit(parkedRequest());
    const answer = await account.metered.get(`/api/jobs/${jobId}`);
    expect(answer).toMatchObject({ status: 200, body: { id: jobId, status: 'pending' } });
    expect(answer.headers.get('Content-Type')).toBe('application/json');
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
  });

  it('an id in upper case is the same id', async () => {
    const jobId = await account.metered.submit(parkedRequest());
    expect(await account.metered.job(jobId.toUpperCase())).toMatchObject({ id: jobId });
  });
});

describe('4.3 POST /api/jobs/:id/resubmit', () => {
  it('200 with the same job_id; the job is pending as it was sent; then it overwrites its clip, saved or not', async () => {
    const receiver = await createReceiver();
    const webhook = { webhook_url: receiver.url, webhook_auth_header: 'Token a', extras: 5 };
    const jobId = await account.metered.submit(roundRequest(webhook));
    const { lease } = await renderJob(jobId);
    const { clip_id, ...job } = await account.metered.job(jobId);
    await post(`/api/clips/${clip_id}/save`);
    const clip = await account.metered.clip(String(clip_id));
    expect(clip).toMatchObject({ state: 'ready', is_saved: true });
    expect(await post(`/api/jobs/${jobId}/resubmit`)).toMatchObject({ status: 200, body: { job_id: jobId } });
    const again = { ...job, clip_id: null, finished_at: null, status: expect.stringMatching(/^(pending|prefetch)$/) };
    expect(await account.metered.job(jobId)).toEqual(again);
    expect(await account.metered.clip(String(clip_id))).toEqual(clip);
    await renderJob(jobId, lease.fence, { video: OTHER_VIDEO, duration: 3.25, title: 'again' });
    expect(await account.metered.job(jobId)).toMatchObject({ clip_id });
    const made = { title: 'again', duration_seconds: 3.25, size: String(OTHER_VIDEO.byteLength) };
    expect(await account.metered.clip(String(clip_id))).toEqual({ ...clip, ...made });
    const headers = { authorization: 'Token a' };
    expect(await receiver.arrival(1)).toMatchObject({ attempt: 1, headers, body: { clip_id, extras: 5 } });
    await account.metered.delete(`/api/clips/${clip_id}`);
    expect(await account.metered.clip(String(clip_id))).toMatchObject({ state: 'deleted', is_saved: true });
  });
});

describe('4.4 POST /api/jobs/:id/resend-webhook', () => {
  it.each([['done'], ['error']])('200 with a new delivery of the outcome of a job that is %s', async (outcome) => {
    const receiver = await createReceiver();
    const webhook = { webhook_url: receiver.url, webhook_auth_header: 'Bearer of news', extras: { big: 'value' } };
    const jobId = await account.metered.submit(roundRequest(webhook));
    await (outcome === 'done' ? renderJob(jobId) : failJob(jobId, 'demo_404'));
    const original = await receiver.arrival(0);
    const before = await account.metered.job(jobId);

    const answer = await post(`/api/jobs/${jobId}/resend-webhook`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ delivery_id: expect.stringMatching(UUID) });

    const again = await receiver.arrival(1);
    expect(again.deliveryId).toBe(answer.body.delivery_id);
    expect(again.deliveryId).not.toBe(original.deliveryId);
    expect(again).toMatchObject({ attempt: 1, path: original.path, text: original.text });
    expect(again.headers.authorization).toBe('Bearer of news');
    expect(await account.metered.job(jobId)).toEqual(before);
  });
});

describe('4.6 POST /api/clips/:id/save and …/unsave', () => {
  it('204, and is_saved changes', async () => {
    const { clipId } = await mine();
    expectEmpty(await post(`/api/clips/${clipId}/save`));
    expect(await account.metered.clip(clipId)).toMatchObject({ is_saved: true });
    expectEmpty(await post(`/api/clips/${clipId}/unsave`));
    expect(await account.metered.clip(clipId)).toMatchObject({ is_saved: false });
  });
});

describe('4.7 DELETE /api/clips/:id', () => {
  it('204, also when it is repeated', async () => {
    const { clipId } = await mine();
    expectEmpty(await account.metered.delete(`/api/clips/${clipId}`));
    expectEmpty(await account.reserved.delete(`/api/clips/${clipId}`));
    expect(await account.metered.clip(clipId)).toMatchObject({ state: 'deleted' });
  });
});
