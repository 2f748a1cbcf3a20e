import { type Job, type JobStatus, leaseOf, type WorkStage } from '#domain/job.ts';

/** What the operator sees of a job that a host works on. */
export interface JobGlance {
  readonly status: JobStatus;
  /** 0 to 1; null where nothing was heard since the object is in memory. */
  readonly progress: number | null;
  /** What its host is doing, where it says so. */
  readonly stage: WorkStage | null;
  /** When its host was heard of, at the earliest; null where none has it. Milliseconds since the epoch. */
  readonly heardAt: number | null;
}

/** What a host said last of its progress, and under which lease. */
export interface Heard {
  readonly fence: number;
  readonly progress: number;
  readonly stage: WorkStage | null;
  readonly at: number;
}

export function glanceAt(job: Job, heard: Heard | null, leaseTtl: number): JobGlance {
  const { status } = job;
  const lease = leaseOf(job);
  if (lease && heard?.fence === lease.fence)
    return { status, progress: heard.progress, stage: heard.stage, heardAt: heard.at };
  const heardAt = lease && (lease.isConfirmed ? lease.deadline - leaseTtl : lease.grantedAt);
  return { status, progress: null, stage: null, heardAt };
}
