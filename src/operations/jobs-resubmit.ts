import { accepted } from '#http/accepted.ts';
import { limitReached } from '#http/rate-limit.ts';
import { JOB_ID } from '#protocol/examples.ts';
import { JobRef } from '#protocol/job-view.ts';
import { counted, firstLimitReached, requireSubmitRate, tooManyReruns } from '#service/job-limits.ts';
import { answer, operation, type Words } from '#service/operation.ts';

/** Contract 4.3. */
export const resubmitJob = operation({
  route: 'POST /api/jobs/:id/resubmit',
  scope: 'account:submit',
  diskShare: 1,
  answers: { 200: JobRef },
  handler: async ({ job, limits, settings, now, controls }, { caller, params, requestId, reply }) => {
    await requireSubmitRate({ limits }, caller);
    const { frames = settings.limits.frames } = caller.limits;
    const full = firstLimitReached(caller, settings, now());
    const isFull = full?.of === 'runs';
    const { blocked } = await controls.read();
    const result = await counted(
      caller,
      async () => job(params.id).resubmit(caller.accountId, { requestId, isFull, most: frames, blocked }),
      (answer) => (answer.ok ? answer.value : null),
    );
    accepted(result, {
      limit_reached: () => full?.problem ?? limitReached('This account has no room for another job.'),
      too_many_reruns: () => tooManyReruns(settings),
    });
    return reply(200, { job_id: params.id });
  },
});

export const words = (): Words => ({
  resubmitJob: {
    tag: 'Jobs',
    summary: 'Run a job again',
    description:
      'Runs the job in place: same id, same request, same webhook address. The new clip replaces the old one under its id. A pending webhook is canceled, and the new outcome sends its own. For a `retrying` job this only ends the wait: earlier attempts still count. It counts as a submit and as an unfinished job. A job runs again at most 60 times an hour.',
    answers: { 200: answer('The job is `pending` again.', { job_id: JOB_ID }) },
    problems: ['job_in_flight', 'request_forgotten', 'limit_reached'],
  },
});
