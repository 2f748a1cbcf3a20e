import { json } from '#http/json.ts';
import { newSecret } from '#http/new-secret.ts';
import { readShape } from '#http/read-body.ts';
import { NewHost } from '#protocol/admin.ts';
import { insertHost } from '#storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { registerPush, requireCallable } from './push-registration.ts';

/** `POST /admin/hosts`: the only time that the token is shown, and the secret of a host that is called. */
export const createHost: AdminHandler<'database' | 'now' | 'pushHost' | 'settings'> = async (service, { request }) => {
  const { name, push } = await readShape(request, NewHost);
  if (push) requireCallable(push, service.settings);
  const { id, secret, sha256 } = await newSecret('host');
  const stored = push ? JSON.stringify(push) : null;
  await insertHost(service.database, { id, name, tokenSha256: sha256, createdAt: service.now(), push: stored });
  const answer = { host_id: id, name, token: secret };
  if (!push) return json(answer, 201);
  return json({ ...answer, push_secret: await registerPush(service, { id, push, tokenSha256: sha256 }) }, 201);
};
