import { type SecretKind, secretKindOf } from '../domain/secret-key.ts';
import { sha256Hex } from './digest.ts';
import { ProblemError } from './problem.ts';

/** How long a credential is believed without asking again: a revocation takes effect everywhere after this long. */
const BELIEVED_MS = 30_000;
const MAX_ENTRIES = 10_000;

/** The token of `Authorization: Bearer …` (RFC 6750 section 2.1), or null. */
export function bearerToken(request: Request): string | null {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get('Authorization') ?? '')?.[1] ?? null;
}

/** A 401 problem; the challenge says which scheme to use (RFC 9110 section 11.6.1). */
export function unauthorized(): ProblemError {
  return new ProblemError('unauthorized', 'Send a valid key as "Authorization: Bearer <key>".', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/**
 * Finds out who a request is from, by a secret of one of the given kinds. `lookUp` gets the secret's SHA-256 and is
 * asked at most every 30 seconds for each secret in each isolate. The result rejects with a 401 problem.
 */
export function createAuthenticator<T>(
  kinds: readonly SecretKind[],
  lookUp: (sha256: string) => Promise<T | null>,
  clock: () => number,
): (request: Request) => Promise<T> {
  const known = new Map<string, { value: T | null; until: number }>();
  return async (request) => {
    const token = bearerToken(request);
    const kind = token === null ? null : secretKindOf(token);
    if (token === null || kind === null || !kinds.includes(kind)) throw unauthorized();
    const sha256 = await sha256Hex(token);
    const now = clock();
    let entry = known.get(sha256);
    if (!entry || entry.until <= now) {
      entry = { value: await lookUp(sha256), until: now + BELIEVED_MS };
      if (known.size >= MAX_ENTRIES) known.clear();
      known.set(sha256, entry);
    }
    if (entry.value === null) throw unauthorized();
    return entry.value;
  };
}
