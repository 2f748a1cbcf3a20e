import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { deleteWebhookSecret as deleteRow } from '#storage/webhook-secrets.ts';
import type { ApiHandler } from './api-handler.ts';

/** `DELETE /api/webhook-secrets/:id`: within 30 seconds nothing is signed with it any more. */
export const deleteWebhookSecret: ApiHandler<'database', 'id'> = async ({ database }, { caller, params }) => {
  if (!(await deleteRow(database, caller.accountId, params.id))) throw notFound();
  return noContent();
};
