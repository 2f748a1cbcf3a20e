import * as z from 'zod';
import { CodeShape } from '#domain/failure/codes.ts';
import { isHostFault } from '../failure/codes.ts';
import type { ReadAs } from '../lib/types.ts';

export const AttemptEndShape = z.looseObject({
  hostId: z.string(),
  /** The fence of its lease. An end with the same fence is the same attempt. */
  fence: z.int(),
  /** When the host got the job, in milliseconds since the epoch. */
  grantedAt: z.number().optional(),
  /** Null for an attempt that made a clip. */
  code: CodeShape.nullable(),
  /** The host stopped reporting, or exceeded the time of the run. */
  isExpired: z.boolean().optional(),
  /** What the fault is about, counted instead of the job: a demo that crashed the game, or the host's own account. */
  about: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type AttemptEnd = ReadAs<typeof AttemptEndShape>;

export const HostFaultsShape = z.looseObject({
  /** Ids of jobs in a row that failed by its fault, or what the faults were about. */
  jobs: z.array(z.string()),
  /** How often it was set aside since its last clip. */
  times: z.int(),
  /** The end of its time aside, in milliseconds since the epoch; 0 if it is not set aside. */
  until: z.number(),
  /** The attempt that was counted last. */
  last: z.string(),
});
export type HostFaults = ReadAs<typeof HostFaultsShape>;

export const NO_FAULTS: HostFaults = { jobs: [], times: 0, until: 0, last: '' };

/** How many faults in a row set a host aside. Small, because each further job on a broken host is lost. */
const MOST_FAULTS = 3;
const FIRST_MS = 5 * 60_000;
const LONGEST_MS = 4 * 60 * 60_000;

/**
 * Counts an end of an attempt. Three jobs in a row that fail by the host's fault set it aside, longer each time until
 * it makes a clip. A job counts once, because a job that kills its hosts must not set them aside. A demo that crashes
 * the game while it loads counts once too, and so do all matches of the host's own account. Any other end resets the
 * count. Attempts from before the host was set aside count only if they succeed. A host without a substitute is not set
 * aside: its jobs would fail by waiting.
 */
export function afterAttempt(
  faults: HostFaults,
  jobId: string,
  { fence, code, at, about = jobId }: AttemptEnd,
  canBeSpared = true,
): HostFaults {
  const last = `${jobId}.${fence}`;
  if (last === faults.last) return faults;
  if (code === null) return NO_FAULTS;
  if (isSetAside(faults, at)) return faults;
  if (!isHostFault(code)) return { ...faults, jobs: [], last };
  const jobs = isOnTrial(faults, at) ? faults.jobs : [...new Set([...faults.jobs, about])];
  if (jobs.length < MOST_FAULTS) return { ...faults, jobs, last };
  if (!canBeSpared) return { ...faults, jobs: jobs.slice(1), last };
  const until = at + Math.min(FIRST_MS * 2 ** Math.min(faults.times, 20), LONGEST_MS);
  return { jobs, times: faults.times + 1, until, last };
}

export function isSetAside({ until }: HostFaults, now: number): boolean {
  return until > now;
}

/** Whether its time aside is over but it has made no clip since. It gets one job at a time. */
export function isOnTrial(faults: HostFaults, now: number): boolean {
  return faults.jobs.length >= MOST_FAULTS && !isSetAside(faults, now);
}
