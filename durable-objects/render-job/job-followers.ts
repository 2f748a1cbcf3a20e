import { fieldsOf, isFinished, type Job } from '#domain/job.ts';
import { type Result, refuse, value } from '#domain/result.ts';
import type { Settings } from '#platform/settings.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';
import {
  includesOf,
  type JobDetail,
  type JobInclude,
  moreOf,
  type QueuePlace,
  type Seen,
} from '#protocol/job-detail.ts';
import { jobView } from '#protocol/job-view.ts';
import type { Dispatchers } from '../dispatcher/dispatchers.ts';
import { tally } from '../isolate-tally.ts';
import { attemptsOfRun } from './attempt-store.ts';
import { glanceAt, type Heard, type JobGlance } from './glance.ts';
import { type JobStory, jobStory } from './job-story.ts';
import { queuePlaceOf } from './queue-place.ts';
import type { StoredJob } from './stored-job.ts';
import { shownRequest } from './stored-request.ts';
import { type Notice, Watchers } from './watchers.ts';

/** What followers are told of. */
interface Followed {
  stored(): StoredJob | null;
  dispatchers(): Pick<Dispatchers, 'at'>;
  readonly sql: SqlStorage;
  readonly settings: Pick<Settings, 'limits' | 'schedule'>;
}

/** What is seen of a job beside its state, and the clients that follow it, each told what it asked for. */
export class JobFollowers {
  readonly #followed: Followed;
  /** What the host said last of the job. */
  heard: Heard | null = null;
  readonly #watchers = new Watchers(
    (include) => this.#noticeNow(include),
    () => void tally.tell(this.#followed.dispatchers()),
  );

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /** The job as it stands, with what is asked for. */
  async read(stored: StoredJob, include: readonly JobInclude[]): Promise<JobDetail> {
    const queue = await queuePlaceOf(include, stored, this.#followed.dispatchers());
    // It may have changed meanwhile.
    const { job, request } = this.#followed.stored() ?? stored;
    const seen = this.#seen(job, queue);
    return { ...jobView(job, shownRequest(request)), ...includesOf(job, include, seen) };
  }

  /** A stream of the job's notices until it has finished; null for a client that knows the last one. */
  async watch(
    include: readonly JobInclude[],
    lastEventId: string | null,
  ): Promise<Result<ReadableStream<Uint8Array> | null, 'too_many_followers'>> {
    const notice = await this.#noticeNow(include);
    const isLast = isFinished(notice.data.status);
    if (isLast && notice.id === lastEventId) return value(null);
    if (this.#watchers.size >= this.#followed.settings.limits.jobFollowers) return refuse('too_many_followers');
    return value(this.#watchers.add(notice, isLast, include));
  }

  glance(job: Job): JobGlance {
    return glanceAt(job, this.heard, this.#followed.settings.schedule.leaseTtl);
  }

  /** All that its operator may want to know. */
  story(stored: StoredJob, deliveries: readonly DeliveryRecord[]): JobStory {
    return jobStory(stored, this.glance(stored.job), this.#followed.sql, deliveries);
  }

  tell(job: Job): void {
    this.#watchers.tell((include) => this.#notice(job, include, null), isFinished(job.status));
  }

  #notice(job: Job, include: readonly JobInclude[], queue: QueuePlace | null): Notice {
    const seen = this.#seen(job, queue);
    const { status, attempt, errorCode: error_code } = fieldsOf(job);
    const told = { status, progress: seen.progress, attempt, error_code };
    return { id: String(job.version), data: { ...told, ...moreOf(job, include, seen) } };
  }

  #seen(job: Job, queue: QueuePlace | null): Seen {
    return { ...this.glance(job), queue, ended: () => attemptsOfRun(this.#followed.sql, job) };
  }

  /** The job as it stands, with its place in the queue where that is wanted. */
  async #noticeNow(include: readonly JobInclude[]): Promise<Notice> {
    const queue = await queuePlaceOf(include, this.#followed.stored(), this.#followed.dispatchers());
    const job = this.#followed.stored()?.job;
    if (!job) throw new Error('a job that is followed is gone');
    return this.#notice(job, include, job.status === 'pending' ? queue : null);
  }
}
