import { type FileHandle, open } from 'node:fs/promises';
import { COMPRESSED_FLAG, DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-writer/facts/container.ts';
import { FRAME_BYTES } from './snappy.ts';

/** The largest number of a command. Real ones are 0 to 18 today. A larger one means that the file is not a demo. */
const LARGEST_COMMAND = 63;

const READ_BYTES = 1 << 20;
/** The most bytes of a header: three varints of at most five bytes each. */
const LARGEST_HEADER_BYTES = 15;

export interface Frame {
  readonly command: number;
  readonly compressed: boolean;
  /** -1 before the recording. */
  readonly tick: number;
  /** Valid until the next frame; null if payloads are not wanted. */
  readonly payload: Uint8Array | null;
  /** The positions in the file of the frame's first byte and of the next frame. */
  readonly start: number;
  readonly end: number;
}

/** How the frames of a file end. */
export type FramesEnd =
  | { readonly kind: 'stop' }
  /** The file ends in a frame, or after one, without the end mark. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'noise'; readonly at: number };

export interface WalkOptions {
  readonly payloads: boolean;
  /** The largest frame in bytes. */
  readonly frameBytes?: number;
}

/**
 * Walks the frames of a demo file up to its DEM_Stop or its last complete frame. Memory does not grow with the file.
 *
 * @throws an Error for a frame that is too large; a system error if the file cannot be read.
 * @param visit called for each complete frame except the DEM_Stop.
 */
export async function walkFrames(
  path: string,
  options: WalkOptions,
  visit: (frame: Frame) => void,
): Promise<FramesEnd> {
  const file = await open(path, 'r');
  try {
    return await walk(file, (await file.stat()).size, options, visit);
  } finally {
    await file.close();
  }
}

async function walk(
  file: FileHandle,
  size: number,
  { payloads, frameBytes = FRAME_BYTES }: WalkOptions,
  visit: (frame: Frame) => void,
): Promise<FramesEnd> {
  let buffer = Buffer.allocUnsafe(READ_BYTES);
  let bufferStart = 0;
  let bufferEnd = 0;
  let offset = PREAMBLE_BYTES;

  /** Loads `count` bytes from `offset` on into the buffer, or as many as the file has. */
  async function load(count: number): Promise<void> {
    if (offset >= bufferStart && Math.min(offset + count, size) <= bufferEnd) return;
    if (count > buffer.length) buffer = Buffer.allocUnsafe(count);
    bufferStart = offset;
    bufferEnd = offset;
    while (bufferEnd < size && bufferEnd - bufferStart < buffer.length) {
      const at = bufferEnd - bufferStart;
      const { bytesRead } = await file.read(buffer, at, buffer.length - at, bufferEnd);
      if (bytesRead === 0) break;
      bufferEnd += bytesRead;
    }
  }

  for (;;) {
    if (offset + LARGEST_HEADER_BYTES > bufferEnd) await load(LARGEST_HEADER_BYTES);
    const header = readHeader(buffer, offset - bufferStart, bufferEnd - bufferStart);
    if (header === null) return { kind: 'cut' };
    const command = header.command & ~COMPRESSED_FLAG;
    if (command > LARGEST_COMMAND) return { kind: 'noise', at: offset };
    if (command === DEMO_COMMAND.stop) return { kind: 'stop' };
    const start = offset;
    const end = offset + header.headerBytes + header.payloadBytes;
    if (end > size) return { kind: 'cut' };
    if (header.payloadBytes > frameBytes) {
      throw new Error(`a frame of ${header.payloadBytes} bytes is larger than the ${frameBytes} accepted`);
    }
    if (payloads && end > bufferEnd) await load(end - offset);
    const payload = payloads ? buffer.subarray(start + header.headerBytes - bufferStart, end - bufferStart) : null;
    visit({ command, compressed: (header.command & COMPRESSED_FLAG) !== 0, tick: header.tick, payload, start, end });
    offset = end;
  }
}

interface Header {
  readonly command: number;
  readonly tick: number;
  readonly payloadBytes: number;
  readonly headerBytes: number;
}

function readHeader(bytes: Uint8Array, from: number, to: number): Header | null {
  const values = [0, 0, 0];
  let at = from;
  for (let i = 0; i < values.length; i++) {
    let value = 0;
    let shift = 0;
    for (;;) {
      if (at >= to || shift > 28) return null;
      const byte = bytes[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      shift += 7;
    }
    values[i] = value;
  }
  const [command = 0, tick = 0, payloadBytes = 0] = values;
  return { command, tick, payloadBytes: payloadBytes >>> 0, headerBytes: at - from };
}
