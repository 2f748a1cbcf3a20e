import { notFound } from '#http/problem.ts';
import { RevokeQuery } from '#protocol/admin.ts';
import { operation, type Words } from '#service/operation.ts';
import { revokeApiKey } from '#storage/accounts.ts';
import { recordKeyChange, requireLiveKey } from './own-key.ts';

export const revokeOwnKey = operation({
  route: 'DELETE /api/keys/:id',
  scope: 'account:manage',
  query: RevokeQuery,
  answers: { 204: null },
  handler: async (service, context) => {
    const { id } = context.params;
    const { keep_made } = context.query();
    await requireLiveKey(service, context.caller);
    const ended = await revokeApiKey(service.database, context.caller.accountId, id, service.now(), keep_made);
    if (ended === null) throw notFound();
    const target = { key_id: id, revoked: String(ended.length) };
    if (ended.length > 0) await recordKeyChange(service, context, 'revokeOwnKey', target, 204);
    return context.reply(204, null);
  },
});

export const words = (): Words => ({
  revokeOwnKey: {
    tag: 'API keys',
    summary: 'Revoke a key',
    description:
      'The key is refused everywhere within 30 seconds. The keys that it has made are revoked too, and those that these have made; with `keep_made=true` they stay. You may revoke your own key. The same call again changes nothing; one without `keep_made` also revokes keys that were kept.',
    answers: { 204: { description: 'The key is revoked.' } },
  },
});
