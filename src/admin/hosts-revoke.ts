import { noContent } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { revokeHost as revoke } from '../../storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `DELETE /admin/hosts/:id`: its token is refused everywhere within 30 seconds. */
export const revokeHost: AdminHandler<'database' | 'now', 'id'> = async ({ database, now }, { params }) => {
  if (!(await revoke(database, params.id, now()))) throw notFound();
  return noContent();
};
