import { AdminListQuery } from '#protocol/admin.ts';
import { OperatorList } from '#protocol/operate.ts';
import { AT, NO_MORE, OPERATOR_ID } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectOperators } from '#storage/operators.ts';
import { pageOf } from '../operations/page-of.ts';
import { isoTimes } from './views.ts';

export const listOperators = operation({
  route: 'GET /admin/operators',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: OperatorList },
  handler: async ({ database }, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectOperators(database, cursor, limit), limit);
    const operators = rows.map(({ id, name, role, ...times }) => ({ operator_id: id, name, role, ...isoTimes(times) }));
    return reply(200, { operators, next_cursor });
  },
});

export const words = (): Words => ({
  listOperators: {
    summary: 'List operators',
    command: 'operators list',
    description: 'Returns operators, oldest first. `ADMIN_TOKEN` is not in the list.',
    answers: {
      200: answer('A page of operators.', {
        operators: [{ operator_id: OPERATOR_ID, name: 'Ada', role: 'operate', created_at: AT, revoked_at: null }],
        ...NO_MORE,
      }),
    },
  },
});
