/**
 * Returns the message of an error. `fetch failed` has its reason in its cause, a failed connection to several addresses
 * has only a code, and a failed query has its parameters in its message, so its cause is used.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name);
}
