import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { AccountView } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { accountView } from './views.ts';

export const getAccount = operation({
  route: 'GET /admin/accounts/:id',
  scope: 'operator:read',
  handler: async ({ database, settings }, { params }) => {
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    return json(accountView(account, settings.limits));
  },
});

export const words = (): OperationWords => ({
  summary: 'Read an account',
  command: 'accounts show <account>',
  description: 'Returns the account as `GET /admin/accounts` does.',
  answers: { 200: answer('The account with its limits.', AccountView, ACCOUNT) },
});
