import { formatSecret, type SecretKind } from '#domain/secret-key.ts';
import { sha256Hex } from '#platform/digest.ts';

/** A secret that nobody has yet, with an id to call it by and all that is stored of it. */
export async function newSecret(kind: SecretKind): Promise<{ id: string; secret: string; sha256: string }> {
  const secret = formatSecret(kind, crypto.getRandomValues(new Uint8Array(64)));
  if (secret === null) return newSecret(kind);
  return { id: crypto.randomUUID(), secret, sha256: await sha256Hex(secret) };
}
