import type { FileHandle } from 'node:fs/promises';

/** Where one compressed frame lies in a .zst file; `end` is the first byte behind it. */
export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
}

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const BLOCK_HEADER_BYTES = 3;
/** Magic, descriptor, window, dictionary id and content size at their largest. */
const LARGEST_HEADER = 18;

class TruncatedArchive extends Error {}

/**
 * Finds the frames of a .zst file by their headers alone (RFC 8878). Node's decoder stops, without a word, behind the
 * first one, while tools that compress in parallel write many. Bytes behind the last frame that are no frame are left
 * alone, as trailing bytes.
 *
 * @throws {TruncatedArchive} when the file ends amid a frame.
 */
export async function findZstdFrames(file: FileHandle, size: number): Promise<readonly ZstdFrame[]> {
  const frames: ZstdFrame[] = [];
  for (let start = 0; start + 4 <= size; ) {
    const head = await readAt(file, start, LARGEST_HEADER);
    const magic = head.readUInt32LE(0);
    if (magic === FRAME_MAGIC) {
      const end = await frameEnd(file, start, head);
      if (end > size) throw new TruncatedArchive(`it ends after ${size} bytes, amid a frame`);
      frames.push({ start, end });
      start = end;
    } else if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC && head.length >= 8) {
      start += 8 + head.readUInt32LE(4);
    } else break;
  }
  if (frames.length === 0) throw new TruncatedArchive('it holds no data');
  return frames;
}

async function frameEnd(file: FileHandle, start: number, head: Buffer): Promise<number> {
  const descriptor = head[4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const checksumBytes = (descriptor & 4) === 0 ? 0 : 4;
  let at = start + 5 + (singleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes;
  for (;;) {
    const header = await readAt(file, at, BLOCK_HEADER_BYTES);
    if (header.length < BLOCK_HEADER_BYTES) throw new TruncatedArchive(`it ends after ${at} bytes, amid a frame`);
    const block = header.readUIntLE(0, BLOCK_HEADER_BYTES);
    const runLength = ((block >> 1) & 3) === 1;
    at += BLOCK_HEADER_BYTES + (runLength ? 1 : block >> 3);
    if ((block & 1) === 1) return at + checksumBytes;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
