import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib';

/** The largest output of an archive. */
export interface SizeLimits {
  readonly maxBytes: number;
  /** Output bytes for each input byte. Demos shrink to about a half; only bombs get near the limit. */
  readonly maxRatio: number;
}

/** The ratio does not apply to smaller outputs. */
const RATIO_COUNTS_FROM_BYTES = 64 * 1024 * 1024;

class TooLarge extends Error {}

/** Returns the limit for an archive of this size, in bytes. */
export function outputLimit(archiveBytes: number, { maxBytes, maxRatio }: SizeLimits): number {
  return Math.min(maxBytes, Math.max(RATIO_COUNTS_FROM_BYTES, archiveBytes * maxRatio));
}

/** @throws {TooLarge} */
export function checkSize(bytes: number, limit: number): void {
  if (bytes > limit) throw new TooLarge(`it unpacks to more than the ${limit} bytes that are accepted`);
}

/** One archive to unpack into one file. */
export interface UnpackTask {
  readonly inPath: string;
  readonly outPath: string;
  /** The most bytes of output. */
  readonly limit: number;
  /** The name of the demo that is asked for; null if none is. */
  readonly wanted: string | null;
  readonly signal: AbortSignal;
}

/**
 * Appends the output of `streams` to the file, from `offset` on. Resolves with the new length of the file.
 * @throws {TooLarge} and the errors of the streams.
 */
export async function appendTo(
  { outPath, limit, signal }: Pick<UnpackTask, 'outPath' | 'limit' | 'signal'>,
  offset: number,
  streams: readonly [Readable, ...Transform[]],
): Promise<number> {
  let length = offset;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, callback: TransformCallback) {
      length += chunk.length;
      try {
        checkSize(length, limit);
        callback(null, chunk);
      } catch (error) {
        callback(error as Error);
      }
    },
  });
  const file = createWriteStream(outPath, { flags: offset === 0 ? 'w' : 'a' });
  await pipeline([...streams, meter, file], { signal });
  return length;
}

/** Content codings of HTTP without magic bytes. */
export type ContentCoding = 'br' | 'deflate';

export function isContentCoding(coding: string): coding is ContentCoding {
  return coding === 'br' || coding === 'deflate';
}

export async function undoBrotli(task: UnpackTask): Promise<readonly string[]> {
  await appendTo(task, 0, [createReadStream(task.inPath), createBrotliDecompress()]);
  return [];
}

/** Undoes `deflate`, which is in the format of zlib (RFC 9110, 8.4.1.2). Some servers leave its two bytes out. */
export async function undoDeflate(task: UnpackTask): Promise<readonly string[]> {
  const file = await open(task.inPath, 'r');
  const { buffer: start } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
  const isZlib = ((start[0] ?? 0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0;
  await appendTo(task, 0, [createReadStream(task.inPath), isZlib ? createInflate() : createInflateRaw()]);
  return [];
}

/** The most members of a file. Parallel compressors write one for each 64 KB or more. */
const MAX_MEMBERS = 16_384;
/** Bytes. A header holds the name of the file and a comment. */
const LARGEST_HEADER = 65_536;
const TRAILER_BYTES = 8;
const CHUNK_BYTES = 1 << 16;
const DEFLATE = 8;

/** Unpacks all members of a .gz file in order. Ignores bytes after them, at which Node's decoder fails. */
export async function unpackGzip(task: UnpackTask): Promise<readonly string[]> {
  const file = await open(task.inPath, 'r');
  try {
    await appendTo(task, 0, [Readable.from(contentOf(task.inPath, file))]);
    return [];
  } finally {
    await file.close();
  }
}

/** Yields what the members of a .gz file contain (RFC 1952). Throws if one is damaged or cut off. */
async function* contentOf(path: string, file: FileHandle): AsyncGenerator<Buffer> {
  const head = Buffer.alloc(LARGEST_HEADER);
  for (let at = 0, members = 0; ; members += 1) {
    const { bytesRead } = await file.read(head, 0, LARGEST_HEADER, at);
    if (members > 0 && (bytesRead < 2 || head.readUInt16BE(0) !== 0x1f8b)) return;
    if (members === MAX_MEMBERS) throw new Error(`it has more than ${MAX_MEMBERS} members`);
    at += headerBytes(head.subarray(0, bytesRead));
    const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
    const packed = createReadStream(path, { start: at });
    packed.on('error', (error) => inflate.destroy(error)).pipe(inflate);
    let sum = 0;
    let length = 0;
    try {
      for await (const chunk of inflate as AsyncIterable<Buffer>) {
        sum = crc32(chunk, sum);
        length += chunk.length;
        yield chunk;
      }
    } finally {
      packed.destroy();
    }
    at += inflate.bytesWritten;
    const trailer = await file.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, at);
    if (trailer.bytesRead < TRAILER_BYTES) throw new Error('it ends amid a checksum');
    const isWhole = trailer.buffer.readUInt32LE(0) === sum && trailer.buffer.readUInt32LE(4) === length % 2 ** 32;
    if (!isWhole) throw new Error('checksum mismatch');
    at += TRAILER_BYTES;
  }
}

function headerBytes(head: Buffer): number {
  const [, , method, flags = 0] = head;
  if (method !== DEFLATE) throw new Error('it is not packed with Deflate');
  const hasExtra = (flags & 4) !== 0;
  let end = hasExtra && head.length >= 12 ? 12 + head.readUInt16LE(10) : 10;
  for (const text of [8, 16]) {
    if ((flags & text) === 0) continue;
    end = head.indexOf(0, end) + 1;
    if (end === 0) throw new Error('its header does not end');
  }
  const hasSum = (flags & 2) !== 0;
  return hasSum ? end + 2 : end;
}
