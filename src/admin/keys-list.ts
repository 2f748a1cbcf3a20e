import { notFound } from '#http/problem.ts';
import { AdminListQuery, KeyList } from '#protocol/admin.ts';
import { LISTED_KEY } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findAccount, selectApiKeys } from '#storage/accounts.ts';
import { pageOf } from '../operations/page-of.ts';
import { keyView } from './views.ts';

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

export const words = (): Words => ({
  listKeys: {
    summary: "List an account's keys",
    command: 'keys list <account>',
    description: 'Returns keys by their hints: a key is shown only once.',
    answers: { 200: answer('A page of keys.', { keys: [LISTED_KEY], next_cursor: null }) },
  },
});
