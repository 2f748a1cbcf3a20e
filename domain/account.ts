/** What a key of an account may do, each including those before it. */
export const SCOPES = ['read', 'submit', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** What can be limited otherwise for one account than for all: in a minute, and at a time. */
export const ACCOUNT_LIMITS = ['requests', 'submits', 'uploads', 'follows', 'jobs', 'assets', 'assetBytes'] as const;
export type AccountLimit = (typeof ACCOUNT_LIMITS)[number];
export type AccountLimits = { readonly [L in AccountLimit]?: number };
