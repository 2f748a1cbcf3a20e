import { secretHint } from '#domain/secret-key.ts';
import { limitReached } from '#http/rate-limit.ts';
import { webhookSecretOf } from '#platform/signing-secrets.ts';
import { WEBHOOK_SECRET } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import { WebhookSecretOnce } from '#protocol/webhook-tools.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { insertWebhookSecret, LIVE_SECRETS } from '#storage/webhook-secrets.ts';

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

export const words = (): Words => ({
  createWebhookSecret: {
    tag: 'Events',
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
});
