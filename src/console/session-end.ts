import { operation, type Words } from '#service/operation.ts';
import { sessionsOf } from '../admin/session.ts';

export const endSession = operation({
  route: 'DELETE /console/session',
  scope: 'session',
  answers: { 204: null },
  handler: async (service, { request, reply }) => {
    return reply(204, null, { 'Set-Cookie': await sessionsOf(service).end(request) });
  },
});

export const words = (): Words => ({
  endSession: {
    summary: 'End a session of the console',
    description: 'Removes the cookie. The session is refused from now on.',
    answers: { 204: { description: 'The session is over.' } },
  },
});
