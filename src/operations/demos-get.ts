import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/demos/:id`, answered by the inspection itself. */
export const getDemo: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  return json(accepted(await job(params.id).readDemo(caller.accountId)));
};
