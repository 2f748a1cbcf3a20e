import { isoTime } from '#protocol/job-view.ts';
import { AuditList, AuditQuery } from '#protocol/operate.ts';
import { AT, HOST_ID, NO_MORE, OPERATOR_ID } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { readNames } from '#storage/find.ts';
import { selectAudit } from '#storage/operators.ts';
import { pageOf } from '../operations/page-of.ts';

export const listAudit = operation({
  route: 'GET /admin/audit',
  scope: 'operator:read',
  query: AuditQuery,
  answers: { 200: AuditList },
  handler: async ({ database }, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectAudit(database, cursor, limit), limit);
    const nameOf = await readNames(
      database,
      rows.flatMap(({ target }) => Object.values(target)),
    );
    const entries = rows.map(({ createdAt, operatorId, operator, action, target, changes, status, requestId }) => ({
      at: isoTime(createdAt),
      operator_id: operatorId,
      operator,
      action,
      target,
      target_name: Object.values(target).map(nameOf).find(Boolean) ?? null,
      changes,
      status,
      request_id: requestId,
    }));
    return reply(200, { entries, next_cursor });
  },
});

export const words = (): Words => ({
  listAudit: {
    summary: 'List the audit log',
    command: 'audit',
    description: 'Every change that an operator made, and each key that an account made or revoked, newest first.',
    answers: {
      200: answer('A page of changes.', {
        entries: [
          {
            at: AT,
            operator_id: OPERATOR_ID,
            operator: 'Ada',
            action: 'changeHost',
            target: { id: HOST_ID },
            target_name: 'host 1',
            changes: '{"hold":"paused"}',
            status: 200,
            request_id: '0a6f2f5e-5a1b-4c37-9a52-7f6f1c0f4e11',
          },
        ],
        ...NO_MORE,
      }),
    },
  },
});
