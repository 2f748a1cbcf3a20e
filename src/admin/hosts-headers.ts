import { notFound } from '#http/problem.ts';
import { SecretHeaders } from '#protocol/push.ts';
import { only, operation, type Words } from '#service/operation.ts';

/** The headers are stored only in the object of the host: not in the database, the audit log or any answer. */
export const setHostHeaders = operation({
  route: 'PUT /admin/hosts/:id/headers',
  scope: 'operator:admin',
  body: SecretHeaders,
  answers: { 204: null },
  handler: async ({ pushHost }, { params, body, reply }) => {
    const { headers } = await body();
    if (!(await pushHost(params.id).setHeaders(headers))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  setHostHeaders: {
    summary: 'Set the secret headers of a push host',
    description:
      'Replaces the headers that are sent with each grant, for a login proxy or a tunnel in front of the host. They are never shown again. 404 for a host that polls.',
    body: {
      examples: only({ headers: { 'CF-Access-Client-Id': '88bf3b6d.access', 'CF-Access-Client-Secret': 'a-secret' } }),
    },
    answers: { 204: { description: 'The headers are sent from the next grant on.' } },
  },
});
