import { type FileHandle, open } from 'node:fs/promises';
import { COMPRESSED_FLAG, DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-format/container.ts';
import { reasonOf } from '#domain/reason.ts';
import { isSystemError } from '../machine/system-error.ts';
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
  /** No frame begins at byte `at`, or the visitor could not read the one there. */
  | { readonly kind: 'damage'; readonly at: number; readonly reason: string };

/** An error of a visitor that refuses the whole file. Any other means that its frame is damaged. */
export class Refusal extends Error {}

export interface WalkOptions {
  readonly payloads: boolean;
  /** The largest frame in bytes. */
  readonly frameBytes?: number;
  /** Reads only the first bytes, as of a file that is cut there. */
  readonly size?: number;
}

/**
 * Walks the frames of a demo file up to its DEM_Stop, its last complete frame, or the first damaged one. Memory does
 * not grow with the file.
 *
 * @throws a system error if the file cannot be read; a `Refusal` or a system error of the visitor.
 * @param visit called for each complete frame except the DEM_Stop.
 */
export async function walkFrames(
  path: string,
  options: WalkOptions,
  visit: (frame: Frame) => void,
): Promise<FramesEnd> {
  const file = await open(path, 'r');
  try {
    return await walk(file, Math.min((await file.stat()).size, options.size ?? Infinity), options, visit);
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
    const start = offset;
    const damage = (reason: string): FramesEnd => ({ kind: 'damage', at: start, reason });
    if (header === null && start + LARGEST_HEADER_BYTES > size) return { kind: 'cut' };
    if (header === null || header.command > (LARGEST_COMMAND | COMPRESSED_FLAG)) {
      return damage(`no demo command at byte ${start}`);
    }
    const command = header.command & ~COMPRESSED_FLAG;
    const end = offset + header.headerBytes + header.payloadBytes;
    if (header.payloadBytes > frameBytes) {
      return damage(`a frame of ${header.payloadBytes} bytes is larger than the ${frameBytes} accepted`);
    }
    if (end > size) return { kind: 'cut' };
    if (command === DEMO_COMMAND.stop) {
      offset = end;
      await load(LARGEST_HEADER_BYTES);
      const next = readHeader(buffer, offset - bufferStart, bufferEnd - bufferStart)?.command ?? -1;
      const isEnd = end === size || AFTER_STOP.has(next & ~COMPRESSED_FLAG);
      return isEnd ? { kind: 'stop' } : damage(`an end mark at byte ${start}, which is not the end of the file`);
    }
    if (payloads && end > bufferEnd) await load(end - offset);
    const payload = payloads ? buffer.subarray(start + header.headerBytes - bufferStart, end - bufferStart) : null;
    const compressed = (header.command & COMPRESSED_FLAG) !== 0;
    try {
      visit({ command, compressed, tick: header.tick, payload, start, end });
    } catch (error) {
      if (error instanceof Refusal || isSystemError(error)) throw error;
      return damage(reasonOf(error));
    }
    offset = end;
  }
}

/** Only these follow the end mark of a whole file. Zeros look like one end mark after another. */
const AFTER_STOP: ReadonlySet<number> = new Set([DEMO_COMMAND.spawnGroups, DEMO_COMMAND.fileInfo]);

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
  return { command: command >>> 0, tick, payloadBytes: payloadBytes >>> 0, headerBytes: at - from };
}
