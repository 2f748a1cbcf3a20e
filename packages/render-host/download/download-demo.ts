import type { IncomingMessage } from 'node:http';
import { failure } from '#domain/failure.ts';
import { reasonOf } from '#domain/reason.ts';
import { type DownloadFile, openDemoFile, WriteFailed } from './demo-file.ts';
import { type DemoSource, type DownloadFailure, openDemo } from './open-demo.ts';
import { redactUrl } from './redact-url.ts';
import { type PaceLimits, startWatchdog, TooSlow, type Watchdog } from './watchdog.ts';

export interface DownloadOptions extends DemoSource {
  /** The file to write; what was there is overwritten. */
  readonly outPath: string;
  readonly signal: AbortSignal;
  /** Bytes on disk, and in all where the server says so. */
  readonly onProgress?: (bytes: number, total: number | null) => void;
  readonly limits?: Partial<DownloadLimits>;
}

export interface DownloadLimits extends PaceLimits {
  readonly maxBytes: number;
  /** How many broken connections are resumed before the download counts as failed. */
  readonly maxResumptions: number;
}

/** How long a download may pause, where it is fast enough over all of it. */
export const STALL_WINDOW_MS = 20_000;

/**
 * Ten minutes for the two gigabytes of a long GOTV demo ask for a fair line. 200 kB a second are 120 MB in that time: a
 * slower server would hold the host, attempt after attempt, for a demo that will not arrive.
 */
const DEFAULT_LIMITS: DownloadLimits = {
  maxBytes: 4 * 1024 ** 3,
  maxResumptions: 4,
  deadlineMs: 600_000,
  stallWindowMs: STALL_WINDOW_MS,
  stallMinBytes: (STALL_WINDOW_MS / 1000) * 200 * 1024,
};

/** `received`: the type that the server calls it by; null where it names none. */
export type DownloadResult =
  | { readonly ok: true; readonly bytes: number; readonly received: string | null }
  | DownloadFailure;

/**
 * Streams a demo to a file. A connection that breaks is resumed where it broke, if the server lets us tell that the
 * rest is of the same file (byte ranges, and an ETag or a date). If the rest belongs to another file, the download
 * starts again: two files are never joined.
 *
 * Fails with `demo_url_rejected`; `demo_404`; `download_timeout` (too slow, see `PaceLimits`); `download_error` (the
 * network, any other status, fewer bytes than promised); `demo_failed_parse` for a file over `maxBytes`, which is no
 * demo that could be rendered, and would be as large on the next attempt; `cs2_unavailable` when the file cannot be
 * written: the trouble is this machine's (most likely its disk is full), so another attempt may find a better one.
 *
 * @throws the signal's reason when it fires.
 */
export async function downloadDemo(options: DownloadOptions): Promise<DownloadResult> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  options.signal.throwIfAborted();
  const watchdog = startWatchdog(limits);
  const signal = AbortSignal.any([options.signal, watchdog.signal]);
  let file: DownloadFile | null = null;
  try {
    file = await openDemoFile(options.outPath);
    return await fetchInto({ ...options, limits, file, watchdog, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    return explain(error, watchdog, options.url);
  } finally {
    watchdog.stop();
    await file?.close();
  }
}

interface Transfer extends DownloadOptions {
  readonly limits: DownloadLimits;
  readonly file: DownloadFile;
  readonly watchdog: Watchdog;
}

/** What is here, and what the server said about the file; kept from connection to connection. */
interface Progress {
  received: number;
  total: number | null;
  /** Proves that the rest is of the same file; null where the server offers no resumption. */
  validator: string | null;
  etag: string | undefined;
}

const NOTHING: Progress = { received: 0, total: null, validator: null, etag: undefined };

/** Thrown when the answer to a resumed download is not the rest of the same file. */
class OtherFile extends Error {}

async function fetchInto(transfer: Transfer): Promise<DownloadResult> {
  const { limits, signal, again = async () => false } = transfer;
  const progress = { ...NOTHING };
  let fruitless = 0;
  for (let resumptions = 0; ; resumptions += 1) {
    const { received: offset, validator } = progress;
    try {
      const resumption = validator === null || offset === 0 ? null : { offset, validator };
      const opened = await openDemo(transfer, resumption, signal);
      if (!opened.ok) {
        if (opened.refusal?.statusCode === 416 && resumption !== null) throw new OtherFile('the file is shorter now');
        if (opened.refusal !== null && (await again(opened.refusal, fruitless++, signal))) continue;
        return opened.failed;
      }
      const failure = await receive(transfer, opened.response, progress);
      if (failure !== null) return failure;
      const type = opened.response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
      return { ok: true, bytes: progress.received, received: type };
    } catch (error) {
      if (error instanceof WriteFailed || signal.aborted) throw error;
      if (error instanceof OtherFile && resumptions < limits.maxResumptions) {
        Object.assign(progress, NOTHING);
        continue;
      }
      if (progress.received > offset) fruitless = 0;
      if (await again(null, fruitless++, signal)) continue;
      if (progress.validator === null || resumptions >= limits.maxResumptions) {
        throw new Error(`${reasonOf(error)} (after ${progress.received} of ${progress.total ?? 'unknown'} bytes)`);
      }
    }
  }
}

/** Writes one response's body. Throws when the connection breaks; what has come until then is on disk. */
async function receive(
  { file, limits, watchdog, url, onProgress = () => {} }: Transfer,
  response: IncomingMessage,
  progress: Progress,
): Promise<DownloadFailure | null> {
  begin(response, progress);
  const tooLarge = (bytes: number): DownloadFailure | null => {
    if (bytes <= limits.maxBytes) return null;
    const detail = `${redactUrl(url)} is larger than the ${limits.maxBytes} bytes that are accepted`;
    return failure('demo_failed_parse', detail);
  };
  const refused = tooLarge(progress.total ?? 0);
  if (refused !== null) {
    response.destroy();
    return refused;
  }
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const failure = tooLarge(progress.received + chunk.length);
    if (failure !== null) return failure;
    await file.write(chunk, progress.received);
    progress.received += chunk.length;
    watchdog.feed(chunk.length);
    onProgress(progress.received, progress.total);
  }
  if (progress.total !== null && progress.received !== progress.total) throw new Error('the connection ended early');
  await file.truncate(progress.received);
  return null;
}

/**
 * Reads the headers. A plain 200 starts from the first byte, even if a range was requested. A 206 is compared with the
 * first answer: some servers and caches ignore `If-Range` and send the end of their present file.
 */
function begin(response: IncomingMessage, progress: Progress): void {
  const { statusCode, headers } = response;
  if (statusCode === 206) {
    const [, start, end, total = Number.NaN] =
      /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '')?.map(Number) ?? [];
    const isRest = start === progress.received && end === total - 1 && total === (progress.total ?? total);
    if (isRest && headers.etag === progress.etag && validatorOf(headers) === progress.validator) {
      progress.total = total;
      return;
    }
    response.destroy();
    throw new OtherFile('the server resumed another file, or at another byte, than asked for');
  }
  const length = Number(headers['content-length'] ?? Number.NaN);
  progress.received = 0;
  progress.total = Number.isSafeInteger(length) ? length : null;
  progress.validator = headers['accept-ranges'] === 'bytes' ? validatorOf(headers) : null;
  progress.etag = headers.etag;
}

/** A weak ETag does not promise the same bytes, and may not be used for ranges (RFC 9110, 13.1.5). */
function validatorOf({ etag, 'last-modified': date }: IncomingMessage['headers']): string | null {
  return etag !== undefined && !etag.startsWith('W/') ? etag : (date ?? null);
}

function explain(error: unknown, watchdog: Watchdog, url: string): DownloadFailure {
  const slow: unknown = watchdog.signal.reason;
  if (slow instanceof TooSlow) {
    return failure('download_timeout', `${redactUrl(url)}: ${slow.message}`);
  }
  if (error instanceof WriteFailed) {
    return failure('cs2_unavailable', `the demo could not be stored: ${error.message}`);
  }
  return failure('download_error', `${redactUrl(url)}: ${reasonOf(error)}`);
}
