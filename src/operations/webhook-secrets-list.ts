import { json } from '#http/json.ts';
import { isoTime } from '#protocol/job-view.ts';
import { selectWebhookSecrets } from '#storage/webhook-secrets.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/webhook-secrets`: without the secrets themselves. */
export const listWebhookSecrets: ApiHandler<'database'> = async ({ database }, { caller }) => {
  const rows = await selectWebhookSecrets(database, caller.accountId);
  return json({ secrets: rows.map(({ id, hint, createdAt }) => ({ id, hint, created_at: isoTime(createdAt) })) });
};
