import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { deleteWebhookSecret as deleteRow } from '#storage/webhook-secrets.ts';

export const deleteWebhookSecret = operation({
  route: 'DELETE /api/webhook-secrets/:id',
  scope: 'account:manage',
  handler: async ({ database }, { caller, params }) => {
    if (!(await deleteRow(database, caller.accountId, params.id))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  tag: 'Events',
  summary: 'Delete a webhook secret',
  description: 'Within 30 seconds it signs nothing. Without a secret, webhooks are unsigned.',
  answers: { 204: { description: 'The secret is deleted.' } },
});
