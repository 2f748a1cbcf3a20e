import { json } from '#http/json.ts';
import { ConsoleSession } from '#protocol/operate.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';

export const getSession = operation({
  route: 'GET /console/session',
  scope: 'session',
  handler: (_, { caller: { name, role } }) => json({ name, role }),
});

export const words = (): OperationWords => ({
  summary: 'Read the session of the console',
  description: 'Returns the operator of a session cookie or a token.',
  answers: {
    200: answer('The operator of the session.', ConsoleSession, { name: 'Ada', role: 'operate' }),
  },
});
