import { newSecret } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { RegisteredHost, RegisterRequest } from '#protocol/host/gateway.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { takeUse } from '#storage/host/host-registrations.ts';
import { insertHost } from '#storage/host/hosts.ts';

/** The caller is the id of the registration. */
export const registerHost = operation({
  route: 'POST /gateway/v1/register',
  scope: 'registration',
  body: RegisterRequest,
  answers: { 201: RegisteredHost },
  handler: async ({ database, now, log }, { caller: registration, requestId, body, reply }) => {
    const { name } = await body();
    const createdAt = now();
    if (!(await takeUse(database, registration, createdAt))) {
      throw new ProblemError('unauthorized', 'This registration was revoked, has ended, or is used up.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    const { id, secret, sha256 } = await newSecret('host');
    await insertHost(database, { id, name, tokenSha256: sha256, createdAt });
    log('host registered', { requestId, registration, host: id, name }, 'info');
    return reply(201, { host_id: id, token: secret });
  },
});

export const words = (): Words => ({
  registerHost: {
    summary: 'Become a render host',
    description:
      'One token for many machines: each gets a token of its own, until the registration is used up or expires.',
    body: { examples: only({ name: 'gpu-17' }) },
    answers: {
      201: answer('The host is made.', {
        host_id: 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628',
        token: 'tr_host_…',
      }),
    },
  },
});
