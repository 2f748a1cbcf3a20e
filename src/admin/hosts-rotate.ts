import { newSecret } from '#http/new-secret.ts';
import { notFound } from '#http/problem.ts';
import { HostOnce } from '#protocol/admin.ts';
import { HOST_ID } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { policyOf, replaceHostToken } from '#storage/hosts.ts';
import { readPush, registerPush } from './push-registration.ts';

export const rotateHost = operation({
  route: 'POST /admin/hosts/:id/rotate',
  scope: 'operator:admin',
  answers: { 200: HostOnce },
  handler: async (service, { params, reply }) => {
    const { secret, sha256 } = await newSecret('host');
    const host = await replaceHostToken(service.database, params.id, sha256);
    if (host === null) throw notFound();
    const answer = { host_id: params.id, name: host.name, token: secret };
    const push = readPush(host.push);
    if (!push) return reply(200, answer);
    const registration = { id: params.id, push, tokenSha256: sha256, policy: policyOf(host) };
    return reply(200, { ...answer, push_secret: await registerPush(service, registration) });
  },
});

export const words = (): Words => ({
  rotateHost: {
    summary: "Replace a render host's token",
    command: 'hosts rotate <host>',
    description:
      'The host keeps its id and name. The old token is refused everywhere within 30 seconds. A push host also gets a new secret, which is valid at once.',
    answers: {
      200: answer('The new token, which is shown only once.', {
        host_id: HOST_ID,
        name: 'host 1',
        token: 'tr_host_…',
      }),
    },
  },
});
