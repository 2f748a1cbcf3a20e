import type { z } from 'zod';
import { secretHint } from '#domain/account/secret-key.ts';
import { newSecret } from '#http/credentials.ts';
import { limitReached } from '#http/rate-limit.ts';
import { toHex } from '#platform/digest.ts';
import type { KeyOnce } from '#protocol/account/accounts.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import type { Service } from '#service/lib/service.ts';
import {
  type AccountRow,
  ensureTestAccount,
  insertApiKey,
  type KeyTerms,
  LIVE_KEYS,
} from '#storage/account/accounts.ts';
import { moveRules } from '#storage/rule/rules.ts';

/** Returns the id and the salt of a new account. */
export function newAccount(createdAt: number): Pick<AccountRow, 'id' | 'idSalt' | 'createdAt'> {
  const idSalt = toHex(crypto.getRandomValues(new Uint8Array(32)));
  return { id: crypto.randomUUID(), idSalt, createdAt };
}

/**
 * Creates a key of an account and returns it. It is never shown again. `madeBy`: the key that makes it; without
 * one, the operator does. `from`: the key that it replaces.
 */
export async function issueKey(
  { database, now }: Pick<Service, 'database' | 'now'>,
  ofAccount: string,
  { ingestLimits, ...terms }: KeyTerms & { readonly madeBy?: string },
  from?: string,
): Promise<z.input<typeof KeyOnce>> {
  const { kind, scope, name, expiresAt } = terms;
  const accountId = kind === 'test' ? await ensureTestAccount(database, ofAccount, newAccount(now())) : ofAccount;
  const { id, secret, sha256 } = await newSecret(kind);
  const createdAt = now();
  const row = { id, accountId, sha256, hint: secretHint(secret), createdAt, ingestLimits, ...terms };
  if (!(await insertApiKey(database, row))) {
    throw limitReached(`The account has ${LIVE_KEYS} live ${kind} keys of scope ${scope}; revoke one first.`);
  }
  if (from) await moveRules(database, accountId, from, id);
  const rest = { ingest_limits: ingestLimits, expires_at: isoTimeOrNull(expiresAt), created_at: isoTime(createdAt) };
  return { key_id: id, kind, name, scope, key: secret, ...rest };
}
