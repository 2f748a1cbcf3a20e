import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import { bindRoutes, type Handler, type RequestContext, type Route } from '../http/router.ts';
import { ADMIN_ROUTES } from '../protocol/routes.ts';
import { createDatabase, type Database } from '../storage/database.ts';
import {
  changeAccount,
  createAccount,
  createHost,
  createKey,
  deleteHost,
  deleteKey,
  getAccounts,
  getHosts,
  getKeys,
  rotateHost,
  rotateKey,
} from './admin/accounts.ts';
import { requireOperator } from './admin/admin-auth.ts';

type Operation = (db: Database, params: RequestContext['params'], request: Request) => Promise<Response>;

/** What the operator of the service does: accounts, keys and hosts. */
export function adminRoutes(env: Bindings, settings: Settings): Route[] {
  const database = createDatabase(env.DB);
  const on =
    (operation: Operation): Handler =>
    async (request, { params }) => {
      await requireOperator(settings, request);
      return operation(database, params, request);
    };
  return bindRoutes(ADMIN_ROUTES, {
    listAccounts: on((db) => getAccounts(db)),
    createAccount: on((db, _, request) => createAccount(db, request)),
    changeAccount: on((db, { id = '' }, request) => changeAccount(db, id, request)),
    listKeys: on((db, { id = '' }) => getKeys(db, id)),
    createKey: on((db, { id = '' }, request) => createKey(db, id, request)),
    rotateKey: on((db, { id = '', key = '' }) => rotateKey(db, id, key)),
    revokeKey: on((db, { id = '', key = '' }) => deleteKey(db, id, key)),
    listHosts: on((db) => getHosts(db)),
    createHost: on((db, _, request) => createHost(db, request)),
    rotateHost: on((db, { id = '' }) => rotateHost(db, id)),
    revokeHost: on((db, { id = '' }) => deleteHost(db, id)),
  });
}
