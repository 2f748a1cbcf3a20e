import { readSecrets } from '#durable-objects/render-job/live-secrets.ts';
import { prepareWebhook } from '#durable-objects/render-job/send-webhook.ts';
import { json } from '#http/json.ts';
import { invalidRequest } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { readShape } from '#http/read-body.ts';
import { clipUrls, type WebhookPayload } from '#protocol/webhook.ts';
import { WebhookTest, type WebhookTested } from '#protocol/webhook-tools.ts';
import type { ApiHandler } from './api-handler.ts';
import { webhookErrors } from './submit-one.ts';

/** `POST /api/webhooks/test`: one attempt, at once, of a webhook about a job that there is not. */
export const testWebhook: ApiHandler<'database' | 'limits' | 'settings' | 'now'> = async (
  { database, limits, settings, now },
  { caller, request },
) => {
  const wait = await limits.webhookTests.take(caller.accountId);
  if (wait > 0) throw rateLimited(limits.webhookTests.policy, wait);
  const { webhook_url: url, webhook_auth_header, event } = await readShape(request, WebhookTest);
  const errors = webhookErrors({ webhook_url: url }, settings);
  if (errors.length > 0) throw invalidRequest(errors);
  const delivery = { id: crypto.randomUUID(), attempts: 1 };
  const secrets = await readSecrets(database, settings.clipIdSecret, caller.accountId);
  const message = {
    url,
    authHeader: webhook_auth_header ?? null,
    body: JSON.stringify(sample(event, settings.baseUrl)),
  };
  const send = await prepareWebhook(delivery, message, settings, secrets);
  const begunAt = now();
  const { status, error } = await send();
  return json({
    delivery_id: delivery.id,
    delivered: error === null,
    http_status: status,
    error,
    duration_ms: now() - begunAt,
    signatures: secrets.length,
  } satisfies WebhookTested);
};

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
