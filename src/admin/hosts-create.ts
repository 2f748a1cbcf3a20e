import { newSecret } from '#http/new-secret.ts';
import { HostOnce, NewHost } from '#protocol/admin.ts';
import { HOST_ID, PUSH } from '#protocol/operator-examples.ts';
import { operation, type Words } from '#service/operation.ts';
import { insertHost } from '#storage/hosts.ts';
import { registerPush, requireCallable } from './push-registration.ts';

export const createHost = operation({
  route: 'POST /admin/hosts',
  scope: 'operator:admin',
  body: NewHost,
  answers: { 201: HostOnce },
  handler: async (service, { body, reply }) => {
    const { name, push } = await body();
    if (push) requireCallable(push, service.settings);
    const { id, secret, sha256 } = await newSecret('host');
    const stored = push ? JSON.stringify(push) : null;
    const row = { id, name, tokenSha256: sha256, createdAt: service.now(), push: stored };
    await insertHost(service.database, row);
    const answer = { host_id: id, name, token: secret };
    if (!push) return reply(201, answer);
    return reply(201, { ...answer, push_secret: await registerPush(service, { id, push, tokenSha256: sha256 }) });
  },
});

export const words = (): Words => ({
  createHost: {
    summary: 'Create a render host',
    description:
      'Creates the token with which the host asks for work. With `push`, the service sends the host its jobs instead: each as a grant, signed as Standard Webhooks are. The host answers 202 and continues as if it had claimed the job, or answers 429 or 503 with `Retry-After`.',
    body: {
      examples: {
        polls: { summary: 'A host that polls', value: { name: 'host 1' } },
        called: { summary: 'A push host', value: { name: 'host 2', push: PUSH } },
      },
    },
    answers: {
      201: {
        description: 'The token, which is shown only once.',
        examples: {
          polls: { summary: 'A host that polls', value: { host_id: HOST_ID, name: 'host 1', token: 'tr_host_…' } },
          called: {
            summary: 'A push host',
            value: { host_id: HOST_ID, name: 'host 2', token: 'tr_host_…', push_secret: 'whsec_…' },
          },
        },
      },
    },
  },
});
