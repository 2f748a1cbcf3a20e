import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { revokeHost as revoke } from '#storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `DELETE /admin/hosts/:id`: its token is refused everywhere within 30 seconds, and it is not called any more. */
export const revokeHost: AdminHandler<'database' | 'now' | 'pushHost', 'id'> = async (service, { params }) => {
  const host = await revoke(service.database, params.id, service.now());
  if (host === null) throw notFound();
  if (host.push !== null) await service.pushHost(params.id).revoke();
  return noContent();
};
