import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';
import { revokeOperator as revoke } from '#storage/operators.ts';

export const revokeOperator = operation({
  route: 'DELETE /admin/operators/:id',
  scope: 'operator:admin',
  answers: { 204: null },
  handler: async ({ database, now }, { params, reply }) => {
    if (!(await revoke(database, params.id, now()))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  revokeOperator: {
    summary: "Revoke an operator's token",
    command: 'operators revoke <operator>',
    description: "Revokes the token, everywhere within 30 seconds. The operator's console sessions end at once.",
    answers: { 204: { description: 'The token is revoked.' } },
  },
});
