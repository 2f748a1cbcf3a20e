import { notFound } from '#http/problem.ts';
import { RULE } from '#protocol/examples.ts';
import { RuleList } from '#protocol/rules.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { ruleViews } from '../operations/rule-view.ts';

export const listAccountRules = operation({
  route: 'GET /admin/accounts/:id/rules',
  scope: 'operator:read',
  answers: { 200: RuleList },
  handler: async (service, { params, reply }) => {
    if (!(await findAccount(service.database, params.id))) throw notFound();
    return reply(200, { rules: await ruleViews(service, params.id, 1) });
  },
});

export const words = (): Words => ({
  listAccountRules: {
    summary: "List an account's rules",
    command: 'rules list <account>',
    description: 'Returns rules with their latest runs, without the secrets of their receivers.',
    answers: { 200: answer('Returns all rules, oldest first.', { rules: [RULE] }) },
  },
});
