import { DEFAULT_BUDGET } from '#domain/rule-budget.ts';
import { json } from '#http/json.ts';
import { limitReached } from '#http/rate-limit.ts';
import { RULE, RULE_REQUEST } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { Rule, RuleRequest } from '#protocol/rules.ts';
import { answer, type OperationWords, only, operation } from '#service/operation.ts';
import { insertRule } from '#storage/rules.ts';
import { requireValidRule, ruleViews } from './rule-view.ts';
import { getRule } from './rules-get.ts';

export const createRule = operation({
  route: 'POST /api/rules',
  scope: 'account:submit',
  body: RuleRequest,
  handler: async (service, { caller, body }) => {
    const { accountId, keyId } = caller;
    const { name, render, enabled = true, when = {}, options = {}, send = {}, budget = DEFAULT_BUDGET } = await body();
    const definition = { when, render, options, budget };
    await requireValidRule(service, caller, { definition, send });
    const id = crypto.randomUUID();
    const rule = { id, accountId, name, keyId, definition, send, enabled, createdAt: service.now() };
    const most = service.settings.limits.rules;
    if (!(await insertRule(service.database, rule, most))) throw limitReached(`An account may have ${most} rules.`);
    const [made] = await ruleViews(service, caller.accountId, 0, id);
    return json(made, 201, { Location: href(getRule.route, { id }) });
  },
});

export const words = (): OperationWords => ({
  tag: 'Rules',
  summary: 'Make a rule',
  description:
    'Makes a rule that renders clips of each demo that arrives from now on, as jobs of your key (docs/rules.md). A rule with `enabled: false` renders nothing until you resume it: try it first to see what its clips cost.',
  body: { examples: only(RULE_REQUEST) },
  answers: {
    201: answer('The rule is made.', Rule, RULE, {
      Location: { description: 'Address of the new rule.', example: '/api/rules/d1b8e5f0' },
    }),
  },
  problems: ['limit_reached'],
});
