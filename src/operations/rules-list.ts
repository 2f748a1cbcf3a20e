import { json } from '#http/json.ts';
import { RULE } from '#protocol/examples.ts';
import { RuleList } from '#protocol/rules.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { ruleViews } from './rule-view.ts';

export const listRules = operation({
  route: 'GET /api/rules',
  scope: 'account:read',
  handler: async (service, { caller }) => json({ rules: await ruleViews(service, caller.accountId, 1) }),
});

export const words = (): OperationWords => ({
  tag: 'Rules',
  summary: 'List rules',
  description: 'Returns all rules, oldest first.',
  answers: { 200: answer('The rules of the account.', RuleList, { rules: [RULE] }) },
});
