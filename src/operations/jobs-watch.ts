import { accepted } from '#http/accepted.ts';
import { limitReached } from '#http/rate-limit.ts';
import { parseQuery } from '#http/read-body.ts';
import { JobQuery } from '#protocol/job-detail.ts';
import type { ApiHandler } from './api-handler.ts';
import type { HoldStream } from './held-stream.ts';

/** `GET /api/jobs/:id/events`: status and progress as server-sent events, until the job has finished. */
export const watchJob =
  (holdStream: HoldStream): ApiHandler<'job' | 'settings', 'id'> =>
  ({ job, settings }, context) =>
    holdStream(context, {}, async () => {
      const { caller, params, request, url, waitUntil } = context;
      const { include } = parseQuery(url.searchParams, JobQuery);
      const lastEventId = request.headers.get('Last-Event-ID');
      const stream = accepted(await job(params.id).watch(caller.accountId, include, lastEventId), {
        too_many_followers: () => limitReached(`${settings.limits.jobFollowers} clients follow this job already.`),
      });
      if (stream === null) return null;
      const reader = stream.getReader();
      return async ({ send, signal }) => {
        // The job's object releases the follower at once. Work that begins after the client disconnects needs
        // `waitUntil`.
        signal.addEventListener('abort', () => waitUntil(reader.cancel().catch(() => {})), { once: true });
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          await send(value);
        }
      };
    });
