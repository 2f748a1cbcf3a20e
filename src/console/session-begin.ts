import { bearerToken, unauthorized } from '#http/credentials.ts';
import { ConsoleSession } from '#protocol/operate.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { sessionsOf } from '../admin/session.ts';

export const beginSession = operation({
  route: 'POST /console/session',
  scope: 'session',
  answers: { 200: ConsoleSession },
  handler: async (service, { request, caller: { id, name, role }, reply }) => {
    // Only a token begins a session: a cookie must not extend its own past the hour.
    if (bearerToken(request) === null) throw unauthorized('A session begins with a token.');
    return reply(200, { name, role }, { 'Set-Cookie': await sessionsOf(service).begin(request, id) });
  },
});

export const words = (): Words => ({
  beginSession: {
    summary: 'Begin a session of the console',
    description:
      'Needs a token: a session cannot begin another. The answer sets a cookie that is valid for an hour and that no script can read.',
    answers: { 200: answer('The operator who signed in.', { name: 'Ada', role: 'operate' }) },
  },
});
