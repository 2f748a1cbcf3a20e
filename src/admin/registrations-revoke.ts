import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { revokeRegistration as revoke } from '#storage/host-registrations.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `DELETE /admin/host-registrations/:id`: nobody registers with it from now on. Its hosts stay. */
export const revokeRegistration: AdminHandler<'database' | 'now', 'id'> = async ({ database, now }, { params }) => {
  if (!(await revoke(database, params.id, now()))) throw notFound();
  return noContent();
};
