import * as z from 'zod';
import { httpUrl, SubmitRequest } from '../clip/submit.ts';
import * as field from '../lib/fields.ts';

/** `/api/webhook-secrets` and `POST /api/webhooks/test`. */

const secretFields = {
  id: field.uuid('Id of the secret, for deleting it.'),
  hint: field.text('The first and last characters of the secret.'),
  created_at: field.time('Time when the secret was made.'),
};

const WebhookSecret = z
  .object(secretFields)
  .meta({ id: 'WebhookSecret', description: 'A secret that your webhooks are signed with.' });
export const WebhookSecretList = z
  .object({ secrets: z.array(WebhookSecret) })
  .meta({ id: 'WebhookSecretList', description: 'Your live secrets, oldest first.' });
export const WebhookSecretOnce = z
  .object({ ...secretFields, secret: field.text('The secret itself. It is shown only once.') })
  .meta({ id: 'WebhookSecretOnce', description: 'A new secret for webhooks.' });
export type WebhookSecretOnce = z.infer<typeof WebhookSecretOnce>;

export const WebhookTest = z
  .strictObject({
    webhook_url: httpUrl('your webhook receiver', 'Address to which the test is posted.'),
    webhook_auth_header: SubmitRequest.shape.webhook_auth_header,
    event: z
      .enum(['job.completed', 'job.failed'], 'must be job.completed or job.failed')
      .default('job.completed')
      .describe('The outcome that the test reports.'),
  })
  .meta({ id: 'WebhookTest', description: 'A webhook to try your receiver with.' });
export type WebhookTest = z.input<typeof WebhookTest>;

export const WebhookTested = z
  .object({
    delivery_id: field.uuid('Id of the webhook, as in `X-Service-Delivery-Id`.'),
    delivered: field.flag('Whether your receiver answered with a 2xx in time.'),
    http_status: field.integerOrNull('HTTP status of your receiver. Null if it did not answer.'),
    error: field.textOrNull('The reason why the test does not count as delivered. Null if it does.'),
    duration_ms: field.integer('Milliseconds until the answer came.'),
    signatures: field.integer('Number of your secrets with which the test was signed.'),
  })
  .meta({ id: 'WebhookTested', description: 'The result of a test webhook.' });
export type WebhookTested = z.infer<typeof WebhookTested>;
