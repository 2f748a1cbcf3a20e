import { bearerToken, unauthorized } from '../../http/credentials.ts';
import { notFound } from '../../http/problem.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Settings } from '../../platform/settings.ts';

/**
 * Lets the operator in and nobody else. Digests are compared, not the tokens, so the time taken tells nothing of how
 * much of a guess was right. Without a configured token there is no admin API at all.
 */
export async function requireOperator({ adminToken }: Pick<Settings, 'adminToken'>, request: Request): Promise<null> {
  if (adminToken === null) throw notFound();
  const token = bearerToken(request);
  if (token === null || (await sha256Hex(token)) !== (await sha256Hex(adminToken))) throw unauthorized();
  return null;
}
