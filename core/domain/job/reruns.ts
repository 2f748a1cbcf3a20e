import * as z from 'zod';
import type { ReadAs } from '../lib/types.ts';

/** Runs of a job after its first, counted for an hour from the first of them. `since`: milliseconds since the epoch. */
export const RerunsShape = z.looseObject({ since: z.number(), count: z.int() });
type Reruns = ReadAs<typeof RerunsShape>;

const HOUR_MS = 60 * 60 * 1000;

export function countRerun(reruns: Reruns | undefined, now: number): Reruns {
  const { since, count } = reruns && now - reruns.since < HOUR_MS ? reruns : { since: now, count: 0 };
  return { since, count: count + 1 };
}
