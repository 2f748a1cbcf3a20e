import { accepted } from '#http/accepted.ts';
import { JOB_ID } from '#protocol/examples.ts';
import { JobRef } from '#protocol/job-view.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { jobFinished } from '../operations/jobs.ts';

export const cancelAnyJob = operation({
  route: 'POST /admin/jobs/:id/cancel',
  scope: 'operator:operate',
  answers: { 200: JobRef },
  handler: async ({ job }, { params, requestId, reply }) => {
    accepted(await job(params.id).cancel(null, requestId), { job_finished: jobFinished });
    return reply(200, { job_id: params.id });
  },
});

export const words = (): Words => ({
  cancelAnyJob: {
    summary: 'Cancel a job',
    command: 'jobs cancel <job>',
    description: 'Cancels a job of any account.',
    answers: { 200: answer('The job is canceled.', { job_id: JOB_ID }) },
    problems: ['job_finished'],
  },
});
