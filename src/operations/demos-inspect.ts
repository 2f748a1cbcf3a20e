import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import { Demo, InspectRequest } from '#protocol/demos.ts';
import { DEMO, DEMO_ID, DEMO_REQUEST, PENDING_DEMO } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { answer, type OperationWords, only, operation } from '#service/operation.ts';
import type { Caller } from '#storage/accounts.ts';
import { countInspections } from '#storage/upkeep.ts';
import { counted, firstLimitReached, tooManyReruns } from '../job-limits.ts';
import { requireUploadedDemo } from '../uploads.ts';
import { getDemo } from './demos-get.ts';
import { jobIdOfKey } from './submit-one.ts';

/** A prefix longer than any idempotency key, so that no key leads to an inspection. */
const PREFIX = 'inspect '.padEnd(256, '.');

/** Returns the id of the account's inspection of a demo. */
export function demoIdOf({ idSalt }: Pick<Caller, 'idSalt'>, demoUrl: string): Promise<string> {
  return jobIdOfKey(idSalt, PREFIX + demoUrl);
}

/** Inspects a demo. The id is computed from the address, so an account inspects each demo once. */
export const inspectDemo = operation({
  route: 'POST /api/demos',
  scope: 'account:submit',
  repeatable: 'always',
  diskShare: 1,
  body: InspectRequest,
  handler: async (service, { caller, requestId, body }) => {
    const { job, clipIds, database, limits, settings, now, controls } = service;
    const { accountId, labels } = caller;
    const submits = limits.submits.of(caller.limits.submits);
    const wait = await submits.take(accountId);
    if (wait > 0) throw rateLimited(submits.policy, wait);
    const { demo_url: demoUrl } = await body();
    await requireUploadedDemo(service, caller, demoUrl);
    const jobId = await demoIdOf(caller, demoUrl);
    const { inspections } = settings.limits;
    const isAllowed = (await countInspections(database, accountId)) < inspections;
    const problem = limitReached(`${inspections} demos of this account are being looked into already.`);
    const full = firstLimitReached(caller, settings, now()) ?? (isAllowed ? null : { of: 'runs' as const, problem });
    const clipId = await clipIds.clipIdOf(jobId);
    const { blocked } = await controls.read();
    const asked = { jobId, accountId, clipId, demoUrl, labels, requestId, full: full?.of, blocked };
    const result = await counted(
      caller,
      async () => job(jobId).inspectDemo(asked),
      (answer) => (answer.ok ? answer.value.added : null),
    );
    const { demo } = accepted(result, {
      limit_reached: () => full?.problem ?? problem,
      too_many_reruns: () => tooManyReruns(settings),
    });
    const Location = href(getDemo.route, { id: demo.id });
    return json(demo, demo.state === 'pending' ? 202 : 200, { Location });
  },
});

export const words = (): OperationWords => ({
  tag: 'Demos',
  summary: 'Inspect a demo',
  description: [
    'A render host reads the demo and reports what is in it: players, rounds, kills, and highlights, each with the body of a submit that makes a clip of it. Inspections go before best-effort renders and are not metered. Read the demo until its `state` is no longer `pending`.',
    'An address is read once: for 7 days the answer is what was found. A demo that could not be read is tried again.',
  ].join('\n\n'),
  body: { examples: only(DEMO_REQUEST) },
  answers: {
    202: answer('The demo is being read.', Demo, PENDING_DEMO, {
      Location: { description: 'Where the demo is read.', example: `/api/demos/${DEMO_ID}` },
    }),
    200: answer('It was read before, or its address is not accepted.', Demo, DEMO, {
      Location: { description: 'Where the demo is read.', example: `/api/demos/${DEMO_ID}` },
    }),
  },
  problems: ['limit_reached'],
});
