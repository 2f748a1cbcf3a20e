/** The scopes of a key. Each includes those before it. */
export const SCOPES = ['read', 'submit', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** The limits that can be set for one account. `unbilled` (a day) and `fallback` (a run) are in minutes. */
export type AccountLimit =
  | ('requests' | 'submits' | 'uploads' | 'follows' | 'jobsADay')
  | ('jobs' | 'jobsKept' | 'openUploads' | 'assets' | 'assetBytes' | 'frames' | 'unbilled' | 'fallback');
export type AccountLimits = { readonly [L in AccountLimit]?: number };
