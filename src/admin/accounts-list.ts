import { json } from '#http/json.ts';
import { AccountList, AdminListQuery } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { selectAccounts } from '#storage/accounts.ts';
import { pageOf } from '../operations/page-of.ts';
import { accountView } from './views.ts';

export const listAccounts = operation({
  route: 'GET /admin/accounts',
  scope: 'operator:read',
  query: AdminListQuery,
  handler: async ({ database, settings }, { query }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectAccounts(database, cursor, limit), limit);
    return json({ accounts: rows.map((row) => accountView(row, settings.limits)), next_cursor });
  },
});

export const words = (): OperationWords => ({
  summary: 'List accounts',
  command: 'accounts list',
  description: 'Returns accounts, oldest first.',
  answers: {
    200: answer('A page of accounts.', AccountList, { accounts: [ACCOUNT], next_cursor: null }),
  },
});
