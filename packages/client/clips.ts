import { embedCode, embedSize } from '#protocol/clip/player.ts';
import { clipUrls, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { JobFailedError, TickreelError } from './errors.ts';
import type { JobProgress, Jobs } from './follow.ts';
import type { Methods } from './operations.ts';
import {
  type AccountMethods,
  API_ROUTES,
  type BatchResult,
  type Clip,
  type DemoHighlight,
  type JobRef,
  type Problem,
  type SubmitRequest,
} from './shapes.ts';
import { newKey, type RequestOptions, requestTo, type Transport } from './transport.ts';

/** A submitted job. */
export interface Submitted extends JobRef {
  /** Whether a job with your idempotency key existed. */
  readonly replayed: boolean;
  /** Whether that job was submitted with another request. */
  readonly body_differs: boolean;
}

/** The fields that the requests of a batch can share. Each has a key of its own. */
export type BatchDefaults = Omit<Partial<SubmitRequest>, 'idempotency_key' | 'force'> & {
  readonly idempotency_key?: undefined;
  readonly force?: undefined;
};
/** The names of the required fields of a type. */
type Given<Fields> = { [Name in keyof Fields]-?: object extends Pick<Fields, Name> ? never : Name }[keyof Fields];
/** One request of a batch. It has the required fields that the defaults lack. */
export type BatchItem<Defaults> = Partial<SubmitRequest> & Omit<SubmitRequest, Given<Defaults>>;
/** What became of one request of a batch: it has a job, or the problem for which it was refused. */
export type BatchOutcome = Omit<BatchResult, 'job_id' | 'problem'> &
  ({ readonly job_id: string; readonly problem: null } | { readonly job_id: null; readonly problem: Problem });

export interface RenderOptions {
  /** Called at each change of the job. */
  readonly onProgress?: ((progress: JobProgress & JobRef) => void) | undefined;
  /** How long to wait for the clip, in milliseconds. The job continues without the caller. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether aborting the signal cancels the job as well. `render` then rejects once the job is canceled. */
  readonly cancelOnAbort?: boolean | undefined;
}

/**
 * How a player is embedded: its size in pixels, and its name for screen readers. Without `height`, it has the shape of
 * `aspect`, by default 16:9.
 */
export interface EmbedOptions {
  /** The shape of the clip, which the size of the frame follows. */
  readonly aspect?: SubmitRequest['aspect'];
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly title?: string | undefined;
}

/** The public addresses of a clip. They need no key. */
export interface ClipAddresses {
  readonly page: string;
  readonly embed: string;
  readonly video: string;
  readonly thumbnail: string;
}

export interface Clips extends Methods<AccountMethods['clips']> {
  /**
   * Queues a job. Adds an `idempotency_key` if there is none, so that the request can be repeated if the answer is
   * lost.
   */
  submit(request: SubmitRequest, options?: RequestOptions): Promise<Submitted>;
  /**
   * Queues up to 50 jobs at once. Each uses the fields of `defaults` that it does not have. A refused one does not
   * affect the others: `results` has an answer for each, in order.
   */
  submitBatch<Defaults extends BatchDefaults = object>(
    requests: readonly BatchItem<Defaults>[],
    defaults?: Defaults,
    options?: RequestOptions,
  ): Promise<{ readonly results: readonly BatchOutcome[] }>;
  /**
   * Queues a job, follows it, and resolves with its clip. Rejects with a `JobFailedError` if it fails, and with
   * `timed_out` if it takes too long.
   */
  render(request: SubmitRequest, options?: RenderOptions): Promise<Clip>;
  /** Renders a highlight of an inspected demo. `extra` adds fields to its request. */
  fromHighlight(
    highlight: Pick<DemoHighlight, 'request'>,
    extra?: Partial<SubmitRequest>,
    options?: RenderOptions,
  ): Promise<Clip>;
  urls(clipId: string): ClipAddresses;
  /** Returns the iframe that shows a clip on another page. */
  embedHtml(clipId: string, options?: EmbedOptions): string;
  /** Returns the MP4 as a response, to be read or piped. */
  download(clipId: string, options?: RequestOptions): Promise<Response>;
  /** Saves the MP4 as a file; not in browsers and Workers. A download that breaks leaves an existing file unchanged. */
  downloadTo(clipId: string, path: string, options?: RequestOptions): Promise<void>;
}

export function createClips(
  transport: Transport,
  publicTransport: Transport,
  methods: Methods<AccountMethods['clips']>,
  jobs: Jobs,
): Clips {
  const clips: Clips = {
    ...methods,

    async submit(request, options) {
      const body = { ...request, idempotency_key: request.idempotency_key ?? newKey() };
      return transport.send(
        { ...requestTo(API_ROUTES.submitClip), body, isRepeatable: true },
        async (response) => {
          const { job_id } = (await response.json()) as JobRef;
          // If this call made the key, an existing job is one whose answer was lost.
          const replayed = response.status !== 201 && request.idempotency_key !== undefined;
          return { job_id, replayed, body_differs: response.headers.get('Idempotency-Body-Differs') === 'true' };
        },
        options,
      );
    },

    async submitBatch(requests, defaults, options) {
      const keyed = requests.map((one) => ({ ...one, idempotency_key: one.idempotency_key ?? newKey() }));
      const body = { ...(defaults ? { defaults } : {}), clips: keyed };
      const request = { ...requestTo(API_ROUTES.submitBatch), body, isRepeatable: true };
      const read = (response: Response) => response.json() as Promise<{ results: BatchOutcome[] }>;
      const { results } = await transport.send(request, read, options);
      const hasOwnKey = ({ index }: BatchOutcome) => requests[index]?.idempotency_key !== undefined;
      return { results: results.map((one) => ({ ...one, replayed: one.replayed && hasOwnKey(one) })) };
    },

    async render(request, { onProgress, timeoutMs, signal, cancelOnAbort = false } = {}) {
      const late = new AbortController();
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), timeoutMs);
      const both = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      let jobId: string | null = null;
      try {
        signal?.throwIfAborted();
        // Without its answer, the job could not be canceled.
        const { job_id } = await clips.submit(request, { signal: cancelOnAbort ? late.signal : both });
        jobId = job_id;
        const job = await jobs.wait(job_id, {
          signal: both,
          onProgress: (progress) => onProgress?.({ ...progress, job_id }),
        });
        if (job.clip_id === null) throw new JobFailedError(job);
        return await clips.get(job.clip_id, { signal: both, maxRetries: Infinity });
      } catch (error) {
        if (signal?.aborted && cancelOnAbort && jobId !== null) await jobs.cancel(jobId).catch(() => undefined);
        if (!late.signal.aborted || signal?.aborted) throw error;
        const name = jobId === null ? 'The job was not queued' : `Job ${jobId} has not finished`;
        throw new TickreelError('timed_out', `${name} within ${(timeoutMs ?? 0) / 1000} s.`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },

    fromHighlight: ({ request }, extra, options) => clips.render({ ...request, ...extra }, options),

    urls(clipId) {
      const { page, embed, video, thumbnail } = clipUrls(transport.baseUrl, clipId);
      return { page, embed, video, thumbnail };
    },
    embedHtml(id, { aspect, width, height, title = '' } = {}) {
      const usual = embedSize(aspect);
      width ??= usual.width;
      height ??= Math.round((width * usual.height) / usual.width);
      return embedCode({ title }, clips.urls(id).embed, { width, height });
    },
    download: (id, options) =>
      publicTransport.send(requestTo(PUBLIC_ROUTES.clipVideo, { id }), async (response) => response, options),
    async downloadTo(id, path, options) {
      const { saveBody } = await import('#save-body');
      await saveBody(await clips.download(id, options), path).catch((error) => {
        options?.signal?.throwIfAborted();
        throw error;
      });
    },
  };
  return clips;
}
