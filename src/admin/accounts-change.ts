import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { readShape } from '../../http/read-body.ts';
import { AccountChanges } from '../../protocol/admin.ts';
import { findAccount, updateAccount } from '../../storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `PATCH /admin/accounts/:id`: what is changed counts from the account's next job on, within 30 seconds. */
export const changeAccount: AdminHandler<'database', 'id'> = async ({ database }, { request, params }) => {
  const changes = await readShape(request, AccountChanges);
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  const slots = changes.provisioned_slots === undefined ? account.slots : changes.provisioned_slots;
  const renderer = changes.renderer === undefined ? account.renderer : changes.renderer;
  const { name = account.name, labels = account.labels } = changes;
  const changed = { ...account, name, slots, renderer, labels };
  await updateAccount(database, params.id, { name, provisionedSlots: slots, renderer, labels });
  return json(accountView(changed));
};
