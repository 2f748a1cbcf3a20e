import { RULE } from '#protocol/examples.ts';
import { Rule, RuleChange } from '#protocol/rules.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { updateRule } from '#storage/rules.ts';
import { requireRule, requireValidRule, ruleView } from './rule-view.ts';

export const changeRule = operation({
  route: 'PATCH /api/rules/:id',
  scope: 'account:submit',
  body: RuleChange,
  answers: { 200: Rule },
  handler: async (service, { caller, params: { id }, body, reply }) => {
    const rule = await requireRule(service, caller, id);
    const { name, send, enabled, ...definition } = await body();
    const options = definition.options ?? rule.definition.options;
    await requireValidRule(service, caller, {
      definition: { ...rule.definition, options },
      send: send ?? rule.send,
    });
    const resumed = enabled === undefined ? {} : { enabled, failures: 0, pausedAt: null, pauseReason: null };
    // Any change makes the caller's key the rule's: no key may submit options with the rights of another.
    const changes = { name, send, definition, ...resumed, keyId: caller.keyId };
    const now = service.now();
    const revivesAfter = enabled && !rule.enabled ? now - service.settings.schedule.runDeadline : null;
    await updateRule(service.database, id, changes, { now, revivesAfter });
    return reply(200, await ruleView(service, caller, id));
  },
});

export const words = (): Words => ({
  changeRule: {
    tag: 'Rules',
    summary: 'Change a rule',
    description:
      'Changes the sent fields. The rule then acts with your key. `enabled: true` resumes a paused rule: its waiting runs go on, and those of the last seven days that made no job begin anew.',
    body: { examples: only({ enabled: true }) },
    answers: { 200: answer('The rule after the change.', RULE) },
  },
});
