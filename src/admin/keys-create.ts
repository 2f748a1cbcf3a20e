import { notFound } from '#http/problem.ts';
import { KeyOnce, NewKey } from '#protocol/admin.ts';
import { KEY } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { issueKey } from './issue-key.ts';

export const createKey = operation({
  route: 'POST /admin/accounts/:id/keys',
  scope: 'operator:admin',
  body: NewKey,
  answers: { 201: KeyOnce },
  handler: async (service, { params, body, reply }) => {
    const { kind, name = null, scope, expires_at, ingest_limits: ingestLimits = null } = await body();
    const expiresAt = expires_at === undefined ? null : Date.parse(expires_at);
    const account = await findAccount(service.database, params.id);
    if (!account || account.erasingAt !== null) throw notFound();
    return reply(201, await issueKey(service, params.id, { kind, name, scope, expiresAt, ingestLimits }));
  },
});

export const words = (): Words => ({
  createKey: {
    summary: 'Create an API key',
    command: 'keys create <account> <kind>',
    description: 'An account may have two live keys of each kind and scope.',
    body: { examples: only({ kind: 'metered', name: 'web server', scope: 'submit' }) },
    answers: { 201: answer('The key, which is shown only once.', { ...KEY, key: 'tr_met_…' }) },
    problems: ['limit_reached'],
  },
});
