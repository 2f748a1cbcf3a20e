import { json } from '#http/json.ts';
import { newSecret } from '#http/new-secret.ts';
import { readShape } from '#http/read-body.ts';
import { NewOperator } from '#protocol/operate.ts';
import { insertOperator } from '#storage/operators.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `POST /admin/operators`: the only time that the token is shown. */
export const createOperator: AdminHandler<'database' | 'now'> = async ({ database, now }, { request }) => {
  const { name, role } = await readShape(request, NewOperator);
  const { id, secret, sha256 } = await newSecret('operator');
  await insertOperator(database, { id, name, role, tokenSha256: sha256, createdAt: now() });
  return json({ operator_id: id, name, role, token: secret }, 201);
};
