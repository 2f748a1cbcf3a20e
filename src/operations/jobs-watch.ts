import { accepted } from '../../http/accepted.ts';
import { limitReached, rateLimited } from '../../http/rate-limit.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id/events`: status and progress as server-sent events, until the job has finished. */
export const watchJob: ApiHandler<'job' | 'limits' | 'settings', 'id'> = async (
  { job, limits, settings },
  { caller, params },
) => {
  const follows = limits.follows.of(caller.limits.follows);
  const wait = await follows.take(caller.accountId);
  if (wait > 0) throw rateLimited(follows.policy, wait);
  const stream = accepted(await job(params.id).watch(caller.accountId), {
    too_many_followers: () => limitReached(`${settings.limits.jobFollowers} clients follow this job already.`),
  });
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
};
