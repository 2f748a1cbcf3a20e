import { newSecret } from '#http/credentials.ts';
import { notFound } from '#http/problem.ts';
import { AT, HOST_ID, NO_MORE, OPERATOR_ID } from '#protocol/examples/operator.ts';
import { AdminListQuery, pageOf } from '#protocol/lib/lists.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { AuditList, AuditQuery, NewOperator, OperatorList, OperatorOnce } from '#protocol/operate/operate.ts';
import { isoTimes } from '#service/account/account-view.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { readNames } from '#storage/operate/find.ts';
import { insertOperator, revokeOperator as revoke, selectAudit, selectOperators } from '#storage/operate/operators.ts';

export const listAudit = operation({
  route: 'GET /admin/audit',
  scope: 'operator:read',
  query: AuditQuery,
  answers: { 200: AuditList },
  handler: async ({ database }, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectAudit(database, cursor, limit), limit);
    const nameOf = await readNames(
      database,
      rows.flatMap(({ target }) => Object.values(target)),
    );
    const entries = rows.map(({ createdAt, operatorId, operator, action, target, changes, status, requestId }) => ({
      at: isoTime(createdAt),
      operator_id: operatorId,
      operator,
      action,
      target,
      target_name: Object.values(target).map(nameOf).find(Boolean) ?? null,
      changes,
      status,
      request_id: requestId,
    }));
    return reply(200, { entries, next_cursor });
  },
});

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
  listAudit: {
    summary: 'List the audit log',
    command: 'audit',
    description: 'Every change that an operator made, and each key that an account made or revoked, newest first.',
    answers: {
      200: answer('A page of changes.', {
        entries: [
          {
            at: AT,
            operator_id: OPERATOR_ID,
            operator: 'Ada',
            action: 'changeHost',
            target: { id: HOST_ID },
            target_name: 'host 1',
            changes: '{"hold":"paused"}',
            status: 200,
            request_id: '0a6f2f5e-5a1b-4c37-9a52-7f6f1c0f4e11',
          },
        ],
        ...NO_MORE,
      }),
    },
  },
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
  revokeOperator: {
    summary: "Revoke an operator's token",
    command: 'operators revoke <operator>',
    description: "Revokes the token, everywhere within 30 seconds. The operator's console sessions end at once.",
    answers: { 204: { description: 'The token is revoked.' } },
  },
});
