import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { RevokeQuery } from '#protocol/admin.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { revokeApiKey } from '#storage/accounts.ts';

export const revokeKey = operation({
  route: 'DELETE /admin/accounts/:id/keys/:key',
  scope: 'operator:admin',
  query: RevokeQuery,
  handler: async ({ database, now }, { params, query }) => {
    const { keep_made } = query();
    if (!(await revokeApiKey(database, params.id, params.key, now(), keep_made))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Revoke an API key',
  command: 'keys revoke <account> <key>',
  description:
    'The key is refused everywhere within 30 seconds. The keys that it has made are revoked too; with `keep_made=true` they stay. The same call again changes nothing.',
  answers: { 204: { description: 'The key is revoked.' } },
});
