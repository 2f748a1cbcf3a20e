/** How the operator keeps a host from further jobs. What it has in hand it finishes. */
export const HOLDS = ['paused', 'draining'] as const;
