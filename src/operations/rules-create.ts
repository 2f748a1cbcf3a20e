import { DEFAULT_BUDGET } from '#domain/rule-budget.ts';
import { limitReached } from '#http/rate-limit.ts';
import { RULE, RULE_REQUEST } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { Rule, RuleRequest } from '#protocol/rules.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { insertRule } from '#storage/rules.ts';
import { requireValidRule, ruleView } from './rule-view.ts';
import { getRule } from './rules-get.ts';

export const createRule = operation({
  route: 'POST /api/rules',
  scope: 'account:submit',
  body: RuleRequest,
  answers: { 201: Rule },
  handler: async (service, { caller, body, reply }) => {
    const { accountId, keyId } = caller;
    const { name, render, enabled = true, when = {}, options = {}, send = {}, budget = DEFAULT_BUDGET } = await body();
    const definition = { when, render, options, budget };
    await requireValidRule(service, caller, { definition, send });
    const id = crypto.randomUUID();
    const rule = { id, accountId, name, keyId, definition, send, enabled, createdAt: service.now() };
    const most = service.settings.limits.rules;
    if (!(await insertRule(service.database, rule, most))) throw limitReached(`An account may have ${most} rules.`);
    return reply(201, await ruleView(service, caller, id, 0), { Location: href(getRule.route, { id }) });
  },
});

export const words = (): Words => ({
  createRule: {
    tag: 'Rules',
    summary: 'Make a rule',
    description:
      'Makes a rule that renders clips of each demo that arrives from now on, as jobs of your key (docs/rules.md). A rule with `enabled: false` renders nothing until you resume it: try it first to see what its clips cost.',
    body: { examples: only(RULE_REQUEST) },
    answers: {
      201: answer('The rule is made.', RULE, {
        Location: { description: 'Address of the new rule.', example: '/api/rules/d1b8e5f0' },
      }),
    },
    problems: ['limit_reached'],
  },
});
