import { accepted } from '#http/accepted.ts';
import { ReleaseRequest } from '#protocol/host/gateway.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';

export const releaseJob = operation({
  route: 'POST /gateway/v1/jobs/:id/release',
  scope: 'host',
  body: ReleaseRequest,
  answers: { 204: null },
  handler: async ({ job }, { caller: { id: hostId }, params, requestId, body, reply }) => {
    const { fence } = await body();
    accepted(await job(params.id).release({ hostId, fence, requestId }));
    return reply(204, null);
  },
});

export const words = (): Words => ({
  releaseJob: {
    summary: 'Release a job',
    description: 'Queues the job again at once when its host stops. The job loses no attempt.',
    body: { examples: only({ fence: 1 }) },
    answers: { 204: { description: 'The job is queued again.' } },
    problems: ['stale_lease'],
  },
});
