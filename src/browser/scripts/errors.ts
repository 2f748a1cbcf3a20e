import { TickreelError } from '#client/errors.ts';

/** Returns what went wrong, in a sentence. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? 'Something went wrong.' : text;
}

/** Whether the service refused the key, the token or the session. */
export function isUnauthorized(error: unknown): error is TickreelError {
  return error instanceof TickreelError && error.status === 401;
}
