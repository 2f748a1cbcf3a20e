import { toHex } from '../../http/digest.ts';
import { json } from '../../http/json.ts';
import { readShape } from '../../http/read-body.ts';
import { NewAccount } from '../../protocol/admin.ts';
import { insertAccount } from '../../storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `POST /admin/accounts`. */
export const createAccount: AdminHandler<'database' | 'settings' | 'now'> = async (
  { database: accounts, settings, now },
  { request },
) => {
  const { name, provisioned_slots } = await readShape(request, NewAccount);
  const id = crypto.randomUUID();
  const idSalt = toHex(crypto.getRandomValues(new Uint8Array(32)).buffer);
  const createdAt = now();
  const database = settings.accountDatabase;
  await insertAccount(accounts, { id, name, idSalt, provisionedSlots: provisioned_slots, database, createdAt });
  return json(accountView({ id, name, slots: provisioned_slots, database, createdAt }), 201);
};
