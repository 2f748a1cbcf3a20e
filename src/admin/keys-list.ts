import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { parseQuery } from '#http/read-body.ts';
import { AdminListQuery } from '#protocol/admin.ts';
import { findAccount, selectApiKeys } from '#storage/accounts.ts';
import { pageOf } from '../operations/page-of.ts';
import type { AdminHandler } from './admin-handler.ts';
import { isoTimeOrNull, isoTimes } from './views.ts';

/** `GET /admin/accounts/:id/keys`. */
export const listKeys: AdminHandler<'database', 'id'> = async ({ database }, { params, url }) => {
  const { limit, cursor } = parseQuery(url.searchParams, AdminListQuery);
  if (!(await findAccount(database, params.id))) throw notFound();
  const { rows, next_cursor } = pageOf(await selectApiKeys(database, params.id, cursor, limit), limit);
  const keys = rows.map(({ id, kind, hint, name, scope, expiresAt, usedAt, ...times }) => ({
    ...{ key_id: id, kind, name, scope, hint },
    expires_at: isoTimeOrNull(expiresAt),
    last_used: isoTimeOrNull(usedAt),
    ...isoTimes(times),
  }));
  return json({ keys, next_cursor });
};
