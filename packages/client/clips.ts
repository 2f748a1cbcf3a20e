import { API_ROUTES, href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { JobFailedError, TickreelError } from './errors.ts';
import type { JobProgress } from './follow.ts';
import { type Including, including } from './including.ts';
import type { Jobs } from './jobs.ts';
import { createListing, type Listing } from './listing.ts';
import { newKey } from './new-key.ts';
import type { CallOperation } from './operations.ts';
import type { AccountOperations, BatchAnswer, Clip, ClipList, ClipViews, JobRef, SubmitRequest } from './shapes.ts';
import { type RequestOptions, requestTo, type Transport } from './transport.ts';

/** A job that was taken on. */
export interface Submitted {
  readonly jobId: string;
  /** False where its idempotency key named one that there was. */
  readonly isNew: boolean;
  /** Whether that one was submitted with another request than this. */
  readonly bodyDiffers: boolean;
}

export interface RenderOptions {
  /** Hears of every change of the job. */
  readonly onProgress?: ((progress: JobProgress & { readonly jobId: string }) => void) | undefined;
  /** How long to wait for the clip, in milliseconds. The job goes on without the caller. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The public addresses of a clip: nobody needs a key for them. */
export interface ClipAddresses {
  readonly page: string;
  readonly embed: string;
  readonly video: string;
  readonly thumbnail: string;
}

export interface Clips {
  /**
   * Queues a job. One without an `idempotency_key` gets one, so that it can be sent again without harm where the
   * answer is lost.
   */
  submit(request: SubmitRequest, options?: RequestOptions): Promise<Submitted>;
  /**
   * Queues up to 50 jobs at once, each of which gets the fields of `defaults` that it has not itself. One that is
   * refused does not keep the others: `results` has the answer to each, in their order.
   */
  submitBatch(
    requests: readonly Partial<SubmitRequest>[],
    defaults?: Partial<SubmitRequest>,
    options?: RequestOptions,
  ): Promise<BatchAnswer>;
  /**
   * Queues a job, follows it, and resolves with its clip. Rejects with a `JobFailedError` where there will be none,
   * and with `timed_out` where it takes too long.
   */
  render(request: SubmitRequest, options?: RenderOptions): Promise<Clip>;
  /** `include` asks for more: `urls`, `expiry`. */
  get(clipId: string, options?: RequestOptions & Including): Promise<Clip>;
  list(query?: AccountOperations['listClips']['query'], options?: RequestOptions): Listing<ClipList, Clip>;
  /** Keeps a clip for good. */
  save(clipId: string, options?: RequestOptions): Promise<void>;
  /** Lets a clip expire. */
  unsave(clipId: string, options?: RequestOptions): Promise<void>;
  /** Deletes the files of a clip for good. */
  delete(clipId: string, options?: RequestOptions): Promise<void>;
  /** How often it was watched, by day. */
  views(clipId: string, options?: RequestOptions): Promise<ClipViews>;
  urls(clipId: string): ClipAddresses;
  /** The MP4, to be read or piped somewhere. */
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
          // Nobody else knows a key of ours: what it names already is what a lost answer told of.
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
