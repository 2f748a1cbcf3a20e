import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { findAccount, selectApiKeys } from '../../storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { isoTimes } from './views.ts';

/** `GET /admin/accounts/:id/keys`. */
export const listKeys: AdminHandler<'database', 'id'> = async ({ database }, { params }) => {
  if (!(await findAccount(database, params.id))) throw notFound();
  const keys = await selectApiKeys(database, params.id);
  return json({ keys: keys.map(({ id, kind, hint, ...times }) => ({ key_id: id, kind, hint, ...isoTimes(times) })) });
};
