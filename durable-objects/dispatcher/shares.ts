import { shareOf } from '#domain/host/fair-queue.ts';
import { BEST_EFFORT, COVERED, SHORT } from './queue-tables.ts';

/** The share of all assigned jobs that inspections get while clips wait. */
const INSPECTION_SHARE = 1 / 4;

/** The lane and account that a best-effort job counts towards, as the queue stores it. Null for a covered job. */
export type Holder = string | null;

export function holderOf(lane: number, accountId: string): Holder {
  return lane === COVERED ? null : `${lane} ${accountId}`;
}

export interface Shares {
  /** Counts a job that is suggested or assigned to a host. A repeated call keeps the job's first holder. */
  hold(jobId: string, holder: Holder): void;
  release(jobId: string): void;
  /** Whether the account has its share of all assigned jobs, and at least one job of this lane. */
  isFull(lane: number, accountId: string): boolean;
  /** Whether inspections have their share: at least one job. */
  hasInspectionShare(): boolean;
  /** Whether no host has a job. */
  isEmpty(): boolean;
}

/**
 * Counts the assigned jobs, in total and by account. A share is of these and the one that is being assigned. `held`:
 * the jobs that hosts work on.
 */
export function createShares(share: number, held: Iterable<readonly [jobId: string, holder: Holder]>): Shares {
  const jobs = new Map<string, Holder>();
  const counts = new Map<Holder, number>();
  let inspections = 0;
  const count = (holder: Holder, by: 1 | -1) => {
    if (holder?.startsWith(`${SHORT} `)) inspections += by;
    const left = (counts.get(holder) ?? 0) + by;
    if (left > 0) counts.set(holder, left);
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
    hasInspectionShare: () => inspections >= shareOf(jobs.size + 1, INSPECTION_SHARE),
    isEmpty: () => jobs.size === 0,
  };
}
