import { secretHint } from '#domain/account/secret-key.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { byteLength, webhookSecretOf } from '#platform/digest.ts';
import { DELIVERY_ID, WEBHOOK_SECRET } from '#protocol/examples/client.ts';
import { outcomeOf, type WebhookPayload } from '#protocol/job/webhook.ts';
import { WebhookSecretList, WebhookSecretOnce, WebhookTest, WebhookTested } from '#protocol/job/webhook-tools.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { prepareWebhook, readSecrets, waitOfAttempt } from '#service/job/send-webhook.ts';
import { webhookErrors } from '#service/job/submit-one.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import {
  deleteWebhookSecret as deleteRow,
  insertWebhookSecret,
  LIVE_SECRETS,
  selectWebhookSecrets,
} from '#storage/account/webhook-secrets.ts';

export const listWebhookSecrets = operation({
  route: 'GET /api/webhook-secrets',
  scope: 'account:read',
  answers: { 200: WebhookSecretList },
  handler: async ({ database }, { caller, reply }) => {
    const rows = await selectWebhookSecrets(database, caller.accountId);
    return reply(200, {
      secrets: rows.map(({ id, hint, createdAt }) => ({ id, hint, created_at: isoTime(createdAt) })),
    });
  },
});

/** Creates a secret and shows it once. */
export const createWebhookSecret = operation({
  route: 'POST /api/webhook-secrets',
  scope: 'account:manage',
  answers: { 201: WebhookSecretOnce },
  handler: async ({ database, settings, now }, { caller, reply }) => {
    const { accountId } = caller;
    const id = crypto.randomUUID();
    const secret = await webhookSecretOf(settings.clipIdSecret, accountId, id);
    const row = { id, accountId, hint: secretHint(secret), createdAt: now() };
    if (!(await insertWebhookSecret(database, row))) {
      throw limitReached(`The account has ${LIVE_SECRETS} secrets; delete one first.`);
    }
    return reply(201, { id, hint: row.hint, created_at: isoTime(row.createdAt), secret });
  },
});

export const deleteWebhookSecret = operation({
  route: 'DELETE /api/webhook-secrets/:id',
  scope: 'account:manage',
  answers: { 204: null },
  handler: async ({ database }, { caller, params, reply }) => {
    if (!(await deleteRow(database, caller.accountId, params.id))) throw notFound();
    return reply(204, null);
  },
});

export const testWebhook = operation({
  route: 'POST /api/webhooks/test',
  scope: 'account:manage',
  body: WebhookTest,
  answers: { 200: WebhookTested },
  handler: async (service, { caller, body, reply }) => {
    const { database, limits, settings, now } = service;
    await limits.webhook_tests.take(caller.accountId);
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
    const { accountId } = caller;
    const counted = { accountId, isTest: caller.keyKind === 'test', bytes: byteLength(message.body) };
    const wait = await waitOfAttempt(service, counted, false);
    if (wait) throw limitReached(wait.why, Math.ceil((wait.until - now()) / 1000));
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

function sample(event: WebhookPayload['event'], baseUrl: string): WebhookPayload {
  const clip = event === 'job.completed' ? { id: crypto.randomUUID(), seconds: 14.5 } : null;
  return { ...outcomeOf(crypto.randomUUID(), clip, 'no_kills_found', baseUrl), extras: { test: true } };
}

export const words = (): Words => ({
  listWebhookSecrets: {
    summary: 'List webhook secrets',
    description: 'The secrets that sign your webhooks, by their hints.',
    answers: { 200: answer('The secrets without their values.', { secrets: [WEBHOOK_SECRET] }) },
  },
  createWebhookSecret: {
    summary: 'Create a webhook secret',
    description:
      'Within 30 seconds, webhooks of the account carry the headers of Standard Webhooks as well: `webhook-id` (the delivery), `webhook-timestamp` and `webhook-signature`. Its libraries check them with this secret. Two secrets may exist, so that you can replace one: each webhook is then signed under both.',
    answers: {
      201: answer('The secret is made.', {
        ...WEBHOOK_SECRET,
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr',
      }),
    },
    problems: ['limit_reached'],
  },
  deleteWebhookSecret: {
    summary: 'Delete a webhook secret',
    description: 'Within 30 seconds it signs nothing. Without a secret, webhooks are unsigned.',
    answers: { 204: { description: 'The secret is deleted.' } },
  },
  testWebhook: {
    summary: 'Try a receiver',
    description:
      'Posts a webhook about a made-up job once, at once, and returns what your receiver answered. It has all headers of a real one, signatures too; `extras` is `{"test": true}`. It counts towards the hourly webhook budget; beyond it the answer is 429.',
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
    problems: ['limit_reached'],
  },
});
