import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { JOB_ID } from '#protocol/examples.ts';
import { JobRef } from '#protocol/job-view.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { jobFinished } from '../operations/jobs-cancel.ts';

export const cancelAnyJob = operation({
  route: 'POST /admin/jobs/:id/cancel',
  scope: 'operator:operate',
  handler: async ({ job }, { params, requestId }) => {
    accepted(await job(params.id).cancel(null, requestId), { job_finished: jobFinished });
    return json({ job_id: params.id });
  },
});

export const words = (): OperationWords => ({
  summary: 'Cancel a job',
  command: 'jobs cancel <job>',
  description: 'Cancels a job of any account.',
  answers: {
    200: answer('The job is canceled.', JobRef, { job_id: JOB_ID }),
  },
  problems: ['job_finished'],
});
