import { notFound } from '#http/problem.ts';
import { KeyOnce } from '#protocol/admin.ts';
import { KEY, NEXT_KEY_ID } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findKeyTerms } from '#storage/accounts.ts';
import { issueKey } from './issue-key.ts';

/** The new key expires when the old one would. */
export const rotateKey = operation({
  route: 'POST /admin/accounts/:id/keys/:key/rotate',
  scope: 'operator:admin',
  answers: { 201: KeyOnce },
  handler: async (service, { params, reply }) => {
    const terms = await findKeyTerms(service.database, params.id, params.key, service.now());
    if (terms === null) throw notFound();
    return reply(201, await issueKey(service, params.id, terms, params.key));
  },
});

export const words = (): Words => ({
  rotateKey: {
    summary: 'Rotate an API key',
    command: 'keys rotate <account> <key>',
    description:
      'Creates a key of the same kind, scope, name and expiry. Its rules act with the new key. The old key stays valid until it is revoked, so that clients can change over.',
    answers: {
      201: answer('The new key, which is shown only once.', { ...KEY, key_id: NEXT_KEY_ID, key: 'tr_met_…' }),
    },
    problems: ['limit_reached'],
  },
});
