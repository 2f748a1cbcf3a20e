import { json } from '../../http/json.ts';
import { newSecret } from '../../http/new-secret.ts';
import { notFound } from '../../http/problem.ts';
import { replaceHostToken } from '../../storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `POST /admin/hosts/:id/rotate`: the host's old token is refused everywhere within 30 seconds. */
export const rotateHost: AdminHandler<'database', 'id'> = async ({ database }, { params }) => {
  const { secret, sha256 } = await newSecret('host');
  const name = await replaceHostToken(database, params.id, sha256);
  if (name === null) throw notFound();
  return json({ host_id: params.id, name, token: secret });
};
