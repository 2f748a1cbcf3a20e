import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { ACCOUNT_ID, LISTED_JOB } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import { formatCursor } from '#protocol/lists.ts';
import { AllJobs, AllJobsQuery } from '#protocol/operate.ts';
import { NO_MORE } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { selectAllJobs } from '#storage/all-jobs.ts';
import { readNames } from '#storage/find.ts';
import { selectJobs } from '#storage/lists.ts';
import type { JobRow } from '#storage/schema.ts';
import { isoTimeOrNull } from './views.ts';

export const listAllJobs = operation({
  route: 'GET /admin/jobs',
  scope: 'operator:read',
  query: AllJobsQuery,
  handler: async ({ database }, { query }) => {
    const asked = query();
    const { account, status, mode, tier, error_code: errorCode, limit } = asked;
    const priority = tier && tier === 'reserved';
    const page = { from: asked.created_from, to: asked.created_to, after: asked.cursor, limit, status, mode };
    if (account !== undefined && !(await findAccount(database, account))) throw notFound();
    const { rows: found, end } =
      account === undefined
        ? await selectAllJobs(database, { ...page, priority, errorCode })
        : { rows: await selectJobs(database, account, page), end: null };
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : end;
    const isMeant = (row: JobRow) =>
      (priority === undefined || row.priority === priority) && (errorCode ?? row.errorCode) === row.errorCode;
    const nameOf = await readNames(
      database,
      rows.flatMap(({ accountId, clipId }) => [accountId, clipId]),
    );
    const jobs = rows
      .filter(isMeant)
      .map((row) => ({ ...viewOf(row), account_name: nameOf(row.accountId), title: nameOf(row.clipId) }));
    return json({ jobs, next_cursor: last ? formatCursor(last) : null });
  },
});

export const words = (): OperationWords => ({
  summary: 'List jobs of all accounts',
  command: 'jobs list',
  description:
    'Newest first. A filter searches some thousand jobs at a time: continue while there is a `next_cursor`, even after a short page.',
  answers: {
    200: answer('The jobs.', AllJobs, {
      jobs: [{ ...LISTED_JOB, account_id: ACCOUNT_ID, account_name: 'Example', title: null, webhook: null }],
      ...NO_MORE,
    }),
  },
});

function viewOf(row: JobRow) {
  return {
    id: row.id,
    account_id: row.accountId,
    status: row.status,
    mode: row.mode,
    priority: row.priority,
    fps: row.fps,
    resolution: row.resolution,
    clip_id: row.status === 'done' ? row.clipId : null,
    error_code: row.errorCode,
    created_at: isoTime(row.createdAt),
    finished_at: isoTimeOrNull(row.finishedAt),
    webhook: row.webhookTrouble,
  };
}
