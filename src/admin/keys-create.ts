import { notFound } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import { NewKey } from '#protocol/admin.ts';
import { findAccount } from '#storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { issueKey } from './issue-key.ts';

/** `POST /admin/accounts/:id/keys`: the only time that the key is shown. */
export const createKey: AdminHandler<'database' | 'now', 'id'> = async (service, { request, params }) => {
  const { kind, name = null, scope, expires_at } = await readShape(request, NewKey);
  const expiresAt = expires_at === undefined ? null : Date.parse(expires_at);
  const account = await findAccount(service.database, params.id);
  if (!account || account.erasingAt !== null) throw notFound();
  return issueKey(service, params.id, { kind, name, scope, expiresAt });
};
