import * as z from 'zod';
import { isHostFault } from './error-codes.ts';
import { CodeShape } from './job.ts';
import type { ReadAs } from './shape.ts';

/** How an attempt of a job on a host ended. */
export const AttemptEndShape = z.looseObject({
  hostId: z.string(),
  /** Of the lease: two ends of one attempt are one. */
  fence: z.int(),
  /** Null for one that made a clip. */
  code: CodeShape.nullable(),
  /** The host fell silent, or had the job for too long. */
  isExpired: z.boolean().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type AttemptEnd = ReadAs<typeof AttemptEndShape>;

/** What is remembered of a host that fails. */
export const HostFaultsShape = z.looseObject({
  /** Jobs that it failed one after the other, by its own fault. */
  jobs: z.array(z.string()),
  /** How often it was set aside since it made a clip. */
  times: z.int(),
  /** Until when it is set aside, in milliseconds since the epoch; 0 where it is not. */
  until: z.number(),
  /** The attempt that was counted last. */
  last: z.string(),
});
export type HostFaults = ReadAs<typeof HostFaultsShape>;

export const NO_FAULTS: HostFaults = { jobs: [], times: 0, until: 0, last: '' };

/** Chosen small: each further job is lost to a host that is likely broken, and other hosts are there to take it. */
const MOST_FAULTS = 3;
const FIRST_MS = 5 * 60_000;
const LONGEST_MS = 4 * 60 * 60_000;

/**
 * Three jobs in a row that fail by the host's own fault set it aside for a while, longer each time until it makes a
 * clip again. One job counts once, however often it comes back: one that kills its hosts must not set them aside. Any
 * other end begins the count anew. What it had in hand when it was set aside tells nothing new unless it succeeds. A
 * host that nobody could stand in for is not set aside: then its jobs would fail by waiting.
 */
export function afterAttempt(
  faults: HostFaults,
  jobId: string,
  { fence, code, at }: AttemptEnd,
  canBeSpared = true,
): HostFaults {
  const last = `${jobId}.${fence}`;
  if (last === faults.last) return faults;
  if (code === null) return NO_FAULTS;
  if (isSetAside(faults, at)) return faults;
  if (!isHostFault(code)) return { ...faults, jobs: [], last };
  const jobs = isOnTrial(faults, at) ? faults.jobs : [...new Set([...faults.jobs, jobId])];
  if (jobs.length < MOST_FAULTS) return { ...faults, jobs, last };
  if (!canBeSpared) return { ...faults, jobs: jobs.slice(1), last };
  const until = at + Math.min(FIRST_MS * 2 ** Math.min(faults.times, 20), LONGEST_MS);
  return { jobs, times: faults.times + 1, until, last };
}

export function isSetAside({ until }: HostFaults, now: number): boolean {
  return until > now;
}

/** Its time is over, and it has not shown yet that it is well: it is tried with one job. */
export function isOnTrial(faults: HostFaults, now: number): boolean {
  return faults.jobs.length >= MOST_FAULTS && !isSetAside(faults, now);
}
