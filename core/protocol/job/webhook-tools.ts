import * as z from 'zod';
import { httpUrl, SubmitRequest } from '../clip/submit.ts';

/** `/api/webhook-secrets` and `POST /api/webhooks/test`. */

const secretFields = {
  id: z.uuid().meta({ description: 'Id of the secret, for deleting it.' }),
  hint: z.string().meta({ description: 'The first and last characters of the secret.' }),
  created_at: z.iso.datetime().meta({ description: 'Time when the secret was made.' }),
};

const WebhookSecret = z
  .object(secretFields)
  .meta({ id: 'WebhookSecret', description: 'A secret that your webhooks are signed with.' });
export const WebhookSecretList = z
  .object({ secrets: z.array(WebhookSecret) })
  .meta({ id: 'WebhookSecretList', description: 'Your live secrets, oldest first.' });
export const WebhookSecretOnce = z
  .object({ ...secretFields, secret: z.string().meta({ description: 'The secret itself. It is shown only once.' }) })
  .meta({ id: 'WebhookSecretOnce', description: 'A new secret for webhooks.' });
export type WebhookSecretOnce = z.infer<typeof WebhookSecretOnce>;

export const WebhookTest = z
  .strictObject({
    webhook_url: httpUrl('your webhook receiver', 'Address to which the test is posted.'),
    webhook_auth_header: SubmitRequest.shape.webhook_auth_header,
    event: z
      .enum(['job.completed', 'job.failed'], 'must be job.completed or job.failed')
      .default('job.completed')
      .meta({ description: 'The outcome that the test reports.' }),
  })
  .meta({ id: 'WebhookTest', description: 'A webhook to try your receiver with.' });
export type WebhookTest = z.input<typeof WebhookTest>;

export const WebhookTested = z
  .object({
    delivery_id: z.uuid().meta({ description: 'Id of the webhook, as in `X-Service-Delivery-Id`.' }),
    delivered: z.boolean().meta({ description: 'Whether your receiver answered with a 2xx in time.' }),
    http_status: z.int().nullable().meta({ description: 'HTTP status of your receiver. Null if it did not answer.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'The reason why the test does not count as delivered. Null if it does.' }),
    duration_ms: z.int().meta({ description: 'Milliseconds until the answer came.' }),
    signatures: z.int().meta({ description: 'Number of your secrets with which the test was signed.' }),
  })
  .meta({ id: 'WebhookTested', description: 'The result of a test webhook.' });
export type WebhookTested = z.infer<typeof WebhookTested>;
