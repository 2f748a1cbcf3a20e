import { accepted } from '#http/accepted.ts';
import { gone, invalidRequest, ProblemError } from '#http/problem.ts';
import { JOB_ID } from '#protocol/examples.ts';
import { Recovered, RecoverRequest } from '#protocol/recovery.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { findJobRow } from '#storage/all-jobs.ts';
import { isTakenDown } from '#storage/clip-index.ts';
import { findLastRun } from '#storage/usage.ts';

/** How long the platform keeps earlier states. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** If it is cut off after the first call, repeating it with the same bookmark or time continues. */
export const recoverJob = operation({
  route: 'POST /admin/jobs/:id/recover',
  scope: 'operator:admin',
  body: RecoverRequest,
  answers: { 200: Recovered },
  handler: async (service, { params, body, reply }) => {
    const { at, bookmark } = await body();
    const ago = at === undefined ? 0 : service.now() - Date.parse(at);
    if (ago < 0 || ago > KEPT_MS) throw invalidRequest([{ path: 'at', message: 'must lie within the last 30 days' }]);
    const row = await findJobRow(service.database, params.id);
    if (row && (await isTakenDown(service.database, row.clipId))) throw gone();
    const target = bookmark ?? Date.parse(at ?? '');
    const before = accepted(await service.job(params.id).recover(target), {
      not_implemented: () => new ProblemError('not_implemented', 'This runtime keeps no earlier states of objects.'),
    });
    // The call rejects, because it restarts the object.
    await service
      .job(params.id)
      .restart()
      .catch(() => {});
    const version = Math.max(before.version, row?.version ?? 0);
    const run = Math.max(before.run, await findLastRun(service.database, params.id));
    const status = await service.job(params.id).recovered({ version, fence: before.fence, run });
    return reply(200, { job_id: params.id, status, undo_bookmark: before.undo });
  },
});

export const words = (): Words => ({
  recoverJob: {
    summary: 'Restore an earlier state of a job',
    command: 'jobs recover <job>',
    description:
      "Restores the job's object as it was at a time or bookmark, by the platform's point-in-time recovery: its state, webhooks and attempts, not its files. The index and viewers then follow. A job whose clip was taken down is refused with 410: it would bring the clip back. A local runtime keeps no earlier states and answers 501.",
    body: { examples: only({ at: '2026-05-04T18:32:00.000Z' }) },
    answers: {
      200: answer('The job is as it was then.', {
        job_id: JOB_ID,
        status: 'done',
        undo_bookmark: '0000007b-0000b26e-00001538-0c3e87bb37b3db5c',
      }),
    },
    problems: ['gone', 'not_implemented'],
  },
});
