import { secretHint } from '#domain/secret-key.ts';
import { webhookSecretOf } from '#durable-objects/derived-secret.ts';
import { json } from '#http/json.ts';
import { limitReached } from '#http/rate-limit.ts';
import { isoTime } from '#protocol/job-view.ts';
import { insertWebhookSecret, LIVE_SECRETS } from '#storage/webhook-secrets.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/webhook-secrets`: the only time that the secret is shown. It signs webhooks within 30 seconds. */
export const createWebhookSecret: ApiHandler<'database' | 'settings' | 'now'> = async (
  { database, settings, now },
  { caller },
) => {
  const { accountId } = caller;
  const id = crypto.randomUUID();
  const secret = await webhookSecretOf(settings.clipIdSecret, accountId, id);
  const row = { id, accountId, hint: secretHint(secret), createdAt: now() };
  if (!(await insertWebhookSecret(database, row))) {
    throw limitReached(`The account has ${LIVE_SECRETS} secrets; delete one first.`);
  }
  return json({ id, hint: row.hint, created_at: isoTime(row.createdAt), secret }, 201);
};
