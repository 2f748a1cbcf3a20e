import type { Settings } from '../../durable-objects/settings.ts';
import { bearerToken, sha256Hex, unauthorized } from '../../http/credentials.ts';
import { notFound } from '../../http/problem.ts';

/**
 * Lets the operator in and nobody else. Digests are compared, not the tokens, so the time taken tells nothing of how
 * much of a guess was right. Without a configured token there is no admin API at all.
 */
export async function requireOperator(settings: Settings, request: Request): Promise<void> {
  if (settings.adminToken === null) throw notFound();
  const token = bearerToken(request);
  if (token === null || (await sha256Hex(token)) !== (await sha256Hex(settings.adminToken))) throw unauthorized();
}
