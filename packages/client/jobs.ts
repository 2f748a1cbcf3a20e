import { followJob, isFinished, type JobProgress } from './follow.ts';
import { type Including, including } from './including.ts';
import { createListing, type Listing } from './listing.ts';
import type { CallOperation } from './operations.ts';
import type { AccountOperations, DeliveryList, DeliveryRef, Job, JobList, JobRef, JobSummary } from './shapes.ts';
import type { RequestOptions, Transport } from './transport.ts';

export interface WaitOptions {
  /** Hears of every change of the job. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Jobs {
  /** `include` asks for more: `diagnosis`, `attempts`, `progress`, `queue`. */
  get(jobId: string, options?: RequestOptions & Including): Promise<Job>;
  list(query?: AccountOperations['listJobs']['query'], options?: RequestOptions): Listing<JobList, JobSummary>;
  /** Follows a job: its present state at once, then every change, until it has reached its outcome. */
  watch(jobId: string, options?: { readonly signal?: AbortSignal | undefined }): AsyncGenerator<JobProgress>;
  /**
   * Follows a job to its outcome, and resolves with any outcome. Retries during outages; rejects when the service
   * refuses.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /** Ends a job that has not finished: it is in `error` with the code `canceled`. */
  cancel(jobId: string, options?: RequestOptions): Promise<JobRef>;
  /** Runs a job again in place. */
  resubmit(jobId: string, options?: RequestOptions): Promise<JobRef>;
  /** Sends its outcome webhook again. */
  resendWebhook(jobId: string, options?: RequestOptions): Promise<DeliveryRef>;
  /** Its webhooks with every attempt. */
  deliveries(jobId: string, options?: RequestOptions): Promise<DeliveryList>;
}

export function createJobs(transport: Transport, call: CallOperation<AccountOperations>): Jobs {
  return {
    get: (id, options) => call('getJob', { params: { id }, query: including(options) }, options),
    list: (query, options) =>
      createListing(
        (cursor) => call('listJobs', { query: cursor === undefined ? query : { ...query, cursor } }, options),
        (page) => page.jobs,
      ),
    watch: (id, { signal } = {}) => followJob(transport, call, id, signal),

    async wait(id, { onProgress, signal } = {}) {
      for (;;) {
        for await (const progress of followJob(transport, call, id, signal)) onProgress?.(progress);
        const job = await call('getJob', { params: { id } }, { signal, maxRetries: Infinity });
        // Somebody may have run it again in between.
        if (isFinished(job)) return job;
      }
    },

    cancel: (id, options) => call('cancelJob', { params: { id } }, options),
    resubmit: (id, options) => call('resubmitJob', { params: { id } }, options),
    resendWebhook: (id, options) => call('resendWebhook', { params: { id } }, options),
    deliveries: (id, options) => call('listDeliveries', { params: { id } }, options),
  };
}
