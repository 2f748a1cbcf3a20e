import { beforeAll, describe, expect, it } from 'vitest';
import { roundRequest, TIME } from '#test/conformance/support/api.ts';
import { type Account, createAccount, createReceiver, failJob, grantOf, host, renderJob } from './support/service.ts';

/** Retries of a job. The contract leaves the number open; the service has 5. */
const RETRIES = 5;

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

/** Fails the first attempts and returns the last fence. */
async function failAttempts(jobId: string, count: number, code: string): Promise<number> {
  let fence = 0;
  for (let i = 0; i < count; i++) fence = (await failJob(jobId, code, fence)).lease.fence;
  return fence;
}

describe.concurrent('3.1 automatic retries', () => {
  it('retrying → done when a later attempt succeeds, with one webhook for all', async ({ onTestFinished }) => {
    const receiver = await createReceiver(undefined, onTestFinished);
    const jobId = await account.metered.submit(roundRequest({ webhook_url: receiver.url }));
    const fence = await failAttempts(jobId, 2, 'download_error');
    await renderJob(jobId, fence);
    expect(await account.metered.job(jobId)).toMatchObject({ status: 'done', error_code: null });
    expect((await receiver.arrival(0)).body).toMatchObject({ event: 'job.completed', error_code: null });
    expect((await account.metered.get(`/api/jobs/${jobId}/deliveries`)).body.deliveries).toHaveLength(1);
  });

  it.for(['download_timeout', 'download_error', 'cs2_unavailable', 'upload_error'])(
    'retrying → error with %s when all retries are used up, and a webhook only then',
    async (code, { onTestFinished }) => {
      const receiver = await createReceiver(undefined, onTestFinished);
      const jobId = await account.metered.submit(roundRequest({ webhook_url: receiver.url }));
      const fence = await failAttempts(jobId, RETRIES, code);
      const last = await grantOf(jobId, fence);
      expect(await account.metered.job(jobId)).toMatchObject({
        status: 'prefetch',
        error_code: null,
        finished_at: null,
      });
      expect((await account.metered.get(`/api/jobs/${jobId}/deliveries`)).body.deliveries).toEqual([]);
      await host.fail(last, code);
      expect(await account.metered.job(jobId)).toMatchObject({
        status: 'error',
        error_code: code,
        clip_id: null,
        finished_at: expect.stringMatching(TIME),
      });
      expect((await receiver.arrival(0)).body).toMatchObject({ event: 'job.failed', error_code: code });
      expect(receiver.arrivals).toHaveLength(1);
    },
  );
});
