import { runEndsAt } from '#domain/job/attempt.ts';
import { fieldsOf, isFinished } from '#domain/job/job.ts';
import { secretEndsAt } from '#domain/job/machine.ts';
import type { Schedule } from '#domain/job/schedule.ts';
import type { JobStorage } from './job-store.ts';
import type { StoredJob } from './stored-job.ts';

/**
 * While effects run, an alarm is set this far ahead, in case the object is evicted. An alarm within the lease's term is
 * enough: moving it would cost a row for a rare case.
 */
const CRASH_GUARD_MS = 5000;

/** Returns when each pending part of a job is due. `deliveryAt`: the next attempt of its webhooks. */
export function waitsOf(
  { job, outbox }: Pick<StoredJob, 'job' | 'outbox'>,
  deliveryAt: number | null,
  schedule: Schedule,
): number[] {
  const { retryAt, lease } = fieldsOf(job);
  return [
    ...outbox.map(({ dueAt }) => dueAt),
    retryAt,
    lease?.deadline ?? null,
    // A queued delivery still needs the secret.
    deliveryAt ?? secretEndsAt(job, schedule),
    isFinished(job.status) ? null : runEndsAt(job, schedule),
  ].filter((time) => time !== null);
}

/**
 * The only alarm of a job's object, with its time in memory. Setting an alarm is billed as a written row, so it is set
 * only if no earlier one is.
 */
export class JobAlarm {
  readonly #storage: Pick<JobStorage, 'setAlarm' | 'deleteAlarm'>;
  /** When it fires; null if none is known to be set. */
  #at: number | null = null;

  constructor(storage: Pick<JobStorage, 'setAlarm' | 'deleteAlarm'>) {
    this.#storage = storage;
  }

  /** Records that it fired, was lost, or is stored with this time. */
  note(at: number | null): void {
    this.#at = at;
  }

  /** Sets the alarm for the given times, and for running work in case the object is evicted. */
  guard(waits: readonly number[], now: number, { leaseTtl }: Pick<Schedule, 'leaseTtl'>): void {
    if (waits.length === 0) return;
    const latest = Math.min(...waits.map((due) => (due > now ? due : now + leaseTtl)));
    if (this.#at !== null && this.#at <= latest) return;
    this.set(Math.min(...waits.map((due) => (due > now ? due : now + CRASH_GUARD_MS))));
  }

  /** Null: no alarm is needed. */
  set(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    if (at === null) void this.#storage.deleteAlarm();
    else void this.#storage.setAlarm(at);
  }
}
