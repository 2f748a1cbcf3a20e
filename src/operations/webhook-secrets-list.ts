import { json } from '#http/json.ts';
import { WEBHOOK_SECRET } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import { WebhookSecretList } from '#protocol/webhook-tools.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { selectWebhookSecrets } from '#storage/webhook-secrets.ts';

export const listWebhookSecrets = operation({
  route: 'GET /api/webhook-secrets',
  scope: 'account:read',
  handler: async ({ database }, { caller }) => {
    const rows = await selectWebhookSecrets(database, caller.accountId);
    return json({ secrets: rows.map(({ id, hint, createdAt }) => ({ id, hint, created_at: isoTime(createdAt) })) });
  },
});

export const words = (): OperationWords => ({
  tag: 'Events',
  summary: 'List webhook secrets',
  description: 'The secrets that sign your webhooks, by their hints.',
  answers: {
    200: answer('The secrets without their values.', WebhookSecretList, { secrets: [WEBHOOK_SECRET] }),
  },
});
