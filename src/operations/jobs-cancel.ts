import { accepted } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';
import { JOB_ID } from '#protocol/examples.ts';
import { JobRef } from '#protocol/job-view.ts';
import { answer, operation, type Words } from '#service/operation.ts';

export const cancelJob = operation({
  route: 'POST /api/jobs/:id/cancel',
  scope: 'account:submit',
  answers: { 200: JobRef },
  handler: async ({ job }, { caller, params, requestId, reply }) => {
    accepted(await job(params.id).cancel(caller.accountId, requestId), { job_finished: jobFinished });
    return reply(200, { job_id: params.id });
  },
});

export const words = (): Words => ({
  cancelJob: {
    tag: 'Jobs',
    summary: 'Cancel a job',
    description:
      'Ends an unfinished job: it becomes `error` with the code `canceled`, and its `job.failed` webhook is sent. A render host that works on it learns of it with its next heartbeat and stops. Canceling it again changes nothing. A canceled job can be run again like any failed job.',
    answers: { 200: answer('The job is canceled.', { job_id: JOB_ID }) },
    problems: ['job_finished'],
  },
});

export function jobFinished(): ProblemError {
  return new ProblemError('job_finished', 'The job has its outcome already; it cannot be canceled any more.');
}
