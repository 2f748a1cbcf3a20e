import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { revokeApiKey } from '#storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `DELETE /admin/accounts/:id/keys/:key`: refused everywhere within 30 seconds. */
export const revokeKey: AdminHandler<'database' | 'now', 'id' | 'key'> = async ({ database, now }, { params }) => {
  if (!(await revokeApiKey(database, params.id, params.key, now()))) throw notFound();
  return noContent();
};
