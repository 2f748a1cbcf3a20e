import { accepted } from '../../http/accepted.ts';
import { json } from '../../http/json.ts';
import { ProblemError } from '../../http/problem.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/jobs/:id/resubmit` (contract 4.3). */
export const resubmitJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params, requestId }) => {
  accepted(await job(params.id).resubmit(caller.accountId, requestId), {
    job_in_flight: () =>
      new ProblemError('job_in_flight', 'The job is pending, prefetching or rendering; wait for its outcome.'),
    request_forgotten: () =>
      new ProblemError('request_forgotten', 'What was asked of this job is no longer kept; submit it anew.'),
  });
  return json({ job_id: params.id });
};
