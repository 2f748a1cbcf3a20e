import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { revokeRegistration as revoke } from '#storage/host-registrations.ts';

export const revokeRegistration = operation({
  route: 'DELETE /admin/host-registrations/:id',
  scope: 'operator:admin',
  handler: async ({ database, now }, { params }) => {
    if (!(await revoke(database, params.id, now()))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Revoke a registration of render hosts',
  command: 'registrations revoke <registration>',
  description: 'Revokes the token: no machine can register with it. Its hosts stay.',
  answers: { 204: { description: 'The token is revoked.' } },
});
