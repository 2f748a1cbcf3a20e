import { json } from '#http/json.ts';
import { ACCOUNT_ID, CLIP, JOB_ID } from '#protocol/examples.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import { AT, NO_MORE } from '#protocol/operator-examples.ts';
import { ReportList, ReportQuery } from '#protocol/reports.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { readNames } from '#storage/find.ts';
import { selectReports } from '#storage/reports.ts';
import { pageOf } from '../operations/page-of.ts';

export const listReports = operation({
  route: 'GET /admin/reports',
  scope: 'operator:read',
  query: ReportQuery,
  handler: async ({ database }, { query }) => {
    const { limit, cursor, clip, state } = query();
    const filter = { clipId: clip, isOpen: state && state === 'open' };
    const { rows, next_cursor } = pageOf(await selectReports(database, filter, cursor, limit), limit);
    const nameOf = await readNames(
      database,
      rows.map(({ accountId }) => accountId),
    );
    const reports = rows.map(({ id, clipId, jobId, accountId, createdAt, closedAt, ...rest }) => ({
      ...{ report_id: id, clip_id: clipId, job_id: jobId },
      ...{ account_id: accountId, account_name: nameOf(accountId), ...rest },
      ...{ created_at: isoTime(createdAt), closed_at: isoTimeOrNull(closedAt) },
    }));
    return json({ reports, next_cursor });
  },
});

export const words = (): OperationWords => ({
  summary: 'List reports of viewers',
  command: 'reports list',
  description: 'What viewers reported about clips, newest first. A report is deleted after 90 days.',
  answers: {
    200: answer('The reports.', ReportList, {
      reports: [
        {
          report_id: '3e0d7a52-6c1b-4f98-a2e4-5b9c08d7f163',
          ...{ clip_id: CLIP.id, job_id: JOB_ID, account_id: ACCOUNT_ID, account_name: 'Example', title: CLIP.title },
          ...{ reason: 'privacy', text: 'My address is in the chat.', contact: 'ada@example.com' },
          ...{ created_at: AT, closed_at: null, outcome: null },
        },
      ],
      ...NO_MORE,
    }),
  },
});
