import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { isoTime } from '#protocol/job-view.ts';
import { AuditQuery } from '#protocol/operate.ts';
import { selectAudit } from '#storage/operators.ts';
import { pageOf } from '../operations/page-of.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `GET /admin/audit`: who changed what, the latest first. */
export const listAudit: AdminHandler<'database'> = async ({ database }, { url }) => {
  const { limit, cursor } = parseQuery(url.searchParams, AuditQuery);
  const { rows, next_cursor } = pageOf(await selectAudit(database, cursor, limit), limit);
  const entries = rows.map(({ createdAt, operatorId, operator, action, target, changes, status, requestId }) => ({
    at: isoTime(createdAt),
    operator_id: operatorId,
    operator,
    action,
    target,
    changes,
    status,
    request_id: requestId,
  }));
  return json({ entries, next_cursor });
};
