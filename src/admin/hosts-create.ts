import { json } from '../../http/json.ts';
import { newSecret } from '../../http/new-secret.ts';
import { readShape } from '../../http/read-body.ts';
import { NewHost } from '../../protocol/admin.ts';
import { insertHost } from '../../storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';

/** `POST /admin/hosts`: the only time that the token is shown. */
export const createHost: AdminHandler<'database' | 'now'> = async ({ database, now }, { request }) => {
  const { name } = await readShape(request, NewHost);
  const { id, secret, sha256 } = await newSecret('host');
  await insertHost(database, { id, name, tokenSha256: sha256, createdAt: now() });
  return json({ host_id: id, name, token: secret }, 201);
};
