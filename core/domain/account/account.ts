/** The scopes of a key. Each includes those before it, but `read` does not include `ingest`. */
export const SCOPES = ['ingest', 'read', 'submit', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  if (scope === 'read' && needed === 'ingest') return false;
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** How a demo came: from a client, or from a game server. */
export const UPLOAD_SOURCES = ['upload', 'ingest'] as const;

/**
 * The tier of an API key and of its jobs. `metered`: best effort, paid by the rendered hour. `reserved`: priority,
 * covered by provisioned capacity; on the wire a reserved job has `priority: true`.
 */
export const TIERS = ['metered', 'reserved'] as const;

export type Tier = (typeof TIERS)[number];

/** The kinds of API keys. A test key reaches no host and costs nothing (docs/test-keys.md). */
export const KEY_KINDS = [...TIERS, 'test'] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

export function tierOf(priority: boolean): Tier {
  return priority ? 'reserved' : 'metered';
}
