import { json } from '#http/json.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import { AccountErasure } from '#protocol/admin.ts';
import { findAccount } from '#storage/accounts.ts';
import { beginErasing } from '#storage/erasure.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `POST /admin/accounts/:id/erase`: begins it; the cron goes on until nothing is left (`sweepErasures`). */
export const eraseAccount: AdminHandler<'database' | 'dispatchers' | 'now', 'id'> = async (
  { database, dispatchers, now },
  { request, params },
) => {
  const { name } = await readShape(request, AccountErasure);
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  if (name !== account.name) throw invalidRequest([{ path: 'name', message: "must be the account's name" }]);
  const at = now();
  await beginErasing(database, account.id, at);
  // No host begins on what is going to be deleted.
  await dispatchers.suspend(account.id, true);
  const { suspendedAt, erasingAt } = account;
  return json(accountView({ ...account, suspendedAt: suspendedAt ?? at, erasingAt: erasingAt ?? at }), 202);
};
