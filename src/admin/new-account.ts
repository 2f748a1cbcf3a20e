import { toHex } from '#platform/digest.ts';
import type { AccountRow } from '#storage/accounts.ts';

/** Returns the id and the salt of a new account. */
export function newAccount(createdAt: number): Pick<AccountRow, 'id' | 'idSalt' | 'createdAt'> {
  const idSalt = toHex(crypto.getRandomValues(new Uint8Array(32)));
  return { id: crypto.randomUUID(), idSalt, createdAt };
}
