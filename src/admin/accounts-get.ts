import { notFound } from '#http/problem.ts';
import { AccountView } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { accountView } from './views.ts';

export const getAccount = operation({
  route: 'GET /admin/accounts/:id',
  scope: 'operator:read',
  answers: { 200: AccountView },
  handler: async ({ database, settings }, { params, reply }) => {
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    return reply(200, accountView(account, settings.limits));
  },
});

export const words = (): Words => ({
  getAccount: {
    summary: 'Read an account',
    command: 'accounts show <account>',
    description: 'Returns the account as `GET /admin/accounts` does.',
    answers: { 200: answer('The account with its limits.', ACCOUNT) },
  },
});
