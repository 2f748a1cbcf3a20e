import { noContent } from '#http/json.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { sessionsOf } from '../admin/session.ts';

export const endSession = operation({
  route: 'DELETE /console/session',
  scope: 'session',
  handler: async (service, { request }) => {
    const response = noContent();
    response.headers.set('Set-Cookie', await sessionsOf(service).end(request));
    return response;
  },
});

export const words = (): OperationWords => ({
  summary: 'End a session of the console',
  description: 'Removes the cookie. The session is refused from now on.',
  answers: { 204: { description: 'The session is over.' } },
});
