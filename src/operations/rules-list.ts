import { RULE } from '#protocol/examples.ts';
import { RuleList } from '#protocol/rules.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { ruleViews } from './rule-view.ts';

export const listRules = operation({
  route: 'GET /api/rules',
  scope: 'account:read',
  answers: { 200: RuleList },
  handler: async (service, { caller, reply }) => reply(200, { rules: await ruleViews(service, caller.accountId, 1) }),
});

export const words = (): Words => ({
  listRules: {
    tag: 'Rules',
    summary: 'List rules',
    description: 'Returns all rules, oldest first.',
    answers: { 200: answer('The rules of the account.', { rules: [RULE] }) },
  },
});
