/**
 * Why a job does not do what it is asked. The machine and the object that keeps the job give these reasons, and
 * `core/http/accepted.ts` makes a problem of each that reaches a client.
 */
export type RefusalReason =
  | 'not_found'
  | 'job_in_flight'
  | 'job_finished'
  | 'request_forgotten'
  | 'no_room'
  | 'too_many_reruns'
  | 'not_queued'
  | 'leased'
  | 'stale_lease'
  | 'not_waiting'
  | 'not_due'
  | 'no_clip'
  | 'too_long'
  | 'too_many_uploads'
  | 'too_many_followers'
  | 'no_webhook'
  | 'too_many_deliveries'
  | 'too_many_resends'
  | 'not_implemented';

export interface Refused<Reason extends RefusalReason = RefusalReason> {
  readonly ok: false;
  readonly refusal: Reason;
}

/**
 * What an object returns across RPC: the value, or why there is none. It does not throw, because an error keeps nothing
 * but its message on the way.
 */
export type Result<Value, Reason extends RefusalReason> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Reason>;

/** The result of what only has to be done. */
export const DONE = { ok: true, value: null } as const;

export function value<Value>(of: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value: of };
}

export function refuse<Reason extends RefusalReason>(refusal: Reason): Refused<Reason> {
  return { ok: false, refusal };
}

/**
 * Narrows a refusal to those that can come of a call.
 * @throws for any other, which this code does not expect.
 */
export function refusedWith<Reason extends RefusalReason>(
  { refusal }: Refused,
  ...expected: Reason[]
): Refused<Reason> {
  const found = expected.find((one) => one === refusal);
  if (found === undefined) throw new Error(`unexpected refusal: ${refusal}`);
  return refuse(found);
}
