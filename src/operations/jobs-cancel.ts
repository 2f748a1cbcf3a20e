import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { ProblemError } from '#http/problem.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/jobs/:id/cancel`: the job ends in `error` with the code `canceled`. Repeatable. */
export const cancelJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params, requestId }) => {
  accepted(await job(params.id).cancel(caller.accountId, requestId), { job_finished: jobFinished });
  return json({ job_id: params.id });
};

export function jobFinished(): ProblemError {
  return new ProblemError('job_finished', 'The job has its outcome already; it cannot be canceled any more.');
}
