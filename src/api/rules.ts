import { DEFAULT_BUDGET } from '#domain/account/account.ts';
import { invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import { DEMO_REQUEST, PLAN, PLAN_REQUEST, RULE, RULE_REQUEST } from '#protocol/examples/client.ts';
import { discordWebhook } from '#protocol/job/discord.ts';
import { href } from '#protocol/lib/routes.ts';
import {
  mismatchOf,
  momentsOf,
  Rule,
  RuleChange,
  type RuleClip,
  RuleList,
  RuleRequest,
  RuleTrial,
} from '#protocol/rule/rules.ts';
import { requireValid } from '#service/job/submit-one.ts';
import { answer, located, only, operation, type Words } from '#service/lib/operation.ts';
import { clipBody } from '#service/rule/advance-runs.ts';
import { type RuleService, ruleView, ruleViews } from '#service/rule/rule-view.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { findRule, insertRule, type RuleRow, removeRule, updateRule } from '#storage/rule/rules.ts';
import { planOf, requireInspected } from './clips-plan.ts';

/** Returns a rule of the caller. Throws a 404 problem if there is none. */
async function requireRule({ database }: RuleService, { accountId }: Caller, id: string): Promise<RuleRow> {
  const rule = await findRule(database, accountId, id);
  if (!rule) throw notFound();
  return rule;
}

/** Throws a 400 problem if no clip could be submitted with the options and destinations of a rule. */
async function requireValidRule(
  service: RuleService,
  caller: Caller,
  rule: Pick<RuleRow, 'definition' | 'send'>,
): Promise<void> {
  const { discord_url } = rule.send;
  if (discord_url !== undefined && !discordWebhook(discord_url, service.settings.allowPrivateAddresses)) {
    throw invalidRequest([{ path: 'send.discord_url', message: 'must be the URL of a webhook of Discord' }]);
  }
  const body = clipBody(rule, { steam64_id: '1' }, 'https://example.com/match.dem');
  await requireValid(service, caller, body, null).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.errors)) throw error;
    const parent = (path: string) => (path.startsWith('webhook_') ? 'send' : 'options');
    throw invalidRequest(error.errors.map(({ path, message }) => ({ path: `${parent(path)}.${path}`, message })));
  });
}

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

export const listRules = operation({
  route: 'GET /api/rules',
  scope: 'account:read',
  answers: { 200: RuleList },
  handler: async (service, { caller, reply }) => reply(200, { rules: await ruleViews(service, caller.accountId, 1) }),
});

export const getRule = operation({
  route: 'GET /api/rules/:id',
  scope: 'account:read',
  answers: { 200: Rule },
  handler: async (service, { caller, params, reply }) => reply(200, await ruleView(service, caller, params.id)),
});

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

export const deleteRule = operation({
  route: 'DELETE /api/rules/:id',
  scope: 'account:submit',
  answers: { 204: null },
  handler: async (service, { caller, params, reply }) => {
    const { id } = await requireRule(service, caller, params.id);
    await removeRule(service.database, id);
    return reply(204, null);
  },
});

/** Writes nothing. */
export const tryRule = operation({
  route: 'POST /api/rules/:id/try',
  scope: 'account:read',
  repeatable: 'always',
  body: SubmitRequest.pick({ demo_url: true }),
  answers: { 200: RuleTrial },
  handler: async (service, { caller, params, body, reply }) => {
    const { demo_url } = await body();
    const rule = await requireRule(service, caller, params.id);
    const match = await requireInspected(service, caller, demo_url);
    const mismatch = mismatchOf(rule.definition.when, match);
    const clips: RuleClip[] = [];
    for (const request of mismatch === null ? momentsOf(rule.definition.render, match) : []) {
      try {
        const wanted = await requireValid(service, caller, clipBody(rule, request, demo_url), null);
        clips.push({ request, plan: planOf(service, caller, wanted, match), problem: null });
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        clips.push({ request, plan: null, problem: error.message });
      }
    }
    return reply(200, { mismatch, clips });
  },
});

export const words = (): Words => ({
  createRule: {
    summary: 'Make a rule',
    description:
      'Makes a rule that renders clips of each demo that arrives from now on, as jobs of your key (docs/rules.md). A rule with `enabled: false` renders nothing until you resume it: try it first to see what its clips cost.',
    body: { examples: only(RULE_REQUEST) },
    answers: {
      201: answer('The rule is made.', RULE, located('Address of the new rule.', '/api/rules/d1b8e5f0')),
    },
    problems: ['limit_reached'],
  },
  listRules: {
    summary: 'List rules',
    description: 'Returns all rules, oldest first.',
    answers: { 200: answer('The rules of the account.', { rules: [RULE] }) },
  },
  getRule: {
    summary: 'Read a rule',
    description: 'Returns the rule with its latest runs, one for each demo.',
    answers: { 200: answer('The rule with its runs.', RULE) },
  },
  changeRule: {
    summary: 'Change a rule',
    description:
      'Changes the sent fields. The rule then acts with your key. `enabled: true` resumes a paused rule: its waiting runs go on, and those of the last seven days that made no job begin anew.',
    body: { examples: only({ enabled: true }) },
    answers: { 200: answer('The rule after the change.', RULE) },
  },
  deleteRule: {
    summary: 'Delete a rule',
    description: 'Deletes the rule with its runs. Submitted jobs and their clips stay.',
    answers: { 204: { description: 'The rule is deleted.' } },
  },
  tryRule: {
    summary: 'Try a rule',
    description:
      'Returns the clips of a demo that is inspected, with plans and prices as `POST /api/plan` has them. Budgets, source and tag do not count.',
    body: { examples: only(DEMO_REQUEST) },
    answers: {
      200: answer('The clips that the rule would make.', {
        mismatch: null,
        clips: [{ request: PLAN_REQUEST, plan: PLAN, problem: null }],
      }),
    },
    problems: ['demo_not_inspected'],
  },
});
