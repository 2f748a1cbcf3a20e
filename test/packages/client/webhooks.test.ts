import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTickreel, createWebhooks } from '#client/index.ts';
import { formatSigningSecret, signedHeaders } from '#protocol/lib/signed-message.ts';

const SECRET = formatSigningSecret(new Uint8Array(32).fill(7));
const OTHER = formatSigningSecret(new Uint8Array(32).fill(8));
const BODY = JSON.stringify({
  event: 'job.failed',
  job_id: 'j',
  clip_id: null,
  status: 'error',
  error_code: 'demo_404',
});
const signed = (now = Date.now()) => signedHeaders(SECRET, { id: 'd-1', body: BODY, now });
const { webhooks } = createTickreel({ baseUrl: 'https://tickreel.test', apiKey: 'a-key' });
const invalid = { code: 'webhook_invalid' };

afterEach(() => void vi.unstubAllEnvs());

describe('a webhook', () => {
  it('is read unsigned only with `insecure`, and narrows by its event', async () => {
    vi.stubEnv('TICKREEL_WEBHOOK_SECRET', undefined);
    for (const checked of [webhooks, createWebhooks()]) {
      await expect(checked.unwrap(BODY, await signed())).rejects.toThrow('TICKREEL_WEBHOOK_SECRET');
    }
    await expect(createWebhooks('').unwrap(BODY, {})).rejects.toThrow('webhook secret');
    expect(await createWebhooks({ insecure: true }).unwrap(BODY, {})).toMatchObject({ job_id: 'j' });
    await expect(createWebhooks({ insecure: true }).unwrap(BODY, {}, SECRET)).rejects.toMatchObject(invalid);
    await expect(webhooks.unwrap(BODY, {}, { insecure: false } as never)).rejects.toThrow();
    const webhook = await webhooks.unwrap(BODY, {}, { insecure: true });
    expect(webhook.event === 'job.failed' ? webhook.error_code.length : webhook.event).toBe(8);
  });

  it('is taken under its secret, with headers of any kind, as text or bytes, while secrets are exchanged', async () => {
    const headers = await signed();
    const bytes = new TextEncoder().encode(BODY);
    const many = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const given of [
      headers,
      new Headers(headers),
      many,
      Object.entries(headers),
      Object.entries(headers).values(),
    ]) {
      expect(await webhooks.unwrap(bytes, given, [OTHER, SECRET])).toMatchObject({ job_id: 'j' });
    }
    const own = createTickreel({ baseUrl: 'https://tickreel.test', apiKey: 'k', webhookSecret: SECRET });
    expect(await own.webhooks.unwrap(BODY, headers)).toMatchObject({ job_id: 'j' });
  });

  it('has the id of its delivery', () => {
    expect(webhooks.deliveryId({ 'X-Service-Delivery-Id': 'd-1' })).toBe('d-1');
    expect(webhooks.deliveryId(new Headers())).toBeNull();
  });
});
