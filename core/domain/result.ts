/**
 * What an object answers across RPC: the value, or why there is none, in the words of the problems that callers are
 * told. It answers and does not throw, because an error loses everything but its message on the way.
 */
export type Result<Value, Refusal extends string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };

/** For what has nothing to say but that it was done. */
export const DONE = { ok: true, value: null } as const;

export function value<Value>(of: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value: of };
}

export function refuse<Refusal extends string>(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}
