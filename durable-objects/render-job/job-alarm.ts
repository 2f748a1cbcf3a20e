import { runEndsAt } from '#domain/attempt.ts';
import { fieldsOf, isFinished } from '#domain/job.ts';
import { secretEndsAt } from '#domain/job-machine.ts';
import type { Schedule } from '#domain/schedule.ts';
import type { JobStorage } from './job-store.ts';
import type { StoredJob } from './stored-job.ts';

/**
 * While effects run, an alarm stands this far ahead: it only matters if the object dies under them. One that stands
 * within a lease's term is guard enough: moving it would write a row for a death that hardly ever comes.
 */
const CRASH_GUARD_MS = 5000;

/** When each thing that a job waits for is due; `deliveryAt`: the next attempt of its webhooks. */
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
    // What is on its way still needs the secret.
    deliveryAt ?? secretEndsAt(job, schedule),
    isFinished(job.status) ? null : runEndsAt(job, schedule),
  ].filter((time) => time !== null);
}

/**
 * The one alarm of a job's object, and what is known of it: each setting is billed as a written row, so it is set only
 * where none stands that is early enough.
 */
export class JobAlarm {
  readonly #storage: Pick<JobStorage, 'setAlarm' | 'deleteAlarm'>;
  /** When it rings; null where none is known to stand. */
  #at: number | null = null;

  constructor(storage: Pick<JobStorage, 'setAlarm' | 'deleteAlarm'>) {
    this.#storage = storage;
  }

  /** It has rung, was lost, or stands in storage at this time. */
  note(at: number | null): void {
    this.#at = at;
  }

  /**
   * Has it come for what waits until some times, and for what is under way because its time has come: in case the
   * object dies under that.
   */
  guard(waits: readonly number[], now: number, { leaseTtl }: Pick<Schedule, 'leaseTtl'>): void {
    if (waits.length === 0) return;
    const latest = Math.min(...waits.map((due) => (due > now ? due : now + leaseTtl)));
    if (this.#at !== null && this.#at <= latest) return;
    this.set(Math.min(...waits.map((due) => (due > now ? due : now + CRASH_GUARD_MS))));
  }

  /** Null: there is nothing to ring for. */
  set(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    if (at === null) void this.#storage.deleteAlarm();
    else void this.#storage.setAlarm(at);
  }
}
