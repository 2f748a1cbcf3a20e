import { waitForRetry, waitOf } from '#domain/host/wait.ts';
import { fallbackAt } from '#domain/job/fallback.ts';
import { fieldsOf, isFinished, type Job, leaseOf } from '#domain/job/job.ts';
import { type Result, refuse, value } from '#domain/job/result.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import type { Settings } from '#platform/settings.ts';
import {
  type AttemptActivity,
  includesOf,
  type JobDetail,
  type JobInclude,
  moreOf,
  type QueuePlace,
  queuePlace,
} from '#protocol/job/job-detail.ts';
import { jobView } from '#protocol/job/job-view.ts';
import type { DispatcherStub } from '#rpc/bindings.ts';
import type { Heartbeat, JobActivity } from '#rpc/render-job.ts';
import { tally } from '#service/lib/isolate-tally.ts';
import { attemptsOfRun } from './attempt-store.ts';
import { needOf } from './run-effect.ts';
import type { StoredJob } from './stored-job.ts';
import { byKind } from './stored-request.ts';
import { type Notice, Watchers } from './watchers.ts';

interface FollowersContext {
  stored(): StoredJob | null;
  dispatcher(): DispatcherStub;
  readonly sql: SqlStorage;
  readonly settings: Pick<Settings, 'baseUrl' | 'limits' | 'schedule' | 'faceit' | keyof AddressPolicy>;
}

/** Adds includes to a job for clients, and notifies its followers, each with their includes. */
export class JobFollowers {
  readonly #context: FollowersContext;
  /** In memory only. `at`: milliseconds since the epoch. */
  lastHeartbeat: (Pick<Heartbeat, 'fence' | 'progress'> & Pick<JobActivity, 'stage'> & { readonly at: number }) | null =
    null;
  readonly #watchers = new Watchers(
    (include) => this.#noticeNow(include),
    () => void tally.report(this.#context.dispatcher()),
  );

  constructor(context: FollowersContext) {
    this.#context = context;
  }

  /** Returns the present job with the includes. */
  async read(stored: StoredJob, include: readonly JobInclude[]): Promise<JobDetail> {
    const queue = await this.#queuePlaceOf(include, stored);
    // The job may have changed since.
    const { job, request } = this.#context.stored() ?? stored;
    const seen = this.#activityWith(job, queue);
    return { ...jobView(job, byKind(request).shown), ...includesOf(job, include, seen) };
  }

  /** Streams the job's notices until it has finished; null if the client has the last one. */
  async watch(
    include: readonly JobInclude[],
    lastEventId: string | null,
  ): Promise<Result<ReadableStream<Uint8Array> | null, 'too_many_followers'>> {
    const notice = await this.#noticeNow(include);
    const isLast = isFinished(notice.data.status);
    if (isLast && notice.id === lastEventId) return value(null);
    if (this.#watchers.size >= this.#context.settings.limits.followers) return refuse('too_many_followers');
    return value(this.#watchers.add(notice, isLast, include));
  }

  activity(job: Job): JobActivity {
    const { status } = job;
    const lease = leaseOf(job);
    const last = this.lastHeartbeat;
    if (lease && last?.fence === lease.fence) {
      return { status, progress: last.progress, stage: last.stage, heardAt: last.at };
    }
    const { leaseTtl } = this.#context.settings.schedule;
    const heardAt = lease && (lease.isConfirmed ? lease.deadline - leaseTtl : lease.grantedAt);
    return { status, progress: null, stage: null, heardAt };
  }

  notify(job: Job): void {
    this.#watchers.notify((include) => this.#notice(job, include, null), isFinished(job.status));
  }

  #notice(job: Job, include: readonly JobInclude[], queue: QueuePlace | null): Notice {
    const seen = this.#activityWith(job, queue);
    const { status, attempt, errorCode: error_code } = fieldsOf(job);
    const common = { status, progress: seen.progress, attempt, error_code };
    return { id: String(job.version), data: { ...common, ...moreOf(job, include, seen) } };
  }

  #activityWith(job: Job, queue: QueuePlace | null): AttemptActivity {
    const { baseUrl } = this.#context.settings;
    const waits = job.status === 'retrying' ? queuePlace(job, waitForRetry(job.retryAt)) : null;
    const place = job.status === 'pending' ? queue : waits;
    const stored = this.#context.stored();
    const rule = stored ? byKind(stored.request).rule : null;
    return { ...this.activity(job), queue: place, rule, baseUrl, ended: () => attemptsOfRun(this.#context.sql, job) };
  }

  async #noticeNow(include: readonly JobInclude[]): Promise<Notice> {
    const queue = await this.#queuePlaceOf(include, this.#context.stored());
    const job = this.#context.stored()?.job;
    if (!job) throw new Error('a job that is followed is gone');
    return this.#notice(job, include, queue);
  }

  /**
   * Reads the place in the queue from the dispatcher. Null if the job does not wait, no client includes it, or the
   * dispatcher fails.
   */
  async #queuePlaceOf(include: readonly JobInclude[], stored: StoredJob | null): Promise<QueuePlace | null> {
    if (!include.includes('queue') || stored?.job.status !== 'pending') return null;
    return this.whyWaits(stored, false);
  }

  /**
   * Returns why a job waits, and its place in the queue. Null if it does not wait, or the dispatcher fails.
   * `showsLabels`: for operators.
   */
  async whyWaits(stored: StoredJob, showsLabels: boolean): Promise<QueuePlace | null> {
    const { job } = stored;
    if (job.status === 'retrying') return queuePlace(job, waitForRetry(job.retryAt));
    if (job.status !== 'pending') return null;
    const dispatcher = this.#context.dispatcher();
    try {
      const [[queued = null], fleet] = await Promise.all([dispatcher.findJobs([job.id], true), dispatcher.fleet()]);
      const waiting = { need: needOf(stored, this.#context.settings), queued, fallbackAt: fallbackAt(job) };
      return queuePlace(job, waitOf(waiting, fleet, Date.now(), showsLabels), queued?.place);
    } catch {
      return null;
    }
  }
}
