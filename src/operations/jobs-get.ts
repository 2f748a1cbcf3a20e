import { accepted } from '../../http/accepted.ts';
import { json } from '../../http/json.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id` (contract 4.2), answered by the job itself. */
export const getJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  return json(accepted(await job(params.id).read(caller.accountId)));
};
