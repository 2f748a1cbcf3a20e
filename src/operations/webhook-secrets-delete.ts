import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';
import { deleteWebhookSecret as deleteRow } from '#storage/webhook-secrets.ts';

export const deleteWebhookSecret = operation({
  route: 'DELETE /api/webhook-secrets/:id',
  scope: 'account:manage',
  answers: { 204: null },
  handler: async ({ database }, { caller, params, reply }) => {
    if (!(await deleteRow(database, caller.accountId, params.id))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  deleteWebhookSecret: {
    tag: 'Events',
    summary: 'Delete a webhook secret',
    description: 'Within 30 seconds it signs nothing. Without a secret, webhooks are unsigned.',
    answers: { 204: { description: 'The secret is deleted.' } },
  },
});
