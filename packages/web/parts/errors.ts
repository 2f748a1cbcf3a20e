import { TickreelError } from '#client/errors.ts';
import type { FieldError } from '#client/shapes.ts';

/** A value of a form that the page itself refuses. `path`: the name of its field. */
export class WrongValue extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Returns which values of a form are wrong; none if the failure has another cause. */
export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  if (error instanceof WrongValue) return [{ path: error.path, message: error.message }];
  return error instanceof TickreelError ? (error.problem?.errors ?? []) : [];
}

/** Returns what went wrong, in a sentence. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? 'Something went wrong.' : text;
}

/** Whether the service refused the key, the token or the session. */
export function isUnauthorized(error: unknown): error is TickreelError {
  return error instanceof TickreelError && error.status === 401;
}
