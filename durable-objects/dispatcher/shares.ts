import { shareOf } from '#domain/host/fair-queue.ts';
import { BEST_EFFORT, COVERED, SHORT } from './queue-tables.ts';

/** Inspections get one of so many places while clips wait. No clip pays for them. */
const INSPECTION_PART = 1 / 4;

/** The lane and account that a best-effort job counts for, as the queue stores it. Null for a covered job. */
export type Holder = string | null;

export function holderOf(lane: number, accountId: string): Holder {
  return lane === COVERED ? null : `${lane} ${accountId}`;
}

export interface Shares {
  /** Counts a job that is suggested or assigned to a host. A repeated call keeps the job's first holder. */
  hold(jobId: string, holder: Holder): void;
  release(jobId: string): void;
  /** Whether the account has its share of the places, and at least one job of this lane. */
  isFull(lane: number, accountId: string): boolean;
  /** Whether inspections have their part of the places: at least one. */
  isInspecting(): boolean;
  /** Whether no host has a job. */
  isEmpty(): boolean;
}

/**
 * Counts the jobs that hosts have, in total and by account. The number of places is these jobs plus the one that is
 * being assigned. `held`: the jobs that hosts work on.
 */
export function createShares(share: number, held: Iterable<readonly [jobId: string, holder: Holder]>): Shares {
  const jobs = new Map<string, Holder>();
  const counts = new Map<Holder, number>();
  let inspections = 0;
  const count = (holder: Holder, by: 1 | -1) => {
    if (holder?.startsWith(`${SHORT} `)) inspections += by;
    const now = (counts.get(holder) ?? 0) + by;
    if (now > 0) counts.set(holder, now);
    else counts.delete(holder);
  };
  const countOf = (lane: number, accountId: string) => counts.get(holderOf(lane, accountId)) ?? 0;

  function release(jobId: string): void {
    const holder = jobs.get(jobId);
    if (holder === undefined) return;
    jobs.delete(jobId);
    count(holder, -1);
  }

  function hold(jobId: string, holder: Holder): void {
    if (jobs.get(jobId)) return;
    release(jobId);
    jobs.set(jobId, holder);
    count(holder, 1);
  }

  for (const [jobId, holder] of held) hold(jobId, holder);
  return {
    hold,
    release,
    isFull(lane, accountId) {
      const mine = countOf(SHORT, accountId) + countOf(BEST_EFFORT, accountId);
      return countOf(lane, accountId) > 0 && mine >= shareOf(jobs.size + 1, share);
    },
    isInspecting: () => inspections >= shareOf(jobs.size + 1, INSPECTION_PART),
    isEmpty: () => jobs.size === 0,
  };
}
