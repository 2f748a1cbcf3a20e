import { AccountList, AdminListQuery } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectAccounts } from '#storage/accounts.ts';
import { pageOf } from '../operations/page-of.ts';
import { accountView } from './views.ts';

export const listAccounts = operation({
  route: 'GET /admin/accounts',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: AccountList },
  handler: async ({ database, settings }, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectAccounts(database, cursor, limit), limit);
    return reply(200, { accounts: rows.map((row) => accountView(row, settings.limits)), next_cursor });
  },
});

export const words = (): Words => ({
  listAccounts: {
    summary: 'List accounts',
    command: 'accounts list',
    description: 'Returns accounts, oldest first.',
    answers: { 200: answer('A page of accounts.', { accounts: [ACCOUNT], next_cursor: null }) },
  },
});
