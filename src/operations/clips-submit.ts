import { json } from '#http/json.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { readJson } from '#http/read-body.ts';
import type { ApiHandler } from './api-handler.ts';
import { submitOne } from './submit-one.ts';

/** `POST /api/clips` (contract 4.1). */
export const submitClip: ApiHandler<'job' | 'clipIds' | 'databases' | 'limits' | 'settings' | 'now'> = async (
  service,
  { caller, request, requestId, waitUntil },
) => {
  const submits = service.limits.submits.of(caller.limits.submits);
  const wait = submits.waitOf(caller.accountId);
  if (wait > 0) throw rateLimited(submits.policy, wait);
  // What the platform's count comes to is for the requests after this one: nobody waits for it.
  waitUntil(submits.count(caller.accountId));
  const { value, opaque } = await readJson(request, (path) => path.length === 1 && path[0] === 'extras');
  const { jobId, status, headers } = await submitOne(
    service,
    { caller, requestId },
    value,
    opaque.get('extras') ?? null,
  );
  return json({ job_id: jobId }, status, headers);
};
