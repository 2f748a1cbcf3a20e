import { ProblemError } from '#http/problem.ts';
import { DEMO_REQUEST, PLAN, PLAN_REQUEST } from '#protocol/examples.ts';
import { mismatchOf, momentsOf } from '#protocol/rule-moments.ts';
import { type RuleClip, RuleTrial } from '#protocol/rules.ts';
import { SubmitRequest } from '#protocol/submit.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { clipBody } from '#service/rules/clip-body.ts';
import { requireValid } from '#service/submit-one.ts';
import { planOf, requireInspected } from './clips-plan.ts';
import { requireRule } from './rule-view.ts';

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
  tryRule: {
    tag: 'Rules',
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
