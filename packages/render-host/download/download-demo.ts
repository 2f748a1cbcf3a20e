import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { failure } from '#domain/failure/codes.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { type DemoSource, type DownloadFailure, openDemo, rangeOf, redactUrl } from './open-demo.ts';

/** How slow a download may be. */
export interface PaceLimits {
  /** Milliseconds for all connections, redirects and resumptions together. */
  readonly deadlineMs: number;
  /** In each window of this many milliseconds ... */
  readonly stallWindowMs: number;
  /** ... at least this many bytes must arrive. The wait for a connection and for the first byte counts. */
  readonly stallMinBytes: number;
}

type Watchdog = ReturnType<typeof startWatchdog>;

/** Why a watchdog aborted. */
class TooSlow extends Error {}

/**
 * Watches the pace of a download. Timeouts of HTTP clients do not help: each byte resets them, so a server that drips
 * could hold its client forever.
 */
function startWatchdog({ deadlineMs, stallWindowMs, stallMinBytes }: PaceLimits) {
  const controller = new AbortController();
  let inWindow = 0;
  const window = setInterval(() => {
    if (inWindow < stallMinBytes) {
      controller.abort(new TooSlow(`only ${inWindow} bytes in ${stallWindowMs} ms`));
    }
    inWindow = 0;
  }, stallWindowMs);
  const deadline = setTimeout(() => {
    controller.abort(new TooSlow(`not finished after ${deadlineMs} ms`));
  }, deadlineMs);
  return {
    /** Aborts with a `TooSlow` as its reason. */
    signal: controller.signal,
    /** Counts received bytes. */
    feed(bytes: number): void {
      inWindow += bytes;
    },
    stop(): void {
      clearInterval(window);
      clearTimeout(deadline);
    },
  };
}

/** The file could not be written: an error of this machine, not of the network. */
class WriteFailed extends Error {}

type DownloadFile = Awaited<ReturnType<typeof openDemoFile>>;

/** Opens a file to download into, and empties it. This and each method except `close` throw `WriteFailed`. */
async function openDemoFile(path: string) {
  const file: FileHandle = await writing(() => open(path, 'w'));
  return {
    async write(bytes: Buffer, position: number): Promise<void> {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writing(() => file.write(bytes, done, bytes.length - done, position + done));
        done += bytesWritten;
      }
    },
    truncate: (length: number) => writing(() => file.truncate(length)),
    close: () => file.close(),
  };
}

async function writing<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new WriteFailed(reasonOf(error));
  }
}

export interface DownloadOptions extends DemoSource {
  /** The file to write. An existing one is replaced. */
  readonly outPath: string;
  readonly signal: AbortSignal;
  /** Called with the bytes on disk, and the length of the file if the server sends it. */
  readonly onProgress?: (bytes: number, total: number | null) => void;
  readonly limits?: Partial<DownloadLimits>;
}

export interface DownloadLimits extends PaceLimits {
  readonly maxBytes: number;
  /** How many broken connections are resumed before the download counts as failed. */
  readonly maxResumptions: number;
}

/** How long a download may pause if its average is fast enough. */
export const STALL_WINDOW_MS = 20_000;

/**
 * The default pace: ten minutes for the two gigabytes of a long GOTV demo need a good line. 200 kB a second are 120 MB
 * in that time. A slower server would occupy the host, attempt after attempt, for a demo that never arrives.
 */
const DEFAULT_LIMITS: DownloadLimits = {
  maxBytes: 4 * 1024 ** 3,
  maxResumptions: 4,
  deadlineMs: 600_000,
  stallWindowMs: STALL_WINDOW_MS,
  stallMinBytes: (STALL_WINDOW_MS / 1000) * 200 * 1024,
};

/** `received` is the content type of the server, or null; `codings` its content codings, the last to undo first. */
export type DownloadResult =
  | { readonly ok: true; readonly bytes: number; readonly received: string | null; readonly codings: readonly string[] }
  | DownloadFailure;

/**
 * Streams a demo to a file. A broken connection is resumed if the server lets us verify that the rest is of the same
 * file (byte ranges, and an ETag or a date). Otherwise the download starts again: parts of two files are never joined.
 *
 * Fails with `demo_url_rejected`; `demo_404`; `download_timeout` (too slow, see `PaceLimits`); `download_error` (the
 * network, another status, fewer bytes than promised); `demo_failed_parse` for a file over `maxBytes`, which would be
 * as large on the next attempt; `cs2_unavailable` if the file cannot be written (most often a full disk), because
 * another attempt may succeed.
 *
 * @throws the signal's reason if aborted.
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

/** What is on disk, and what the server said about the file, over all connections. */
interface Progress {
  received: number;
  total: number | null;
  /** Identifies the file; null if the server offers no resumption. */
  validator: string | null;
  etag: string | undefined;
}

const NOTHING: Progress = { received: 0, total: null, validator: null, etag: undefined };

/** The answer to a resumed download is not the rest of the same file. */
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
      const { 'content-type': type, 'content-encoding': codings = '' } = opened.response.headers;
      return {
        ok: true,
        bytes: progress.received,
        received: type?.split(';')[0]?.trim().toLowerCase() || null,
        codings: codings.toLowerCase().match(/[^\s,]+/g) ?? [],
      };
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

/** Writes the body of one response. Throws when the connection breaks; the bytes so far are on disk. */
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
 * Reads the headers. An answer with the whole file starts from the first byte, even if a range was requested. Another
 * is compared with the first answer, because some servers and caches ignore `If-Range` and send the end of another
 * file.
 */
function begin(response: IncomingMessage, progress: Progress): void {
  const { statusCode, headers } = response;
  if (statusCode === 206 && progress.received > 0) {
    const [start, end = 0, total] = rangeOf(headers);
    const isRest = start === progress.received && end + 1 === total && total === (progress.total ?? total);
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

/** A weak ETag does not identify the bytes, and must not be used for ranges (RFC 9110, 13.1.5). */
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
