import { accepted } from '../../http/accepted.ts';
import { noContent } from '../../http/json.ts';
import { limitReached, rateLimited } from '../../http/rate-limit.ts';
import { parseQuery } from '../../http/read-body.ts';
import { JobQuery } from '../../protocol/job-detail.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id/events`: status and progress as server-sent events, until the job has finished. */
export const watchJob: ApiHandler<'job' | 'limits' | 'settings', 'id'> = async (
  { job, limits, settings },
  { caller, params, request, url },
) => {
  const follows = limits.follows.of(caller.limits.follows);
  const wait = await follows.take(caller.accountId);
  if (wait > 0) throw rateLimited(follows.policy, wait);
  const { include } = parseQuery(url.searchParams, JobQuery);
  const lastEventId = request.headers.get('Last-Event-ID');
  const stream = accepted(await job(params.id).watch(caller.accountId, include, lastEventId), {
    too_many_followers: () => limitReached(`${settings.limits.jobFollowers} clients follow this job already.`),
  });
  // What ends an `EventSource`, which would else connect again and again.
  if (stream === null) return noContent();
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
};
