import { WEBHOOK_SECRET } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import { WebhookSecretList } from '#protocol/webhook-tools.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectWebhookSecrets } from '#storage/webhook-secrets.ts';

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

export const words = (): Words => ({
  listWebhookSecrets: {
    tag: 'Events',
    summary: 'List webhook secrets',
    description: 'The secrets that sign your webhooks, by their hints.',
    answers: { 200: answer('The secrets without their values.', { secrets: [WEBHOOK_SECRET] }) },
  },
});
