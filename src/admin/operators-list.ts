import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { AdminListQuery } from '#protocol/admin.ts';
import { selectOperators } from '#storage/operators.ts';
import { pageOf } from '../operations/page-of.ts';
import type { AdminHandler } from './admin-handler.ts';
import { isoTimes } from './views.ts';

/** `GET /admin/operators`. */
export const listOperators: AdminHandler<'database'> = async ({ database }, { url }) => {
  const { limit, cursor } = parseQuery(url.searchParams, AdminListQuery);
  const { rows, next_cursor } = pageOf(await selectOperators(database, cursor, limit), limit);
  const operators = rows.map(({ id, name, role, ...times }) => ({ operator_id: id, name, role, ...isoTimes(times) }));
  return json({ operators, next_cursor });
};
