import { formatSecret, type SecretKind, secretKindOf } from '#domain/account/secret-key.ts';
import { createRecent } from '#domain/lib/rate-buckets.ts';
import { sha256Hex } from '#platform/digest.ts';
import { ProblemError } from './problem.ts';

/** How long a credential is cached: a revocation is effective everywhere after this time. */
const CACHED_MS = 30_000;
/** How long a secret stays exempt from the limit of guesses after it was valid. */
const VALID_MS = 24 * 60 * 60_000;
/** How often it is noted that a secret is valid. */
const NOTED_MS = 60 * 60_000;
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 1000;

/** Where `X-Api-Key` is read: a game server adds one header, and its console cuts a value at a space. */
const GAME_SERVERS = /^\/api\/ingest(\/|$)/;

/** Where a key may also be in the query: FACEIT's form for webhooks offers a header or a parameter. */
const FACEIT_WEBHOOK_PATH = '/api/ingest/faceit';

/**
 * Returns the key in `X-Api-Key` or, for FACEIT's webhooks, in the query. Null if `Authorization` is present, or if the
 * path accepts neither.
 */
function gameServerKey({ headers, url }: Request): string | null {
  const { pathname, searchParams } = new URL(url);
  if (headers.has('Authorization') || !GAME_SERVERS.test(pathname)) return null;
  return headers.get('X-Api-Key') ?? (pathname === FACEIT_WEBHOOK_PATH ? searchParams.get('key') : null);
}

/** Returns the token of `Authorization: Bearer …` (RFC 6750 section 2.1), or a game server's. Null if there is none. */
export function bearerToken(request: Request): string | null {
  const value = request.headers.get('Authorization') ?? `Bearer ${gameServerKey(request)?.trim() ?? ''}`;
  return /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? null;
}

/** Creates a 401 problem for what is wrong. The challenge names the scheme (RFC 9110 section 11.6.1). */
export function unauthorized(fault: string): ProblemError {
  return new ProblemError('unauthorized', `${fault} Send a valid key as "Authorization: Bearer <key>".`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/**
 * Explains why a request has no secret of the given kinds (null: of any form). It uses only the form of what was sent,
 * so it reveals nothing about other secrets. Null if there is one.
 */
function formFault(request: Request, kinds: readonly SecretKind[] | null): string | null {
  const isInApiKey = gameServerKey(request) !== null;
  if (!isInApiKey && !request.headers.has('Authorization')) return 'The request has no Authorization header.';
  const token = bearerToken(request);
  if (token === null && isInApiKey) return 'The X-Api-Key header is not one key alone.';
  if (token === null) return 'The Authorization header is not "Bearer", a space and one key.';
  const kind = secretKindOf(token);
  if (kinds === null || (kind !== null && kinds.includes(kind))) return null;
  if (kind === null) return 'The key is incomplete, mistyped or in quotes.';
  return `This is a secret of kind ${kind}; this address takes ${kinds.join(', ')}.`;
}

const UNKNOWN = 'The key is unknown or was revoked.';

/** Counts guesses of secrets by address. */
export interface GuessLimit {
  addressOf(request: Request): string;
  /** Throws a 429 problem if the address has guessed too often. */
  refuse(address: string): void;
  count(address: string): Promise<void>;
  /** Notes that a secret is valid, for other isolates. The note may be lost. */
  noteValid(sha256: string): void;
  /** Returns whether a secret was noted within the last day. It may have been revoked since. */
  wasValid(sha256: string): Promise<boolean>;
}

/** Identifies the sender of a request. A cached result is used for `cachedMs`, 30 seconds by default. */
export type Authenticate<T> = (request: Request, cachedMs?: number) => Promise<T>;

/**
 * Creates a function that identifies the sender of a request by a secret of one of the given kinds (null: of any form).
 * `lookUp` gets the secret's SHA-256, at most every 30 seconds for each secret and isolate. For an address over its limit
 * of guesses it gets only secrets that were valid within the last day. Unknown secrets have a cache of their own, so
 * they never evict valid ones. Rejects with a 401 or 429 problem.
 */
export function createAuthenticator<T>(
  kinds: readonly SecretKind[] | null,
  lookUp: (sha256: string) => Promise<T | null>,
  clock: () => number,
  guesses: GuessLimit,
): Authenticate<T> {
  const known = createRecent<{ readonly caller: T; readonly until: number; readonly notedAt: number }>(MAX_KNOWN);
  const unknown = createRecent<number>(MAX_UNKNOWN);
  const knownAt = (sha256: string, now: number) => {
    const found = known.get(sha256);
    return found && found.until > now ? found.caller : undefined;
  };
  return async (request, cachedMs = CACHED_MS) => {
    const fault = formFault(request, kinds);
    if (fault !== null) throw unauthorized(fault);
    const sha256 = await sha256Hex(bearerToken(request) ?? '');
    const now = clock();
    const newEnough = now + CACHED_MS - cachedMs;
    const remembered = knownAt(sha256, newEnough);
    if (remembered !== undefined) return remembered;
    if ((unknown.get(sha256) ?? 0) > now) throw unauthorized(UNKNOWN);
    const address = guesses.addressOf(request);
    const before = known.get(sha256);
    try {
      guesses.refuse(address);
    } catch (error) {
      const wasValid = before !== undefined && before.until > now - VALID_MS;
      if (!wasValid && !(await guesses.wasValid(sha256))) throw error;
    }
    const found = await lookUp(sha256);
    if (found !== null) {
      // Concurrent requests get the same object, because handlers count in it.
      const first = knownAt(sha256, newEnough);
      if (first !== undefined) return first;
      const isNoted = before !== undefined && now - before.notedAt < NOTED_MS;
      known.set(sha256, { caller: found, until: now + CACHED_MS, notedAt: isNoted ? before.notedAt : now });
      if (!isNoted) guesses.noteValid(sha256);
      return found;
    }
    known.delete(sha256);
    unknown.set(sha256, now + CACHED_MS);
    await guesses.count(address);
    throw unauthorized(UNKNOWN);
  };
}

/** Creates a random secret with an id and the fields to store of it. */
export async function newSecret(kind: SecretKind): Promise<{ id: string; secret: string; sha256: string }> {
  const secret = formatSecret(kind, crypto.getRandomValues(new Uint8Array(64)));
  if (secret === null) return newSecret(kind);
  return { id: crypto.randomUUID(), secret, sha256: await sha256Hex(secret) };
}
