import { accepted } from '#http/accepted.ts';
import { DIAGNOSED_JOB, DONE_JOB, RETRYING_JOB } from '#protocol/examples.ts';
import { JobDetail, JobQuery } from '#protocol/job-detail.ts';
import { operation, type Words } from '#service/operation.ts';
import { cutReplay } from '../cut-replay.ts';

/** Reads the job from its object (contract 4.2). */
export const getJob = operation({
  route: 'GET /api/jobs/:id',
  scope: 'account:read',
  query: JobQuery,
  answers: { 200: JobDetail },
  handler: async (service, { caller, params, query, reply }) => {
    const { include } = query();
    if (include.includes('replay')) await cutReplay(service, caller, params.id);
    return reply(200, accepted(await service.job(params.id).read(caller.accountId, include)));
  },
});

export const words = (): Words => ({
  getJob: {
    tag: 'Jobs',
    summary: 'Read a job',
    description:
      'The present state of the job, and its request. `extras` is JSON text here; the webhook has it as you sent it. `include` adds why the job failed, each attempt with its host and what the host found, its progress, its place in the queue, and its replay: the ticks of the clip, to be played before the video is there. Inspect the demo with `replay` for that.',
    answers: {
      200: {
        description: 'The job with the included fields.',
        examples: {
          done: { summary: 'Rendered', value: DONE_JOB },
          retrying: { summary: 'Waiting for its next attempt', value: RETRYING_JOB },
          diagnosed: { summary: 'Failed, with `include`', value: DIAGNOSED_JOB },
        },
      },
    },
  },
});
