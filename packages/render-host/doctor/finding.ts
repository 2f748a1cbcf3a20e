/** The result of one check of the doctor. */
export interface Finding {
  readonly check: string;
  /** `warn`: the host works, but not as well as it could. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it, or null. */
  readonly remedy: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, remedy: null };
}

export function warn(check: string, detail: string, remedy: string): Finding {
  return { check, status: 'warn', detail, remedy };
}

export function fail(check: string, detail: string, remedy: string): Finding {
  return { check, status: 'fail', detail, remedy };
}
