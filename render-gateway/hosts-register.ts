import { json } from '#http/json.ts';
import { newSecret } from '#http/new-secret.ts';
import { ProblemError } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import type { Handler } from '#http/router.ts';
import { RegisterRequest } from '#protocol/gateway.ts';
import type { Service } from '#service/service.ts';
import { takeUse } from '#storage/host-registrations.ts';
import { insertHost } from '#storage/hosts.ts';

/** `POST /gateway/v1/register`: makes a host of a machine that has a registration's token. The caller is its id. */
export const registerHost: Handler<Pick<Service, 'database' | 'now' | 'log'>, never, string> = async (
  { database, now, log },
  { caller: registration, request, requestId },
) => {
  const { name } = await readShape(request, RegisterRequest);
  const createdAt = now();
  if (!(await takeUse(database, registration, createdAt))) {
    throw new ProblemError('unauthorized', 'This registration was revoked, has ended, or is used up.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  const { id, secret, sha256 } = await newSecret('host');
  await insertHost(database, { id, name, tokenSha256: sha256, createdAt });
  log('host registered', { requestId, registration, host: id, name }, 'info');
  return json({ host_id: id, token: secret }, 201);
};
