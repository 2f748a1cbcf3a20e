import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { ReleaseRequest } from '#protocol/gateway.ts';
import { type OperationWords, only, operation } from '#service/operation.ts';

export const releaseJob = operation({
  route: 'POST /gateway/v1/jobs/:id/release',
  scope: 'host',
  body: ReleaseRequest,
  handler: async ({ job }, { caller: { id: hostId }, params, requestId, body }) => {
    const { fence } = await body();
    accepted(await job(params.id).release({ hostId, fence, requestId }));
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Release a job',
  description: 'Queues the job again at once when its host stops. The job loses no attempt.',
  body: { examples: only({ fence: 1 }) },
  answers: { 204: { description: 'The job is queued again.' } },
  problems: ['stale_lease'],
});
