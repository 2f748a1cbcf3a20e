import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/jobs/:id/cancel`: the job ends in `error` with the code `canceled`. Repeatable. */
export const cancelJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params, requestId }) => {
  accepted(await job(params.id).cancel(caller.accountId, requestId));
  return json({ job_id: params.id });
};
