import type * as z from 'zod';
import { DAY_MS } from '#domain/job/metering.ts';
import { invalidRequest, ProblemError, problemBody } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { sha256Hex } from '#platform/digest.ts';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import type { DemoMatch } from '#protocol/demo/demos.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { jobIdOfKey, requireValid, submitOne } from '#service/job/submit-one.ts';
import {
  claimAgentPlan,
  findAgentPlan,
  insertAgentPlans,
  type NewAgentPlan,
  releaseAgentPlan,
} from '#storage/account/agent-plans.ts';
import { findUsed } from '#storage/lib/budgets.ts';
import { submitClip } from '../api/clips.ts';
import { hostFor, planOf, requireInspected } from '../api/clips-plan.ts';
import { maySubmit, type Turn } from './turn.ts';

/** A plan can be rendered for this time. */
const PLAN_TTL_MS = 60 * 60_000;
const NO_PLAN = 'is not the id of a plan of this account, or the plan has expired';

/** The body of a submit without the demo and the fields that an agent must not choose. */
export const Clip = SubmitRequest.omit({
  demo_url: true,
  idempotency_key: true,
  force: true,
  extras: true,
  webhook_url: true,
  webhook_auth_header: true,
});

type Asked = { readonly demo_url: string; readonly clips: readonly z.output<typeof Clip>[] };

/**
 * Plans clips of an inspected demo, and stores the plans if the key may submit. A clip that cannot be made has its
 * problem instead. Rejects with a problem if the demo is not inspected, or if the account has made too many plans.
 */
export async function planClips(turn: Turn, { demo_url, clips }: Asked): Promise<object> {
  const { service, caller, requestId } = turn;
  const { database, settings } = service;
  const match = await requireInspected(service, caller, demo_url);
  const now = service.now();
  const planned = await Promise.all(
    clips.map((clip) =>
      planOne(turn, { demo_url, ...clip }, match).then(
        async ({ wanted, ...one }) => ({ ...one, host: await hostFor(service, caller, wanted, one.plan) }),
        (error: unknown) => {
          if (error instanceof ProblemError) return { problem: problemBody(error, requestId, settings.baseUrl) };
          throw error;
        },
      ),
    ),
  );
  const isStored = maySubmit(turn);
  const rows = planned.flatMap((one) => ('problem' in one || !isStored ? [] : [one.row]));
  const { plans: most } = settings.limits;
  const terms = { accountId: caller.accountId, now, most };
  if (rows.length > 0 && !(await insertAgentPlans(database, rows, terms))) {
    throw limitReached(`An account may make ${most} plans an hour.`, PLAN_TTL_MS / 1000);
  }
  return {
    plans: planned.map((one) =>
      'problem' in one ? one : { plan_id: isStored ? one.row.id : null, ...one.plan, ...one.host },
    ),
    expires_at: isoTime(now + PLAN_TTL_MS),
    budget: await budgetOf(turn),
  };
}

/**
 * Submits the request of a plan, after its length is claimed from the budget of the day. The job's idempotency key is
 * made of the plan's id, so repeated calls return the same job. Rejects with a problem if the key may not submit, if
 * the plan is unknown, has expired or no longer applies, if the budget is too small, and if the submit is refused.
 */
export async function renderPlan(turn: Turn, id: string): Promise<object> {
  const { service, caller } = turn;
  const { database, now } = service;
  const { accountId } = caller;
  // A refused call must not use the budget, even for a moment.
  await turn.admit(submitClip);
  await takeRate(service, caller, 'submits');
  const found = await findAgentPlan(database, accountId, id);
  if (!found) throw invalidPlan(NO_PLAN);
  const key = `mcp-${id}`;
  const jobId = await jobIdOfKey(caller.idSalt, key);
  const rendered = { job_id: jobId, seconds: found.length / 1000 };
  // The job of a plan is returned whatever has changed since.
  if ((await service.job(jobId).read(accountId)).ok) return rendered;
  if (found.createdAt + PLAN_TTL_MS <= now()) throw invalidPlan(NO_PLAN);
  const match = await requireInspected(service, caller, found.request.demo_url);
  const { row } = await planOne(turn, found.request, match);
  if (row.planSha256 !== found.planSha256) {
    throw invalidPlan(
      'is of a plan that no longer applies: the demo, the renderer or the price for this key has changed',
    );
  }
  if (!(await claimAgentPlan(database, found, { budget: budgetMs(turn), now: now() }))) {
    const { seconds_a_day, seconds_left } = await budgetOf(turn);
    const detail = `The clip is ${rendered.seconds} seconds long. Agents of this account may render ${seconds_a_day} seconds a day (UTC); ${seconds_left} are left.`;
    throw limitReached(detail, Math.ceil((DAY_MS - (now() % DAY_MS)) / 1000));
  }
  try {
    await submitOne(service, turn, { ...found.request, idempotency_key: key }, null);
    return rendered;
  } catch (error) {
    // After any other error the job may exist.
    if (error instanceof ProblemError) await releaseAgentPlan(database, id);
    throw error;
  }
}

/** Plans a request. `planSha256` covers the plan, its price, and all that was found in the demo. */
async function planOne({ service, caller }: Turn, request: NewAgentPlan['request'], match: DemoMatch) {
  const wanted = await requireValid(service, caller, request, null);
  const plan = planOf(service, caller, wanted, match);
  const planSha256 = await sha256Hex(JSON.stringify([plan, match]));
  const row = { id: crypto.randomUUID(), request, planSha256, length: Math.round(plan.seconds * 1000) };
  return { wanted, plan, row };
}

function budgetMs({ caller, service }: Turn): number {
  return 1000 * (caller.limits.agent_seconds_a_day ?? service.settings.limits.agent_seconds_a_day);
}

/** Returns how many seconds of clip agents of the account may render on this day (UTC), and how many are left. */
async function budgetOf(turn: Turn): Promise<{ seconds_a_day: number; seconds_left: number }> {
  const { service, caller } = turn;
  const most = budgetMs(turn);
  const { agent_seconds_a_day: claimed = 0 } = await findUsed(service.database, caller.accountId, service.now());
  return { seconds_a_day: most / 1000, seconds_left: Math.max(0, most - claimed) / 1000 };
}

function invalidPlan(message: string): ProblemError {
  return invalidRequest([{ path: 'plan_id', message: `${message}. Call plan_clips` }]);
}
