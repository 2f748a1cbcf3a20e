import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import { appendTo, type UnpackTask } from './unpack-stream.ts';

/** The position of one compressed frame in a .zst file. `end` is the first byte after it. */
export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
}

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const BLOCK_HEADER_BYTES = 3;
/** The largest magic, descriptor, window, dictionary id and content size together. */
const LARGEST_HEADER = 18;
/** Bytes of one read, so that a scan of small blocks does not need a system call for each block. */
const WINDOW_BYTES = 1 << 20;

/**
 * The most frames of a file. Parallel compressors write one for each megabyte or so. Each needs a decoder of its own.
 */
const MAX_FRAMES = 16_384;
/**
 * The most blocks of a file. Usual blocks hold 128 KB, so these are enough for 32 GiB. Only crafted files have more.
 */
const MAX_BLOCKS = 262_144;

class BrokenArchive extends Error {}

/**
 * Finds the frames of a .zst file by their headers alone (RFC 8878), because Node's decoder silently stops after the
 * first one and parallel compressors write many. Other bytes after the last frame are ignored.
 *
 * @throws {BrokenArchive} if the file ends in the middle of a frame, or has too many frames or blocks; the signal's
 * reason if aborted.
 */
export async function findZstdFrames(
  file: Pick<FileHandle, 'read'>,
  size: number,
  signal: AbortSignal,
): Promise<readonly ZstdFrame[]> {
  const window = createWindow(file, size, signal);
  const frames: ZstdFrame[] = [];
  let blocks = 0;
  for (let start = 0, skipped = 0; start + 4 <= size; ) {
    const head = await window.at(start, LARGEST_HEADER);
    const magic = head.readUInt32LE(0);
    if (magic === FRAME_MAGIC) {
      let at = start + headerBytes(head);
      for (let isLast = false; !isLast; blocks += 1) {
        if (blocks === MAX_BLOCKS) throw new BrokenArchive(`it has more than ${MAX_BLOCKS} blocks`);
        // Awaiting bytes that are already in memory would cost more than the rest.
        const header = window.has(at, BLOCK_HEADER_BYTES) ?? (await window.at(at, BLOCK_HEADER_BYTES));
        if (header.length < BLOCK_HEADER_BYTES) throw new BrokenArchive(`it ends after ${size} bytes, amid a frame`);
        const block = header.readUIntLE(0, BLOCK_HEADER_BYTES);
        const isRun = ((block >> 1) & 3) === 1;
        at += BLOCK_HEADER_BYTES + (isRun ? 1 : block >> 3);
        isLast = (block & 1) === 1;
      }
      const hasChecksum = ((head[4] ?? 0) & 4) !== 0;
      const end = at + (hasChecksum ? 4 : 0);
      if (end > size) throw new BrokenArchive(`it ends after ${size} bytes, amid a frame`);
      if (frames.push({ start, end }) > MAX_FRAMES) throw new BrokenArchive(`it has more than ${MAX_FRAMES} frames`);
      start = end;
    } else if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC && head.length >= 8) {
      if (++skipped > MAX_FRAMES) throw new BrokenArchive(`it has more than ${MAX_FRAMES} frames`);
      start += 8 + head.readUInt32LE(4);
    } else break;
  }
  if (frames.length === 0) throw new BrokenArchive('it holds no data');
  return frames;
}

function headerBytes(head: Buffer): number {
  const descriptor = head[4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return 5 + (singleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes;
}

/** Holds the part of the file that was read last. */
function createWindow(file: Pick<FileHandle, 'read'>, size: number, signal: AbortSignal) {
  let buffer = Buffer.alloc(0);
  let start = 0;
  /** Returns fewer bytes at the end of the file; null if they have not been read yet. */
  const has = (position: number, length: number): Buffer | null => {
    const offset = position - start;
    const isThere = offset >= 0 && (offset + length <= buffer.length || start + buffer.length >= size);
    return isThere ? buffer.subarray(offset, offset + length) : null;
  };
  return {
    has,
    async at(position: number, length: number): Promise<Buffer> {
      const there = has(position, length);
      if (there) return there;
      signal.throwIfAborted();
      const read = await file.read(Buffer.allocUnsafe(WINDOW_BYTES), 0, WINDOW_BYTES, position);
      buffer = read.buffer.subarray(0, read.bytesRead);
      start = position;
      return buffer.subarray(0, length);
    },
  };
}

/** Unpacks all frames of a .zst file in order. */
export async function unpackZstd(task: UnpackTask): Promise<readonly string[]> {
  const file = await open(task.inPath, 'r');
  try {
    const { size } = await file.stat();
    let length = 0;
    for (const { start, end } of await findZstdFrames(file, size, task.signal)) {
      const frame = createReadStream(task.inPath, { start, end: end - 1 });
      length = await appendTo(task, length, [frame, createZstdDecompress()]);
    }
    return [];
  } finally {
    await file.close();
  }
}
