import { jobIdIn } from '#domain/home-database.ts';
import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import { readShape } from '#http/read-body.ts';
import { InspectRequest } from '#protocol/demos.ts';
import { API_ROUTES, href } from '#protocol/routes.ts';
import { countInspections } from '#storage/upkeep.ts';
import { counted, fullnessOf, tooManyReruns } from '../room.ts';
import { requireUploadedDemo } from '../uploads.ts';
import type { ApiHandler } from './api-handler.ts';
import { jobIdOfKey } from './submit-one.ts';

/** Longer than any idempotency key, so that none names an inspection. */
const PREFIX = 'inspect '.padEnd(256, '.');

/**
 * `POST /api/demos`: has a host look into a demo. The id is computed from the address, so an account has each demo read
 * once, however often and from wherever it asks.
 */
export const inspectDemo: ApiHandler<'job' | 'clipIds' | 'databases' | 'limits' | 'settings' | 'now'> = async (
  service,
  { caller, request, requestId },
) => {
  const { job, clipIds, databases, limits, settings, now } = service;
  const { accountId, database, labels } = caller;
  const submits = limits.submits.of(caller.limits.submits);
  const wait = await submits.take(accountId);
  if (wait > 0) throw rateLimited(submits.policy, wait);
  const { demo_url: demoUrl } = await readShape(request, InspectRequest);
  await requireUploadedDemo(service, caller, demoUrl);
  const jobId = jobIdIn(database, await jobIdOfKey(caller.idSalt, PREFIX + demoUrl));
  const { inspections } = settings.limits;
  const hasRoom = (await countInspections(databases.of(database), accountId)) < inspections;
  const problem = limitReached(`${inspections} demos of this account are being looked into already.`);
  const full = fullnessOf(caller, settings, now()) ?? (hasRoom ? null : { of: 'runs' as const, problem });
  const clipId = await clipIds.clipIdOf(jobId);
  const asked = { jobId, accountId, clipId, database, demoUrl, labels, requestId, full: full?.of };
  const result = await counted(
    caller,
    async () => job(jobId).inspectDemo(asked),
    (answer) => (answer.ok ? answer.value.added : null),
  );
  const { demo } = accepted(result, {
    no_room: () => full?.problem ?? problem,
    too_many_reruns: () => tooManyReruns(settings),
  });
  const Location = href(API_ROUTES.getDemo, { id: demo.id });
  return json(demo, demo.state === 'pending' ? 202 : 200, { Location });
};
