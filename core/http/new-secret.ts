import { formatSecret, type SecretKind } from '#domain/account/secret-key.ts';
import { sha256Hex } from '#platform/digest.ts';

/** Creates a random secret with an id and the fields to store of it. */
export async function newSecret(kind: SecretKind): Promise<{ id: string; secret: string; sha256: string }> {
  const secret = formatSecret(kind, crypto.getRandomValues(new Uint8Array(64)));
  if (secret === null) return newSecret(kind);
  return { id: crypto.randomUUID(), secret, sha256: await sha256Hex(secret) };
}
