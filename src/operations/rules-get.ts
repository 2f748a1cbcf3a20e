import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { RULE } from '#protocol/examples.ts';
import { Rule } from '#protocol/rules.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { ruleViews } from './rule-view.ts';

export const getRule = operation({
  route: 'GET /api/rules/:id',
  scope: 'account:read',
  handler: async (service, { caller, params }) => {
    const [rule] = await ruleViews(service, caller.accountId, 20, params.id);
    if (!rule) throw notFound();
    return json(rule);
  },
});

export const words = (): OperationWords => ({
  tag: 'Rules',
  summary: 'Read a rule',
  description: 'Returns the rule with its latest runs, one for each demo.',
  answers: { 200: answer('The rule with its runs.', Rule, RULE) },
});
