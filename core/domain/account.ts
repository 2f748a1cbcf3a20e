/** The scopes of a key. Each includes those before it, but `read` does not include `ingest`. */
export const SCOPES = ['ingest', 'read', 'submit', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  if (scope === 'read' && needed === 'ingest') return false;
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/**
 * The limits that can be set for one account. `unbilled` (a day) and `fallback` (a run) are in minutes; `agentSeconds`
 * is of a day.
 */
export type AccountLimit =
  | ('requests' | 'submits' | 'uploads' | 'follows' | 'jobsADay' | 'agentSeconds')
  | ('jobs' | 'jobsKept' | 'openUploads' | 'assets' | 'assetBytes' | 'frames' | 'unbilled' | 'fallback');
export type AccountLimits = { readonly [L in AccountLimit]?: number };

/** What a key of scope `ingest` may cause on a day (UTC). A field that is left out is the deployment's. */
export interface IngestLimits {
  readonly mib?: number | undefined;
  readonly demos?: number | undefined;
  readonly clips?: number | undefined;
}

/** How a demo came: from a client, or from a game server. */
export const UPLOAD_SOURCES = ['upload', 'ingest'] as const;
