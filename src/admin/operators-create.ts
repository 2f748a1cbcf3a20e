import { newSecret } from '#http/new-secret.ts';
import { NewOperator, OperatorOnce } from '#protocol/operate.ts';
import { OPERATOR_ID } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { insertOperator } from '#storage/operators.ts';

export const createOperator = operation({
  route: 'POST /admin/operators',
  scope: 'operator:admin',
  body: NewOperator,
  answers: { 201: OperatorOnce },
  handler: async ({ database, now }, { body, reply }) => {
    const { name, role } = await body();
    const { id, secret, sha256 } = await newSecret('operator');
    await insertOperator(database, { id, name, role, tokenSha256: sha256, createdAt: now() });
    return reply(201, { operator_id: id, name, role, token: secret });
  },
});

export const words = (): Words => ({
  createOperator: {
    summary: 'Create an operator',
    command: 'operators create <name> <role>',
    description: 'Creates a token that allows what its role allows.',
    body: { examples: only({ name: 'Ada', role: 'operate' }) },
    answers: {
      201: answer('The token, which is shown only once.', {
        operator_id: OPERATOR_ID,
        name: 'Ada',
        role: 'operate',
        token: 'tr_op_…',
      }),
    },
  },
});
