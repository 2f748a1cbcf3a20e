import { secretHint } from '#domain/secret-key.ts';
import { bearerToken, unauthorized } from '#http/credentials.ts';
import { textRead } from '#http/read-body.ts';
import type { Context } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import { type Caller, findKeyTerms, type KeyTerms } from '#storage/accounts.ts';
import { recordChange } from '../admin/audit.ts';

/**
 * Returns the terms of the caller's key. Reads the database, because a cached caller may have been revoked up to 30
 * seconds ago: whoever has that key must not make or revoke keys. Throws a 401 problem then.
 */
export async function requireLiveKey({ database, now }: Service, { accountId, keyId }: Caller): Promise<KeyTerms> {
  const terms = await findKeyTerms(database, accountId, keyId, now());
  if (terms === null) throw unauthorized('The key was revoked or has expired.');
  return terms;
}

/** Records in the audit log what a key did to a key. */
export function recordKeyChange(
  service: Service,
  { caller, request, requestId }: Pick<Context<never, Caller>, 'caller' | 'request' | 'requestId'>,
  action: 'createOwnKey' | 'revokeOwnKey',
  target: Readonly<Record<string, string>>,
  status: number,
): Promise<void> {
  return recordChange(service, {
    ...{ operatorId: caller.keyId, operator: secretHint(bearerToken(request) ?? ''), action, status, requestId },
    ...{ target: { account_id: caller.accountId, ...target }, changes: textRead(request) },
  });
}
