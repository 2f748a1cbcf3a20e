import { TickreelError } from './errors.ts';
import { readEvents, type StreamEvent } from './events.ts';
import { type CallOperation, including, type Methods } from './operations.ts';
import {
  type AccountMethods,
  type AccountOperations,
  API_ROUTES,
  type Job,
  type JobErrorCode,
  type JobNotice,
  type JobStatus,
  type QueuePlace,
} from './shapes.ts';
import { sleep } from './sleep.ts';
import { backOff, requestTo, type Transport, withQuery } from './transport.ts';

/** The state of a job that is followed. */
export interface JobProgress {
  readonly status: JobStatus;
  /**
   * 0 to 1 of the whole job, with three decimals, and 1 when it is done; null while no host works on it, after it has
   * failed, or if only its status could be polled.
   */
  readonly progress: number | null;
  /** Attempts since it was last queued; null if only its status could be polled. */
  readonly attempt: number | null;
  readonly error_code: JobErrorCode | null;
  /** Why it waits; only if it is included, and null unless it waits. */
  readonly queue?: QueuePlace | null | undefined;
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** `queue` adds why the job waits. */
  readonly include?: readonly 'queue'[] | undefined;
}

/** How many streams have to break before a job is only polled, because a proxy lets no stream through. */
const BROKEN_STREAMS = 3;

/** Whether a job has reached its outcome. */
function isFinished({ status }: { readonly status: JobStatus }): boolean {
  return status === 'done' || status === 'error';
}

/**
 * Follows a job to its outcome. Reads its events and reconnects when they break; polls if no events are available. The
 * first value is the present state, and no value repeats the one before it. Retries during outages. Rejects when the
 * service refuses or the signal is aborted.
 */
async function* followJob(
  transport: Transport,
  call: CallOperation<AccountOperations>,
  jobId: string,
  { signal, include }: FollowOptions = {},
): AsyncGenerator<JobProgress> {
  const query = including({ include });
  let last: JobProgress | null = null;
  let lastEventId: string | null = null;
  for (let broken = 0; ; ) {
    if (broken < BROKEN_STREAMS) {
      try {
        let received = 0;
        for await (const { data, id } of noticesOf(transport, jobId, query, lastEventId, signal)) {
          // Each connection begins with the present state, so only a later event shows that events arrive.
          if (++received > 1) broken = 0;
          lastEventId = id ?? lastEventId;
          const now = progressOf(JSON.parse(data) as JobNotice);
          if (!isKnown(now, last)) {
            last = now;
            yield now;
          }
          if (isFinished(now)) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof TickreelError && !error.isTransient) throw error;
      }
    }
    const polled = await call('getJob', { params: { id: jobId }, query }, { signal, maxRetries: Infinity });
    const now = progressOf({ ...polled, progress: null, attempt: null });
    if (!isKnown(now, last)) {
      last = now;
      yield now;
    }
    if (isFinished(now)) return;
    await sleep(backOff(broken), signal);
    broken += 1;
  }
}

/** If the outcome was sent before, the service answers with an empty stream. */
async function* noticesOf(
  transport: Transport,
  jobId: string,
  query: ReturnType<typeof including>,
  lastEventId: string | null,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const headers = lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
  const request = { ...withQuery(requestTo(API_ROUTES.watchJob, { id: jobId }), query), headers };
  const { body } = await transport.send(request, async (response) => response, { signal, maxRetries: 0 });
  if (body !== null) yield* readEvents(body);
}

function progressOf({ status, progress, attempt, error_code, queue }: JobProgress): JobProgress {
  const share = status === 'done' ? 1 : progress;
  const now = { status, progress: share === null ? null : Math.round(share * 1000) / 1000, attempt, error_code };
  return queue === undefined ? now : { ...now, queue };
}

/** Whether a state has nothing that the one before it lacks. */
function isKnown(now: JobProgress, last: JobProgress | null): boolean {
  if (now.status !== last?.status || now.error_code !== last.error_code) return false;
  if (now.queue && JSON.stringify(now.queue) !== JSON.stringify(last.queue)) return false;
  return [null, last.attempt].includes(now.attempt) && [null, last.progress].includes(now.progress);
}

export interface WaitOptions extends FollowOptions {
  /** Called at each change of the job. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
}

export interface Jobs extends Methods<AccountMethods['jobs']> {
  /** Follows a job: yields its present state, then each change, until its outcome. */
  watch(jobId: string, options?: FollowOptions): AsyncGenerator<JobProgress>;
  /**
   * Follows a job and resolves with its outcome, whichever it is, and its diagnosis. Retries during outages; rejects
   * when the service refuses.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
}

export function createJobs(
  transport: Transport,
  call: CallOperation<AccountOperations>,
  methods: Methods<AccountMethods['jobs']>,
): Jobs {
  return {
    ...methods,
    watch: (id, options) => followJob(transport, call, id, options),

    async wait(id, { onProgress, ...options } = {}) {
      const { signal } = options;
      for (;;) {
        for await (const progress of followJob(transport, call, id, options)) onProgress?.(progress);
        const job = await methods.get(id, { include: ['diagnosis'], signal, maxRetries: Infinity });
        // Another client may have queued it again meanwhile.
        if (isFinished(job)) return job;
      }
    },
  };
}
