/** Why a job refuses an event or a call. `core/http/accepted.ts` maps those that reach clients to problems. */
export type RefusalReason =
  | 'not_found'
  | 'job_in_flight'
  | 'job_finished'
  | 'request_forgotten'
  | 'limit_reached'
  | 'too_many_reruns'
  | 'not_queued'
  | 'leased'
  | 'stale_lease'
  | 'not_waiting'
  | 'not_due'
  | 'no_clip'
  | 'too_long'
  | 'names_shown'
  | 'too_many_uploads'
  | 'too_many_followers'
  | 'no_webhook'
  | 'too_many_deliveries'
  | 'too_many_resends'
  | 'not_implemented'
  | 'job_changed'
  | 'clip_deleted'
  | 'clip_removed'
  | 'account_suspended'
  | 'demo_not_accepted';

export interface Refused<Reason extends RefusalReason = RefusalReason> {
  readonly ok: false;
  readonly refusal: Reason;
}

/** The result of a call across RPC: a value or a refusal. Errors lose everything but their message across RPC. */
export type Result<Value, Reason extends RefusalReason> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Reason>;

/** The result of a call without a value. */
export const DONE = { ok: true, value: null } as const;

export function value<Value>(of: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value: of };
}

export function refuse<Reason extends RefusalReason>(refusal: Reason): Refused<Reason> {
  return { ok: false, refusal };
}

/**
 * Narrows a refusal to the reasons that a call can have.
 * @throws for any other reason.
 */
export function refusedWith<Reason extends RefusalReason>(
  { refusal }: Refused,
  ...expected: Reason[]
): Refused<Reason> {
  const found = expected.find((one) => one === refusal);
  if (found === undefined) throw new Error(`unexpected refusal: ${refusal}`);
  return refuse(found);
}
