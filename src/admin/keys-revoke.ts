import { notFound } from '#http/problem.ts';
import { RevokeQuery } from '#protocol/admin.ts';
import { operation, type Words } from '#service/operation.ts';
import { revokeApiKey } from '#storage/accounts.ts';

export const revokeKey = operation({
  route: 'DELETE /admin/accounts/:id/keys/:key',
  scope: 'operator:admin',
  query: RevokeQuery,
  answers: { 204: null },
  handler: async ({ database, now }, { params, query, reply }) => {
    const { keep_made } = query();
    if (!(await revokeApiKey(database, params.id, params.key, now(), keep_made))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  revokeKey: {
    summary: 'Revoke an API key',
    command: 'keys revoke <account> <key>',
    description:
      'The key is refused everywhere within 30 seconds. The keys that it has made are revoked too; with `keep_made=true` they stay. The same call again changes nothing.',
    answers: { 204: { description: 'The key is revoked.' } },
  },
});
