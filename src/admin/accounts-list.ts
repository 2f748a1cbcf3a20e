import { json } from '../../http/json.ts';
import { selectAccounts } from '../../storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView } from './views.ts';

/** `GET /admin/accounts`. */
export const listAccounts: AdminHandler<'database'> = async ({ database }) => {
  return json({ accounts: (await selectAccounts(database)).map(accountView) });
};
