import { cardsOf, tooLong } from '#domain/clip/plan/clip-length.ts';
import { planSelection } from '#domain/clip/plan/plan-selection.ts';
import { DEFAULTS, framesOf } from '#domain/clip/render-order.ts';
import type { ErrorCode, Facts } from '#domain/failure/codes.ts';
import { explainFailure } from '#domain/failure/help.ts';
import { rendererOf } from '#domain/job/fallback.ts';
import { ProblemError } from '#http/problem.ts';
import { readJson } from '#http/read-body.ts';
import { Plan } from '#protocol/clip/plan.ts';
import {
  assetsAsked,
  isOtherShape,
  namesAsked,
  SubmitRequest,
  selectionOf,
  type ValidRequest,
} from '#protocol/clip/submit.ts';
import type { DemoMatch } from '#protocol/demo/demos.ts';
import { isAtGateway } from '#protocol/demo/faceit.ts';
import { plannableDemo, planView } from '#protocol/demo/plan.ts';
import { PLAN, PLAN_REQUEST } from '#protocol/examples/client.ts';
import { demoIdOf } from '#service/demo/inspect-demo.ts';
import { isExtras, requireValid } from '#service/job/submit-one.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import type { Caller } from '#storage/account/accounts.ts';

/** Plans a clip as a render host does, from the account's inspection of the demo. Writes nothing. */
export const planClip = operation({
  route: 'POST /api/plan',
  scope: 'account:read',
  repeatable: 'always',
  body: SubmitRequest,
  answers: { 200: Plan },
  handler: async (service, { caller, request, reply }) => {
    const { value } = await readJson(request, isExtras);
    const wanted = await requireValid(service, caller, value, null);
    const plan = planOf(service, caller, wanted, await requireInspected(service, caller, wanted.demo_url));
    return reply(200, { ...plan, ...(await hostFor(service, caller, wanted, plan)) });
  },
});

/** Returns the plan of a request. Throws a 422 problem if the clip cannot be made. */
export function planOf(
  { settings }: Pick<Service, 'settings'>,
  caller: Caller,
  wanted: ValidRequest,
  found: DemoMatch,
): Plan {
  const { fps = DEFAULTS.fps, resolution = DEFAULTS.resolution } = wanted;
  const selection = selectionOf(wanted);
  const most = caller.limits.frames ?? settings.limits.frames;
  const asked = framesOf(selection, fps);
  if (asked > most) throw impossible({ code: 'clip_too_long', facts: { unit: 'frames', length: asked, most } });
  const match = plannableDemo(found);
  const planned = planSelection(match, selection);
  if (!planned.ok) throw impossible(planned);
  const cards = Object.values(cardsOf(assetsAsked(wanted))).flat();
  const refused = tooLong(planned.shots, match, fps, {}, most, cards);
  if (refused) throw impossible(refused);
  const prices = caller.keyKind === 'metered' ? settings.prices : null;
  const renderer = rendererOf(wanted, caller.renderer, settings.renderer);
  return { ...planView(found, planned.shots, { resolution, fps }, prices, cards), renderer };
}

/** A host that was seen within this time is online. */
const ONLINE_MS = 60_000;

/** Returns whether a host that can make a planned clip is online; an empty object if that is unknown. */
export async function hostFor(
  { dispatcher, settings }: Pick<Service, 'dispatcher' | 'settings'>,
  { keyKind, labels }: Pick<Caller, 'keyKind' | 'labels'>,
  request: ValidRequest,
  { renderer }: Pick<Plan, 'renderer'>,
): Promise<Pick<Plan, 'host_online'>> {
  if (keyKind === 'test') return { host_online: true };
  const { demo_url, resolution = DEFAULTS.resolution, fps = DEFAULTS.fps } = request;
  const asked = {
    uploads: isAtGateway(demo_url, settings),
    names: namesAsked(request),
    aspect: isOtherShape(request),
  };
  const skills = (['uploads', 'names', 'aspect'] as const).filter((skill) => asked[skill]);
  const need = { resolution, fps, renderer, labels, skills, refusedBuilds: [] };
  try {
    return { host_online: await dispatcher().hasHostFor(need, ONLINE_MS) };
  } catch {
    return {};
  }
}

/** Returns the account's inspection of a demo. Throws a 409 problem if there is none. */
export async function requireInspected(
  { job }: Pick<Service, 'job'>,
  caller: Caller,
  demoUrl: string,
): Promise<DemoMatch> {
  const result = await job(await demoIdOf(caller, demoUrl)).readDemo(caller.accountId);
  const { state, match, diagnosis } = result.ok ? result.value : {};
  if (match) return match;
  const failed = state === 'error' ? diagnosis : null;
  const detail =
    state === 'pending'
      ? 'The demo is being inspected. Ask again when its `state` is `ready`.'
      : 'Inspect the demo first: `POST /api/demos` with its `demo_url`.';
  throw new ProblemError('demo_not_inspected', failed?.summary ?? detail, { errorCode: failed?.error_code });
}

function impossible({ code, facts }: { readonly code: ErrorCode; readonly facts?: Facts }): ProblemError {
  return new ProblemError('clip_impossible', explainFailure(code, facts ?? null), { errorCode: code });
}

export const words = (): Words => ({
  planClip: {
    summary: 'Plan a clip',
    description: [
      'Takes the body of a submit and returns the shots of the clip. It makes no job, does not use the `idempotency_key`, and costs nothing. Inspect the demo first (`POST /api/demos`). Render hosts plan with the same code.',
      'A plan cannot know whether the demo can still be downloaded, whether the game can play it, and limits of single hosts.',
    ].join('\n\n'),
    body: { examples: only(PLAN_REQUEST) },
    answers: { 200: answer('The shots of the clip.', PLAN) },
    problems: ['demo_not_inspected', 'clip_impossible'],
  },
});
