import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import type { Method, RequestContext, Route } from '../http/router.ts';
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
} from './admin/accounts.ts';
import { requireOperator } from './admin/admin-auth.ts';

type Operation = (db: Database, params: RequestContext['params'], request: Request) => Promise<Response>;

/** What the operator of the service does: accounts, keys and hosts. */
export function adminRoutes(env: Bindings, settings: Settings): Route[] {
  const database = createDatabase(env.DB);
  const on = (method: Method, path: string, operation: Operation): Route => ({
    method,
    path,
    handler: async (request, { params }) => {
      await requireOperator(settings, request);
      return operation(database, params, request);
    },
  });
  return [
    on('GET', '/admin/accounts', (db) => getAccounts(db)),
    on('POST', '/admin/accounts', (db, _, request) => createAccount(db, request)),
    on('PATCH', '/admin/accounts/:id', (db, { id = '' }, request) => changeAccount(db, id, request)),
    on('GET', '/admin/accounts/:id/keys', (db, { id = '' }) => getKeys(db, id)),
    on('POST', '/admin/accounts/:id/keys', (db, { id = '' }, request) => createKey(db, id, request)),
    on('DELETE', '/admin/accounts/:id/keys/:key', (db, { id = '', key = '' }) => deleteKey(db, id, key)),
    on('GET', '/admin/hosts', (db) => getHosts(db)),
    on('POST', '/admin/hosts', (db, _, request) => createHost(db, request)),
    on('DELETE', '/admin/hosts/:id', (db, { id = '' }) => deleteHost(db, id)),
  ];
}
