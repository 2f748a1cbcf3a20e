import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { findAccount } from '#storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `GET /admin/accounts/:id`. */
export const getAccount: AdminHandler<'database', 'id'> = async ({ database }, { params }) => {
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  return json(accountView(account));
};
