import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { AdminListQuery, KeyList } from '#protocol/admin.ts';
import { LISTED_KEY } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { findAccount, selectApiKeys } from '#storage/accounts.ts';
import { pageOf } from '../operations/page-of.ts';
import { keyView } from './views.ts';

export const listKeys = operation({
  route: 'GET /admin/accounts/:id/keys',
  scope: 'operator:read',
  query: AdminListQuery,
  handler: async ({ database }, { params, query }) => {
    const { limit, cursor } = query();
    if (!(await findAccount(database, params.id))) throw notFound();
    const { rows, next_cursor } = pageOf(await selectApiKeys(database, params.id, cursor, limit), limit);
    return json({ keys: rows.map(keyView), next_cursor });
  },
});

export const words = (): OperationWords => ({
  summary: "List an account's keys",
  command: 'keys list <account>',
  description: 'Returns keys by their hints: a key is shown only once.',
  answers: {
    200: answer('A page of keys.', KeyList, { keys: [LISTED_KEY], next_cursor: null }),
  },
});
