import * as z from 'zod';
import { httpUrl, SubmitRequest } from './submit.ts';

/** `/api/webhook-secrets` and `POST /api/webhooks/test`. */

const secretFields = {
  id: z.uuid().meta({ description: 'The secret, for deleting it.' }),
  hint: z.string().meta({ description: 'Its beginning and end, so that you can tell which one it is.' }),
  created_at: z.iso.datetime().meta({ description: 'When it was made.' }),
};

const WebhookSecret = z
  .object(secretFields)
  .meta({ id: 'WebhookSecret', description: 'A secret that your webhooks are signed with.' });
export const WebhookSecretList = z
  .object({ secrets: z.array(WebhookSecret) })
  .meta({ id: 'WebhookSecretList', description: 'Your live secrets, oldest first.' });
export const WebhookSecretOnce = z
  .object({ ...secretFields, secret: z.string().meta({ description: 'The secret itself, shown this once.' }) })
  .meta({ id: 'WebhookSecretOnce', description: 'A new secret.' });
export type WebhookSecretOnce = z.infer<typeof WebhookSecretOnce>;

export const WebhookTest = z
  .strictObject({
    webhook_url: httpUrl('your webhook receiver', 'Where the test is posted.'),
    webhook_auth_header: SubmitRequest.shape.webhook_auth_header,
    event: z
      .enum(['job.completed', 'job.failed'], 'must be job.completed or job.failed')
      .default('job.completed')
      .meta({ description: 'Which outcome it tells.' }),
  })
  .meta({ id: 'WebhookTest', description: 'A webhook to try your receiver with.' });
export type WebhookTest = z.input<typeof WebhookTest>;

export const WebhookTested = z
  .object({
    delivery_id: z.uuid().meta({ description: 'As in `X-Service-Delivery-Id`.' }),
    delivered: z.boolean().meta({ description: 'Whether your receiver answered with a 2xx in time.' }),
    http_status: z.int().nullable().meta({ description: 'What it answered; null if it did not.' }),
    error: z.string().nullable().meta({ description: 'Why it does not count as delivered; null if it does.' }),
    duration_ms: z.int().meta({ description: 'How long the answer took.' }),
    signatures: z.int().meta({ description: 'Under how many of your secrets it was signed.' }),
  })
  .meta({ id: 'WebhookTested', description: 'What became of it.' });
export type WebhookTested = z.infer<typeof WebhookTested>;
