import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `POST /admin/jobs/:id/cancel`: of any account. */
export const cancelAnyJob: AdminHandler<'job', 'id'> = async ({ job }, { params, requestId }) => {
  accepted(await job(params.id).cancel(null, requestId));
  return json({ job_id: params.id });
};
