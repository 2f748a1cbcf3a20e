import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id` (spec 4.2), answered by the job itself. */
export const getJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  const view = await job(params.id).read(caller.accountId);
  if (!view) throw notFound();
  return json(view);
};
