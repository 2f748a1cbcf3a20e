import { AccountView, NewAccount } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { insertAccount } from '#storage/accounts.ts';
import { newAccount } from './new-account.ts';
import { accountView } from './views.ts';

export const createAccount = operation({
  route: 'POST /admin/accounts',
  scope: 'operator:admin',
  body: NewAccount,
  answers: { 201: AccountView },
  handler: async ({ database, now, settings }, { body, reply }) => {
    const { name, provisioned_slots: slots, renderer, labels } = await body();
    const { idSalt, ...identity } = newAccount(now());
    const account = { ...identity, name, renderer, labels };
    await insertAccount(database, { ...account, idSalt, provisionedSlots: slots });
    const made = { ...account, slots, suspendedAt: null, erasingAt: null, isHidden: false, limits: {} };
    return reply(201, accountView(made, settings.limits));
  },
});

export const words = (): Words => ({
  createAccount: {
    summary: 'Create an account',
    command: 'accounts create <name>',
    description: 'Creates an account without a key.',
    body: { examples: only({ name: 'Example', provisioned_slots: 4 }) },
    answers: { 201: answer('The account is made.', ACCOUNT) },
  },
});
