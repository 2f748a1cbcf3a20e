import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { revokeRegistration as revoke } from '#storage/host-registrations.ts';

/** Nobody registers with it from now on. Its hosts stay. */
export const revokeRegistration = operation({
  route: 'DELETE /admin/host-registrations/:id',
  scope: 'operator:admin',
  handler: async ({ database, now }, { params }) => {
    if (!(await revoke(database, params.id, now()))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  tag: 'Administration',
  summary: 'Revoke a registration of render hosts',
  description: 'Nobody registers with it any more. The hosts that it has made stay.',
  answers: { 204: { description: 'The token is revoked.' } },
});
