import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, failure } from '#domain/failure/codes.ts';
import {
  type ArchiveFormat,
  fileKind,
  HEAD_BYTES,
  isCrLf,
  isWrongFile,
  WRONG_FILES,
} from '#domain/lib/file-headers.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { isMachineError, MachineError } from '../machine/program.ts';
import { runThread, superviseChild } from '../machine/supervised-child.ts';
import { firstBytesOf } from '../machine/work-dir.ts';
import type { BunzipInput, BunzipOutcome } from './bunzip-worker.ts';
import { RefusedArchive } from './choose-demo.ts';
import type { RarEnd } from './rar-child.ts';
import {
  type ContentCoding,
  isContentCoding,
  outputLimit,
  type SizeLimits,
  type UnpackTask,
  undoBrotli,
  undoDeflate,
  unpackGzip,
} from './unpack-stream.ts';
import { unpackZip } from './unpack-zip.ts';
import { unpackZstd } from './zstd-frames.ts';

/** The archive, its largest dictionary of 64 MB and the program. libarchive refuses larger dictionaries. */
const MEMORY_MEGABYTES = 2048;

/**
 * Unpacks a demo from a RAR file, as HLTV serves them, in a process of its own: RAR is the one format here whose
 * decoder is C, though compiled to WebAssembly. Returns the names of all demos in it.
 */
async function unpackRar({ inPath, outPath, limit, wanted, signal }: UnpackTask): Promise<readonly string[]> {
  const end = await superviseChild<RarEnd>({
    module: new URL('./rar-child.ts', import.meta.url),
    args: [inPath, outPath, `${limit}`, JSON.stringify(wanted)],
    what: 'unpacking',
    memoryMegabytes: MEMORY_MEGABYTES,
    signal,
  });
  signal.throwIfAborted();
  if (end.type === 'done') return end.demos;
  if (end.type === 'failed' && end.facts !== undefined) throw new RefusedArchive(end.detail, end.facts);
  throw end.isMachineError ? new MachineError(end.detail) : new Error(end.detail);
}

/**
 * Unpacks all streams of a .bz2 file. The decoder is JavaScript at some 20 MB/s, so it runs in a thread, where it does
 * not delay heartbeats. Crafted input can make it loop forever; ending the thread stops it.
 */
async function unpackBzip2({ signal, ...task }: UnpackTask): Promise<readonly string[]> {
  const module = new URL('./bunzip-worker.ts', import.meta.url);
  const outcome = await runThread<BunzipOutcome>(module, task satisfies BunzipInput, 128, signal);
  if (outcome.ok) return [];
  throw outcome.system ? new MachineError(outcome.message) : new Error(outcome.message);
}

/** Returns what a file is by its first bytes. File names of servers are not reliable. */
async function kindOfFile(path: string): Promise<ReturnType<typeof fileKind>> {
  return fileKind((await firstBytesOf(path)).toString('hex', 0, HEAD_BYTES));
}

export interface DecompressOptions {
  /** The downloaded file: a demo, an archive of one, or neither. It is deleted. */
  readonly path: string;
  /** An existing folder for the demo. */
  readonly workDir: string;
  /** The name of the demo that is asked for, of an archive with names; null if none is. */
  readonly wanted?: string | null;
  /** The content codings that the server named, in order. `br` and `deflate` are undone; others have magic bytes. */
  readonly codings?: readonly string[];
  readonly signal: AbortSignal;
  readonly limits?: Partial<DecompressLimits>;
}

export interface DecompressLimits extends SizeLimits {
  /** Milliseconds for all layers together. */
  readonly timeoutMs: number;
}

const DEFAULT_LIMITS: DecompressLimits = { maxBytes: 8 * 1024 ** 3, maxRatio: 200, timeoutMs: 600_000 };

/** The most layers of archives. Real files have up to two (a .zip of a .bz2). Deeper nesting is an attack. */
const MAX_LAYERS = 3;

/** Each returns the names of the demos in it; none for an archive of one file. */
const UNPACKERS: Readonly<Record<ArchiveFormat | ContentCoding, (task: UnpackTask) => Promise<readonly string[]>>> = {
  gzip: unpackGzip,
  bzip2: unpackBzip2,
  zstd: unpackZstd,
  zip: unpackZip,
  rar: unpackRar,
  br: undoBrotli,
  deflate: undoDeflate,
};

export type DecompressResult =
  | {
      readonly ok: true;
      readonly demoPath: string;
      readonly bytes: number;
      /** The names of the demos of the archive; empty if it has no names, or there was none. */
      readonly demos: readonly string[];
    }
  | Failure<'decompress_failed' | 'cs2_unavailable'>;

/**
 * Unpacks a downloaded file to the demo in it, by magic bytes. Only one archive and its content are on disk at any
 * time. A file that is not an archive is passed on as it is: the parser checks whether it is a demo.
 *
 * Fails with `decompress_failed` for an archive that is truncated, corrupted, without a demo, or larger than the limits
 * when unpacked, and for one with several demos of which none is asked for; with `cs2_unavailable` for errors of the
 * disk, because another attempt may succeed.
 *
 * @throws the signal's reason if aborted.
 */
export async function decompressDemo(options: DecompressOptions): Promise<DecompressResult> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  options.signal.throwIfAborted();
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  const demoPath = join(options.workDir, 'match.dem');
  const codings = options.codings?.filter(isContentCoding) ?? [];
  let format: Awaited<ReturnType<typeof kindOfFile>> | ContentCoding = null;
  let demos: readonly string[] = [];
  let { wanted = null } = options;
  try {
    for (let layer = 1; ; layer += 1) {
      format = (await kindOfFile(options.path)) ?? codings.pop() ?? null;
      if (format === null || format === 'demo' || format === 'csgo-demo') break;
      if (isWrongFile(format)) {
        return failure('decompress_failed', `it is ${WRONG_FILES[format]}`, { found: format });
      }
      if (layer > MAX_LAYERS) return failed(format, `archives nested more than ${MAX_LAYERS} deep`);
      const { size } = await stat(options.path);
      const unpacked = join(options.workDir, 'unpacked');
      const task = { inPath: options.path, outPath: unpacked, limit: outputLimit(size, limits), signal };
      const found = await UNPACKERS[format]({ ...task, wanted });
      if (found.length > 0) [demos, wanted] = [found, null];
      await rename(unpacked, options.path);
    }
    await rename(options.path, demoPath);
    return { ok: true, demoPath, bytes: (await stat(demoPath)).size, demos };
  } catch (error) {
    await rm(join(options.workDir, 'unpacked'), { force: true });
    options.signal.throwIfAborted();
    if (timeout.aborted) return failed(format, `no end of unpacking after ${limits.timeoutMs} ms`);
    const message = reasonOf(error);
    if (error instanceof RefusedArchive) {
      return failure('decompress_failed', `the ${format} archive: ${message}`, error.facts);
    }
    if (!isMachineError(error)) {
      // A transfer in text mode turns each LF into CR LF.
      if (!isCrLf(await firstBytesOf(options.path))) return failed(format, message);
      return failure('decompress_failed', `the ${format} archive is ${WRONG_FILES.crlf}`, { found: 'crlf' });
    }
    return failure('cs2_unavailable', `the demo could not be unpacked to disk: ${message}`);
  }
}

function failed(format: string | null, detail: string): DecompressResult {
  return failure('decompress_failed', `the ${format ?? 'demo'} archive is broken: ${detail}`);
}
