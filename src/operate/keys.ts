import { notFound } from '#http/problem.ts';
import { KeyList, KeyOnce, NewKey, RevokeQuery } from '#protocol/account/accounts.ts';
import { KEY, LISTED_KEY, NEXT_KEY_ID } from '#protocol/examples/operator.ts';
import { AdminListQuery, pageOf } from '#protocol/lib/lists.ts';
import { keyView } from '#service/account/account-view.ts';
import { issueKey } from '#service/account/issue-key.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { findAccount, findKeyTerms, revokeApiKey, selectApiKeys } from '#storage/account/accounts.ts';

export const listKeys = operation({
  route: 'GET /admin/accounts/:id/keys',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: KeyList },
  handler: async ({ database }, { params, query, reply }) => {
    const { limit, cursor } = query();
    if (!(await findAccount(database, params.id))) throw notFound();
    const { rows, next_cursor } = pageOf(await selectApiKeys(database, params.id, cursor, limit), limit);
    return reply(200, { keys: rows.map(keyView), next_cursor });
  },
});

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
  listKeys: {
    summary: "List an account's keys",
    command: 'keys list <account>',
    description: 'Returns keys by their hints: a key is shown only once.',
    answers: { 200: answer('A page of keys.', { keys: [LISTED_KEY], next_cursor: null }) },
  },
  createKey: {
    summary: 'Create an API key',
    command: 'keys create <account> <kind>',
    description: 'An account may have two live keys of each kind and scope.',
    body: { examples: only({ kind: 'metered', name: 'web server', scope: 'submit' }) },
    answers: { 201: answer('The key, which is shown only once.', { ...KEY, key: 'tr_met_…' }) },
    problems: ['limit_reached'],
  },
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
  revokeKey: {
    summary: 'Revoke an API key',
    command: 'keys revoke <account> <key>',
    description:
      'The key is refused everywhere within 30 seconds. The keys that it has made are revoked too; with `keep_made=true` they stay. The same call again changes nothing.',
    answers: { 204: { description: 'The key is revoked.' } },
  },
});
