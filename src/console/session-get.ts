import { ConsoleSession } from '#protocol/operate.ts';
import { answer, operation, type Words } from '#service/operation.ts';

export const getSession = operation({
  route: 'GET /console/session',
  scope: 'session',
  answers: { 200: ConsoleSession },
  handler: (_, { caller: { name, role }, reply }) => reply(200, { name, role }),
});

export const words = (): Words => ({
  getSession: {
    summary: 'Read the session of the console',
    description: 'Returns the operator of a session cookie or a token.',
    answers: { 200: answer('The operator of the session.', { name: 'Ada', role: 'operate' }) },
  },
});
