import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';
import { policyOf, revokeHost as revoke } from '#storage/hosts.ts';

export const revokeHost = operation({
  route: 'DELETE /admin/hosts/:id',
  scope: 'operator:admin',
  answers: { 204: null },
  handler: async (service, { params, reply }) => {
    const host = await revoke(service.database, params.id, service.now());
    if (host === null) throw notFound();
    // No alert goes on about a host that is given up.
    await service.dispatcher().revise(host.id, policyOf(host), true);
    if (host.push !== null) await service.pushHost(params.id).revoke();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  revokeHost: {
    summary: "Revoke a render host's token",
    command: 'hosts revoke <host>',
    description: 'Revokes the token, everywhere within 30 seconds. A push host gets no more jobs.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
});
