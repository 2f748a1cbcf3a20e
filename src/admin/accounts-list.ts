import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { AdminListQuery } from '#protocol/admin.ts';
import { selectAccounts } from '#storage/accounts.ts';
import { pageOf } from '../operations/page-of.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `GET /admin/accounts`. */
export const listAccounts: AdminHandler<'database'> = async ({ database }, { url }) => {
  const { limit, cursor } = parseQuery(url.searchParams, AdminListQuery);
  const { rows, next_cursor } = pageOf(await selectAccounts(database, cursor, limit), limit);
  return json({ accounts: rows.map(accountView), next_cursor });
};
