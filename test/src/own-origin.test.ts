import { runDurableObjectAlarm } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderJobOf } from '../../service/bindings.ts';
import { TestHost } from '../support/host.ts';
import {
  BASE_URL,
  bindings,
  createAccount,
  createHost,
  readJob,
  roundRequest,
  send,
  sendJson,
  submit,
} from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

let key: string;

beforeAll(async () => {
  key = (await createAccount()).metered;
});

describe('a request that would have the service call itself', () => {
  it('is refused where it names the service as its webhook', async () => {
    const request = roundRequest({ webhook_url: `${BASE_URL}/api/clips`, webhook_auth_header: `Bearer ${key}` });
    const response = await sendJson(key, 'POST', '/api/clips', request);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: 'webhook_url' }] });
  });

  it('fails its job where it names the service as its demo', async () => {
    const jobId = await submit(key, { demo_url: `${BASE_URL}/clips/x/video.mp4` });
    expect(await readJob(key, jobId)).toMatchObject({ status: 'error', error_code: 'demo_url_rejected' });
  });

  it('gets 508 at every address when a webhook of ours made it, and every webhook says so', async () => {
    const host = new TestHost(await createHost());
    const inbox = createInbox();
    const jobId = await submit(key, { webhook_url: inbox.url });
    await host.report(await host.claimJob(jobId), 'fail', { code: 'demo_404', detail: 'gone' });
    await runDurableObjectAlarm(renderJobOf(bindings, jobId));
    const [webhook] = await inbox.received();
    const hop = String(webhook?.headers['x-service-hop']);
    for (const path of ['/api/clips', '/api/jobs', '/', '/gateway/v1/claim', '/nowhere']) {
      const headers = { Authorization: `Bearer ${key}`, 'X-Service-Hop': hop };
      expect((await send(path, { method: 'POST', headers, body: JSON.stringify(roundRequest()) })).status).toBe(508);
    }
  });
});
