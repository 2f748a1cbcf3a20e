/**
 * What went wrong, in words. Some errors have none of their own: `fetch failed` tells its reason in its cause, and a
 * connection that tried several addresses only a code. A query that failed has its parameters in its own words, and the
 * reason in its cause.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name);
}
