import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { DIAGNOSED_JOB, DONE_JOB, RETRYING_JOB } from '#protocol/examples.ts';
import { JobDetail, JobQuery } from '#protocol/job-detail.ts';
import { type OperationWords, operation } from '#service/operation.ts';

/** (contract 4.2), answered by the job itself. */
export const getJob = operation({
  route: 'GET /api/jobs/:id',
  scope: 'account:read',
  query: JobQuery,
  handler: async ({ job }, { caller, params, query }) => {
    const { include } = query();
    return json(accepted(await job(params.id).read(caller.accountId, include)));
  },
});

export const words = (): OperationWords => ({
  tag: 'Jobs',
  summary: 'Read a job',
  description:
    'The state of the job at this moment, and what it was asked to make. `extras` is told as JSON text here; the webhook gives it back as you sent it. With `include`, why it failed, each attempt with its host and what that found, how far it is, and its place in the queue.',
  answers: {
    200: {
      description: 'The job as it stands.',
      content: {
        schema: JobDetail,
        examples: {
          done: { summary: 'Rendered', value: DONE_JOB },
          retrying: { summary: 'Waiting for its next attempt', value: RETRYING_JOB },
          diagnosed: { summary: 'Failed, with `include`', value: DIAGNOSED_JOB },
        },
      },
    },
  },
});
