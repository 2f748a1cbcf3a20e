import { json } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { toHex } from '#platform/digest.ts';
import { NewAccount } from '#protocol/admin.ts';
import { insertAccount } from '#storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `POST /admin/accounts`. */
export const createAccount: AdminHandler<'database' | 'settings' | 'now'> = async (
  { database: accounts, settings, now },
  { request },
) => {
  const { name, provisioned_slots: slots, renderer, labels } = await readShape(request, NewAccount);
  const id = crypto.randomUUID();
  const idSalt = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const account = { id, name, renderer, labels, database: settings.accountDatabase, createdAt: now() };
  await insertAccount(accounts, { ...account, idSalt, provisionedSlots: slots });
  return json(accountView({ ...account, slots, suspendedAt: null, erasingAt: null, limits: {} }), 201);
};
