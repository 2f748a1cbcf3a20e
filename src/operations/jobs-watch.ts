import { accepted } from '../../http/accepted.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id/events`: status and progress as server-sent events, until the job has finished. */
export const watchJob: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  const stream = accepted(await job(params.id).watch(caller.accountId));
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
};
