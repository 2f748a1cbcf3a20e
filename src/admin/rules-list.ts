import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { RULE } from '#protocol/examples.ts';
import { RuleList } from '#protocol/rules.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { ruleViews } from '../operations/rule-view.ts';

export const listAccountRules = operation({
  route: 'GET /admin/accounts/:id/rules',
  scope: 'operator:read',
  handler: async (service, { params }) => {
    if (!(await findAccount(service.database, params.id))) throw notFound();
    return json({ rules: await ruleViews(service, params.id, 1) });
  },
});

export const words = (): OperationWords => ({
  summary: "List an account's rules",
  command: 'rules list <account>',
  description: 'Returns rules with their latest runs, without the secrets of their receivers.',
  answers: { 200: answer('Returns all rules, oldest first.', RuleList, { rules: [RULE] }) },
});
