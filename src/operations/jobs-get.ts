import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { JobQuery } from '#protocol/job-detail.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id` (contract 4.2), answered by the job itself. */
export const getJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params, url }) => {
  const { include } = parseQuery(url.searchParams, JobQuery);
  return json(accepted(await job(params.id).read(caller.accountId, include)));
};
