import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { readShape } from '../../http/read-body.ts';
import { AccountChanges } from '../../protocol/admin.ts';
import { findAccount, updateAccount } from '../../storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `PATCH /admin/accounts/:id`: changed slots count from the account's next job on. */
export const changeAccount: AdminHandler<'database', 'id'> = async ({ database }, { request, params }) => {
  const { name, provisioned_slots } = await readShape(request, AccountChanges);
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  const slots = provisioned_slots === undefined ? account.slots : provisioned_slots;
  const changed = { ...account, name: name ?? account.name, slots };
  await updateAccount(database, params.id, { name: changed.name, provisionedSlots: slots });
  return json(accountView(changed));
};
