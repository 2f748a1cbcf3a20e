import { isFinished, type Job } from '../../domain/job.ts';
import { type Result, refuse, value } from '../../domain/result.ts';
import { type JobInclude, moreOf, type QueuePlace } from '../../protocol/job-detail.ts';
import type { Dispatchers } from '../dispatcher/dispatchers.ts';
import type { JobGlance } from './glance.ts';
import { queuePlaceOf } from './queue-place.ts';
import type { StoredJob } from './stored-job.ts';
import { type Notice, Watchers } from './watchers.ts';

/** What followers are told of. */
interface Followed {
  stored(): StoredJob | null;
  glance(job: Job): JobGlance;
  dispatchers(): Pick<Dispatchers, 'at'>;
  /** How many there may be at a time. */
  readonly most: number;
}

/** The clients that follow a job, each told what it asked for. */
export class JobFollowers {
  readonly #followed: Followed;
  readonly #watchers = new Watchers((include) => this.#noticeNow(include));

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /** A stream of the job's notices until it has finished; null for a client that knows the last one. */
  async watch(
    include: readonly JobInclude[],
    lastEventId: string | null,
  ): Promise<Result<ReadableStream<Uint8Array> | null, 'too_many_followers'>> {
    const notice = await this.#noticeNow(include);
    const isLast = isFinished(notice.data.status);
    if (isLast && notice.id === lastEventId) return value(null);
    if (this.#watchers.size >= this.#followed.most) return refuse('too_many_followers');
    return value(this.#watchers.add(notice, isLast, include));
  }

  tell(job: Job): void {
    this.#watchers.tell((include) => this.#notice(job, include, null), isFinished(job.status));
  }

  #notice(job: Job, include: readonly JobInclude[], queue: QueuePlace | null): Notice {
    const seen = this.#followed.glance(job);
    const told = { status: job.status, progress: seen.progress, attempt: job.attempt, error_code: job.errorCode };
    return { id: String(job.version), data: { ...told, ...moreOf(job, include, { ...seen, queue }) } };
  }

  /** The job as it stands, with its place in the queue where that is wanted. */
  async #noticeNow(include: readonly JobInclude[]): Promise<Notice> {
    const queue = await queuePlaceOf(include, this.#followed.stored(), this.#followed.dispatchers());
    const job = this.#followed.stored()?.job;
    if (!job) throw new Error('a job that is followed is gone');
    return this.#notice(job, include, job.status === 'pending' ? queue : null);
  }
}
