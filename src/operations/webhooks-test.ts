import { invalidRequest } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { DELIVERY_ID } from '#protocol/examples.ts';
import { clipUrls, type WebhookPayload } from '#protocol/webhook.ts';
import { WebhookTest, WebhookTested } from '#protocol/webhook-tools.ts';
import { readSecrets } from '#service/live-secrets.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { prepareWebhook } from '#service/send-webhook.ts';
import { webhookErrors } from '#service/submit-one.ts';

export const testWebhook = operation({
  route: 'POST /api/webhooks/test',
  scope: 'account:manage',
  body: WebhookTest,
  answers: { 200: WebhookTested },
  handler: async ({ database, limits, settings, now }, { caller, body, reply }) => {
    const wait = await limits.webhookTests.take(caller.accountId);
    if (wait > 0) throw rateLimited(limits.webhookTests.policy, wait);
    const { webhook_url: url, webhook_auth_header, event } = await body();
    const errors = webhookErrors({ webhook_url: url }, settings);
    if (errors.length > 0) throw invalidRequest(errors);
    const delivery = { id: crypto.randomUUID(), attempts: 1 };
    const secrets = await readSecrets(database, settings.clipIdSecret, caller.accountId);
    const message = {
      url,
      authHeader: webhook_auth_header ?? null,
      body: JSON.stringify(sample(event, settings.baseUrl)),
      isTest: true,
    };
    const send = await prepareWebhook(delivery, message, settings, secrets);
    const begunAt = now();
    const { status, error } = await send();
    return reply(200, {
      delivery_id: delivery.id,
      delivered: error === null,
      http_status: status,
      error,
      duration_ms: now() - begunAt,
      signatures: secrets.length,
    });
  },
});

export const words = (): Words => ({
  testWebhook: {
    tag: 'Events',
    summary: 'Try a receiver',
    description:
      'Posts a webhook about a made-up job once, at once, and returns what your receiver answered. It has all headers of a real one, signatures too; `extras` is `{"test": true}`.',
    body: { examples: only({ webhook_url: 'https://app.example.com/hooks/tickreel' }) },
    answers: {
      200: answer('The result of the test.', {
        delivery_id: DELIVERY_ID,
        delivered: true,
        http_status: 204,
        error: null,
        duration_ms: 84,
        signatures: 1,
      }),
    },
  },
});

function sample(event: WebhookPayload['event'], baseUrl: string): WebhookPayload {
  const isDone = event === 'job.completed';
  const clipId = isDone ? crypto.randomUUID() : null;
  const urls = clipId === null ? null : clipUrls(baseUrl, clipId);
  return {
    event,
    job_id: crypto.randomUUID(),
    clip_id: clipId,
    clip_url: urls?.embed ?? null,
    video_url: urls?.video ?? null,
    thumbnail_url: urls?.thumbnail ?? null,
    clip_duration: isDone ? 14.5 : null,
    status: isDone ? 'processed' : 'error',
    error_code: isDone ? null : 'no_kills_found',
    extras: { test: true },
  };
}
