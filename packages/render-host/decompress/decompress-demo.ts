import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, failure } from '#domain/failure.ts';
import { type ArchiveFormat, isWrongFile, WRONG_FILES } from '#domain/file-kind.ts';
import { reasonOf } from '#domain/reason.ts';
import { isMachineError } from '../machine/system-error.ts';
import { isDamagedInTransfer, kindOfFile } from './archive-format.ts';
import { RefusedArchive } from './choose-demo.ts';
import { outputLimit, type SizeLimits } from './size-guard.ts';
import { type ContentCoding, isContentCoding, undoBrotli, undoDeflate } from './undo-coding.ts';
import { unpackBzip2 } from './unpack-bzip2.ts';
import { unpackGzip } from './unpack-gzip.ts';
import { unpackRar } from './unpack-rar.ts';
import type { UnpackTask } from './unpack-stream.ts';
import { unpackZip } from './unpack-zip.ts';
import { unpackZstd } from './unpack-zstd.ts';

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
      if (!(await isDamagedInTransfer(options.path))) return failed(format, message);
      return failure('decompress_failed', `the ${format} archive is ${WRONG_FILES.crlf}`, { found: 'crlf' });
    }
    return failure('cs2_unavailable', `the demo could not be unpacked to disk: ${message}`);
  }
}

function failed(format: string | null, detail: string): DecompressResult {
  return failure('decompress_failed', `the ${format ?? 'demo'} archive is broken: ${detail}`);
}
