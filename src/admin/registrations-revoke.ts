import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';
import { revokeRegistration as revoke } from '#storage/host-registrations.ts';

export const revokeRegistration = operation({
  route: 'DELETE /admin/host-registrations/:id',
  scope: 'operator:admin',
  answers: { 204: null },
  handler: async ({ database, now }, { params, reply }) => {
    if (!(await revoke(database, params.id, now()))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  revokeRegistration: {
    summary: 'Revoke a registration of render hosts',
    command: 'registrations revoke <registration>',
    description: 'Revokes the token: no machine can register with it. Its hosts stay.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
});
