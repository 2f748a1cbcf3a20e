import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { revokeOperator as revoke } from '#storage/operators.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `DELETE /admin/operators/:id`: the token is refused everywhere within 30 seconds. */
export const revokeOperator: AdminHandler<'database' | 'now', 'id'> = async ({ database, now }, { params }) => {
  if (!(await revoke(database, params.id, now()))) throw notFound();
  return noContent();
};
