import { json } from '#http/json.ts';
import { newSecret } from '#http/new-secret.ts';
import { notFound } from '#http/problem.ts';
import { policyOf, replaceHostToken } from '#storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { readPush, registerPush } from './push-registration.ts';

/**
 * `POST /admin/hosts/:id/rotate`: the host's old token is refused everywhere within 30 seconds. Grants for a host that
 * is called are signed under a new secret at once.
 */
export const rotateHost: AdminHandler<'database' | 'pushHost' | 'settings', 'id'> = async (service, { params }) => {
  const { secret, sha256 } = await newSecret('host');
  const host = await replaceHostToken(service.database, params.id, sha256);
  if (host === null) throw notFound();
  const answer = { host_id: params.id, name: host.name, token: secret };
  const push = readPush(host.push);
  if (!push) return json(answer);
  const registration = { id: params.id, push, tokenSha256: sha256, policy: policyOf(host) };
  return json({ ...answer, push_secret: await registerPush(service, registration) });
};
