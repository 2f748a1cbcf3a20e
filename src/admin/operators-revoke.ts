import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { revokeOperator as revoke } from '#storage/operators.ts';

export const revokeOperator = operation({
  route: 'DELETE /admin/operators/:id',
  scope: 'operator:admin',
  handler: async ({ database, now }, { params }) => {
    if (!(await revoke(database, params.id, now()))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: "Revoke an operator's token",
  command: 'operators revoke <operator>',
  description: "Revokes the token, everywhere within 30 seconds. The operator's console sessions end at once.",
  answers: { 204: { description: 'The token is revoked.' } },
});
