import { RULE } from '#protocol/examples.ts';
import { Rule } from '#protocol/rules.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { ruleView } from './rule-view.ts';

export const getRule = operation({
  route: 'GET /api/rules/:id',
  scope: 'account:read',
  answers: { 200: Rule },
  handler: async (service, { caller, params, reply }) => reply(200, await ruleView(service, caller, params.id)),
});

export const words = (): Words => ({
  getRule: {
    tag: 'Rules',
    summary: 'Read a rule',
    description: 'Returns the rule with its latest runs, one for each demo.',
    answers: { 200: answer('The rule with its runs.', RULE) },
  },
});
