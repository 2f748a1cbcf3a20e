/** What the doctor found out about one thing. */
export interface Finding {
  readonly check: string;
  /** `warn`: the host works, but not as well as it could. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it; null where there is nothing to do. */
  readonly mend: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, mend: null };
}

export function warn(check: string, detail: string, mend: string): Finding {
  return { check, status: 'warn', detail, mend };
}

export function fail(check: string, detail: string, mend: string): Finding {
  return { check, status: 'fail', detail, mend };
}
