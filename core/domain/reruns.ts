/** Runs of a job after its first, counted for an hour from the first of them. */
export interface Reruns {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly count: number;
}

const HOUR_MS = 60 * 60 * 1000;

export function countRerun(reruns: Reruns | undefined, now: number): Reruns {
  const { since, count } = reruns && now - reruns.since < HOUR_MS ? reruns : { since: now, count: 0 };
  return { since, count: count + 1 };
}
