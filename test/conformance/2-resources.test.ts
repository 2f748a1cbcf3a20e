import { beforeAll, describe, expect, it } from 'vitest';
import { VIDEO } from '../support/test-host.ts';
import { parkedRequest, roundRequest, TIME } from './support/api.ts';
import { type Account, createAccount, renderedClip } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

describe('2.2 payload of a job', () => {
  it('never shows the webhook_auth_header', async () => {
    const request = parkedRequest({ webhook_url: 'https://r.example.com/', webhook_auth_header: 'Bearer a-secret' });
    const jobId = await account.metered.submit(request);
    for (const path of [`/api/jobs/${jobId}`, '/api/jobs', `/api/jobs/${jobId}/deliveries`]) {
      expect((await account.metered.get(path)).text).not.toContain('a-secret');
    }
  });
});

describe('2.3 clip object', () => {
  it('has exactly these fields', async () => {
    const { jobId, clipId } = await renderedClip(account.reserved, roundRequest({ fps: 60, resolution: 1440 }));
    expect(await account.metered.clip(clipId)).toEqual({
      id: clipId,
      state: 'ready',
      is_saved: false,
      title: '2 kills by Ferris on cs_italy',
      resolution: 1440,
      fps: 60,
      tier: 'reserved',
      duration_seconds: 7.5,
      size: String(VIDEO.byteLength),
      job_id: jobId,
      created_at: expect.stringMatching(TIME),
    });
  });
});
