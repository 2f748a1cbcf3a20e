import { type FollowOptions, followJob, isFinished, type JobProgress } from './follow.ts';
import { type Including, including } from './including.ts';
import { createListing, type Listing } from './listing.ts';
import type { CallOperation } from './operations.ts';
import type { AccountOperations, DeliveryList, DeliveryRef, Job, JobList, JobRef, JobSummary } from './shapes.ts';
import type { RequestOptions, Transport } from './transport.ts';

export interface WaitOptions extends FollowOptions {
  /** Called at each change of the job. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
}

export interface Jobs {
  /** `include` adds fields: `diagnosis`, `attempts`, `progress`, `queue`, `renderer`. */
  get(jobId: string, options?: RequestOptions & Including): Promise<Job>;
  list(query?: AccountOperations['listJobs']['query'], options?: RequestOptions): Listing<JobList, JobSummary>;
  /** Follows a job: yields its present state, then each change, until its outcome. */
  watch(jobId: string, options?: FollowOptions): AsyncGenerator<JobProgress>;
  /**
   * Follows a job and resolves with its outcome, whichever it is, and its diagnosis. Retries during outages; rejects
   * when the service refuses.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /** Cancels an unfinished job: it ends in `error` with the code `canceled`. */
  cancel(jobId: string, options?: RequestOptions): Promise<JobRef>;
  /** Runs a job again in place. */
  resubmit(jobId: string, options?: RequestOptions): Promise<JobRef>;
  /** Sends its outcome webhook again. */
  resendWebhook(jobId: string, options?: RequestOptions): Promise<DeliveryRef>;
  /** Returns its webhooks with each attempt. */
  deliveries(jobId: string, options?: RequestOptions): Promise<DeliveryList>;
}

export function createJobs(transport: Transport, call: CallOperation<AccountOperations>): Jobs {
  return {
    get: (id, options) => call('getJob', { params: { id }, query: including(options) }, options),
    list: (query, options) =>
      createListing((from) => call('listJobs', { query: { ...query, ...from } }, options), 'jobs'),
    watch: (id, options) => followJob(transport, call, id, options),

    async wait(id, { onProgress, ...options } = {}) {
      const { signal } = options;
      for (;;) {
        for await (const progress of followJob(transport, call, id, options)) onProgress?.(progress);
        const query = { include: 'diagnosis' };
        const job = await call('getJob', { params: { id }, query }, { signal, maxRetries: Infinity });
        // Another client may have queued it again meanwhile.
        if (isFinished(job)) return job;
      }
    },

    cancel: (id, options) => call('cancelJob', { params: { id } }, options),
    resubmit: (id, options) => call('resubmitJob', { params: { id } }, options),
    resendWebhook: (id, options) => call('resendWebhook', { params: { id } }, options),
    deliveries: (id, options) => call('listDeliveries', { params: { id } }, options),
  };
}
