import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { FailRequest } from '#protocol/gateway.ts';
import { type OperationWords, only, operation } from '#service/operation.ts';

export const failJob = operation({
  route: 'POST /gateway/v1/jobs/:id/fail',
  scope: 'host',
  body: FailRequest,
  handler: async ({ job }, { caller: { id: hostId }, params, requestId, body }) => {
    const { refused_build: refusedBuild, ...failed } = await body();
    accepted(await job(params.id).fail({ ...failed, refusedBuild, hostId, requestId }));
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Fail a job',
  description: 'The code decides whether the job is tried again.',
  body: {
    examples: only({ fence: 1, code: 'demo_404', detail: 'GET https://demos.example.com/match-1842.dem.gz: 404' }),
  },
  answers: { 204: { description: 'Noted.' } },
  problems: ['stale_lease'],
});
