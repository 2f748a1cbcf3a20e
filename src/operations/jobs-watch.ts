import { accepted } from '#http/accepted.ts';
import { limitReached } from '#http/rate-limit.ts';
import { NOTICES } from '#protocol/examples.ts';
import { JobQuery } from '#protocol/job-detail.ts';
import { JobNotice } from '#protocol/job-notice.ts';
import { operation, type Words } from '#service/operation.ts';
import { holdStreamOf } from './held-stream.ts';

export const watchJob = operation({
  route: 'GET /api/jobs/:id/events',
  scope: 'account:read',
  query: JobQuery,
  handler: (service, context) => {
    const { job, settings } = service;
    return holdStreamOf(service)(context, {}, async () => {
      const { caller, params, request, waitUntil } = context;
      const { include } = context.query();
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
  },
});

export const words = (): Words => ({
  watchJob: {
    tag: 'Jobs',
    summary: 'Follow a job',
    description:
      'Server-sent events: first the present state, then every change and all progress, until the job has finished. A comment every 15 seconds keeps the stream alive. It ends after an hour: connect again, and the first event is the present state. A client that sends the id of the outcome as `Last-Event-ID` gets 204. `include` is that of the job; with `queue`, the place is sent again while the job waits.',
    headers: { 'Last-Event-ID': { description: 'The id of the last received event.', example: '7' } },
    answers: {
      200: { description: 'A stream of events.', content: { eventSchema: JobNotice, events: NOTICES } },
      204: { description: 'The job has finished, and `Last-Event-ID` is of its outcome.' },
    },
    problems: ['limit_reached'],
  },
});
