/** The scopes of a key. Each includes those before it, but `read` does not include `ingest`. */
export const SCOPES = ['ingest', 'read', 'submit', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  if (scope === 'read' && needed === 'ingest') return false;
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** How a demo came: from a client, or from a game server. */
export const UPLOAD_SOURCES = ['upload', 'ingest'] as const;
