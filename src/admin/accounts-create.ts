import { toHex } from '../../http/digest.ts';
import { json } from '../../http/json.ts';
import { readShape } from '../../http/read-body.ts';
import { NewAccount } from '../../protocol/admin.ts';
import { insertAccount } from '../../storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `POST /admin/accounts`. */
export const createAccount: AdminHandler<'database' | 'now'> = async ({ database, now }, { request }) => {
  const { name, provisioned_slots, renderer, labels } = await readShape(request, NewAccount);
  const id = crypto.randomUUID();
  const idSalt = toHex(crypto.getRandomValues(new Uint8Array(32)).buffer);
  const createdAt = now();
  await insertAccount(database, { id, name, idSalt, provisionedSlots: provisioned_slots, renderer, labels, createdAt });
  return json(accountView({ id, name, slots: provisioned_slots, renderer, labels, createdAt }), 201);
};
