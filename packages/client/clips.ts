import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { JobFailedError, TickreelError } from './errors.ts';
import type { JobProgress } from './follow.ts';
import { type Including, including } from './including.ts';
import type { Jobs } from './jobs.ts';
import { createListing, type Listing } from './listing.ts';
import { newKey } from './new-key.ts';
import type { CallOperation } from './operations.ts';
import type { AccountOperations, BatchAnswer, Clip, ClipList, ClipViews, JobRef, SubmitRequest } from './shapes.ts';
import { API_ROUTES } from './shapes.ts';
import { type RequestOptions, requestTo, type Transport } from './transport.ts';

/** A submitted job. */
export interface Submitted {
  readonly jobId: string;
  /** False if a job with its idempotency key existed. */
  readonly isNew: boolean;
  /** Whether that job was submitted with another request. */
  readonly bodyDiffers: boolean;
}

export interface RenderOptions {
  /** Called at each change of the job. */
  readonly onProgress?: ((progress: JobProgress & { readonly jobId: string }) => void) | undefined;
  /** How long to wait for the clip, in milliseconds. The job continues without the caller. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The public addresses of a clip. They need no key. */
export interface ClipAddresses {
  readonly page: string;
  readonly embed: string;
  readonly video: string;
  readonly thumbnail: string;
}

export interface Clips {
  /**
   * Queues a job. Adds an `idempotency_key` if there is none, so that the request can be repeated if the answer is
   * lost.
   */
  submit(request: SubmitRequest, options?: RequestOptions): Promise<Submitted>;
  /**
   * Queues up to 50 jobs at once. Each uses the fields of `defaults` that it does not have. A refused one does not
   * affect the others: `results` has an answer for each, in order.
   */
  submitBatch(
    requests: readonly Partial<SubmitRequest>[],
    defaults?: Partial<SubmitRequest>,
    options?: RequestOptions,
  ): Promise<BatchAnswer>;
  /**
   * Queues a job, follows it, and resolves with its clip. Rejects with a `JobFailedError` if it fails, and with
   * `timed_out` if it takes too long.
   */
  render(request: SubmitRequest, options?: RenderOptions): Promise<Clip>;
  /** `include` adds fields: `urls`, `expiry`. */
  get(clipId: string, options?: RequestOptions & Including): Promise<Clip>;
  list(query?: AccountOperations['listClips']['query'], options?: RequestOptions): Listing<ClipList, Clip>;
  /** Keeps a clip until it is unsaved or deleted. */
  save(clipId: string, options?: RequestOptions): Promise<void>;
  /** Lets a clip expire. */
  unsave(clipId: string, options?: RequestOptions): Promise<void>;
  /** Deletes the files of a clip for good. */
  delete(clipId: string, options?: RequestOptions): Promise<void>;
  /** Returns how often it was watched, by day. */
  views(clipId: string, options?: RequestOptions): Promise<ClipViews>;
  urls(clipId: string): ClipAddresses;
  /** Returns the MP4 as a response, to be read or piped. */
  download(clipId: string, options?: RequestOptions): Promise<Response>;
}

export function createClips(
  transport: Transport,
  publicTransport: Transport,
  call: CallOperation<AccountOperations>,
  jobs: Jobs,
): Clips {
  const clips: Clips = {
    async submit(request, options) {
      const body = { ...request, idempotency_key: request.idempotency_key ?? newKey() };
      return transport.send(
        { ...requestTo(API_ROUTES.submitClip), body, isRepeatable: true },
        async (response) => {
          const { job_id: jobId } = (await response.json()) as JobRef;
          // This call made the key, so an existing job is one whose answer was lost.
          const isNew = response.status === 201 || request.idempotency_key === undefined;
          return { jobId, isNew, bodyDiffers: response.headers.get('Idempotency-Body-Differs') === 'true' };
        },
        options,
      );
    },

    submitBatch: (requests, defaults, options) => {
      const keyed = requests.map((one) => ({ ...one, idempotency_key: one.idempotency_key ?? newKey() }));
      const body = { ...(defaults ? { defaults } : {}), clips: keyed };
      const request = { ...requestTo(API_ROUTES.submitBatch), body, isRepeatable: true };
      return transport.send(request, (response) => response.json() as Promise<BatchAnswer>, options);
    },

    async render(request, { onProgress, timeoutMs, signal } = {}) {
      const late = new AbortController();
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), timeoutMs);
      const both = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      let jobId: string | null = null;
      try {
        const submitted = await clips.submit(request, { signal: both });
        jobId = submitted.jobId;
        const job = await jobs.wait(jobId, {
          signal: both,
          onProgress: (progress) => onProgress?.({ ...progress, jobId: submitted.jobId }),
        });
        if (job.clip_id === null) throw new JobFailedError(job);
        return await clips.get(job.clip_id, { signal: both, maxRetries: Infinity });
      } catch (error) {
        if (!late.signal.aborted || signal?.aborted) throw error;
        const name = jobId === null ? 'The job was not taken on' : `Job ${jobId} has not finished`;
        throw new TickreelError('timed_out', `${name} within ${(timeoutMs ?? 0) / 1000} s.`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },

    get: (id, options) => call('getClip', { params: { id }, query: including(options) }, options),
    list: (query, options) =>
      createListing(
        (cursor) => call('listClips', { query: cursor === undefined ? query : { ...query, cursor } }, options),
        (page) => page.clips,
      ),
    save: (id, options) => call('saveClip', { params: { id } }, options),
    unsave: (id, options) => call('unsaveClip', { params: { id } }, options),
    delete: (id, options) => call('deleteClip', { params: { id } }, options),
    views: (id, options) => call('getClipViews', { params: { id } }, options),

    urls: (clipId) => {
      const at = (line: (typeof PUBLIC_ROUTES)[keyof ClipLines]) => transport.baseUrl + href(line, { id: clipId });
      return {
        page: at(PUBLIC_ROUTES.clipPage),
        embed: at(PUBLIC_ROUTES.clipEmbed),
        video: at(PUBLIC_ROUTES.clipVideo),
        thumbnail: at(PUBLIC_ROUTES.clipThumbnail),
      };
    },
    download: (id, options) =>
      publicTransport.send(requestTo(PUBLIC_ROUTES.clipVideo, { id }), async (response) => response, options),
  };
  return clips;
}

type ClipLines = Pick<typeof PUBLIC_ROUTES, 'clipPage' | 'clipEmbed' | 'clipVideo' | 'clipThumbnail'>;
