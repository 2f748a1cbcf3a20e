import { Demo, InspectRequest } from '#protocol/demos.ts';
import { DEMO, DEMO_ID, DEMO_REQUEST, PENDING_DEMO } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { beginInspection } from '#service/inspect-demo.ts';
import { requireSubmitRate } from '#service/job-limits.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { getDemo } from './demos-get.ts';

/** Inspects a demo. The id is computed from the address, so an account inspects each demo once. */
export const inspectDemo = operation({
  route: 'POST /api/demos',
  scope: 'account:submit',
  repeatable: 'always',
  diskShare: 1,
  body: InspectRequest,
  answers: { 202: Demo, 200: Demo },
  handler: async (service, { caller, requestId, body, reply }) => {
    await requireSubmitRate(service, caller);
    const { demo_url, replay } = await body();
    const demo = await beginInspection(service, { caller, requestId }, demo_url, replay);
    const Location = href(getDemo.route, { id: demo.id });
    return reply(demo.state === 'pending' ? 202 : 200, demo, { Location });
  },
});

export const words = (): Words => ({
  inspectDemo: {
    tag: 'Demos',
    summary: 'Inspect a demo',
    description: [
      'A render host reads the demo and reports what is in it: players, rounds, kills, and highlights, each with the body of a submit that makes a clip of it. Inspections go before best-effort renders and are not metered. Read the demo until its `state` is no longer `pending`.',
      'With `replay`, the demo can also be played from above at `replay_url`, and `GET /api/jobs/:id?include=replay` gives the same for the ticks of a clip. A demo that was read without it is read again.',
      'An address is read once: for 7 days the answer is what was found. If an older `reader` found it more than an hour ago, the demo is read again, once for each new reader; what was found stays until then, and if that fails. A demo that could not be read is tried again. A link that answers 401, 403, 404 or 410 fails at once.',
    ].join('\n\n'),
    body: { examples: only(DEMO_REQUEST) },
    answers: {
      202: answer('The demo is being read.', PENDING_DEMO, {
        Location: { description: "Address of the demo's inspection.", example: `/api/demos/${DEMO_ID}` },
      }),
      200: answer('The demo was read before, or its address is not accepted.', DEMO, {
        Location: { description: "Address of the demo's inspection.", example: `/api/demos/${DEMO_ID}` },
      }),
    },
    problems: ['limit_reached'],
  },
});
