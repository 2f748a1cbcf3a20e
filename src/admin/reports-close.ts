import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { ReportClosing } from '#protocol/reports.ts';
import { type OperationWords, only, operation } from '#service/operation.ts';
import { closeReport as close } from '#storage/reports.ts';

export const closeReport = operation({
  route: 'POST /admin/reports/:id/close',
  scope: 'operator:operate',
  body: ReportClosing,
  handler: async ({ database, now }, { params, body }) => {
    const { outcome } = await body();
    if (!(await close(database, params.id, outcome, now()))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Close a report',
  command: 'reports close <report>',
  description: 'Changes nothing if it is closed already. To take its clip down, use `DELETE /admin/clips/:id`.',
  body: { examples: only({ outcome: 'dismissed' }) },
  answers: { 204: { description: 'The report is closed.' } },
});
