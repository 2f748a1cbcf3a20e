/// <reference path="../libraries.d.ts" />
import { type FileHandle, open } from 'node:fs/promises';
import { SnappyDecompressor } from 'snappyjs/snappy_decompressor.js';
import { COMPRESSED_FLAG, DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-format/container.ts';
import { type MESSAGES, type MessageName, messageType } from '#demo-format/messages.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { isSystemError } from '../machine/program.ts';
import { PADDING_BYTES } from './bit-reader.ts';

/** The default limit of a frame, packed and unpacked, because a few bytes can claim four gigabytes. */
export const FRAME_BYTES = 64 * 1024 * 1024;
/** The most that data can expand: three bytes unpack to 64 at most. */
const MOST_RATIO = 22;

export function unpack(compressed: Uint8Array): Uint8Array {
  const decompressor = new SnappyDecompressor(compressed);
  const target = new Uint8Array(lengthOf(decompressor, compressed, FRAME_BYTES));
  if (!decompressor.uncompressToBuffer(target)) throw new Error('damaged Snappy data');
  return target;
}

/** Memory for the current frame, which is reused: a match has hundreds of thousands of frames. */
export class FrameBuffer {
  #bytes = new Uint8Array(1 << 20);
  readonly #most: number;

  /** @param most bytes of an unpacked frame. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Padded for the bit reader. */
  get buffer(): ArrayBufferLike {
    return this.#bytes.buffer;
  }

  /** Copies or unpacks a frame's payload into the memory, and returns it. */
  fill(payload: Uint8Array, compressed: boolean): Uint8Array {
    const decompressor = compressed ? new SnappyDecompressor(payload) : null;
    const length = decompressor === null ? payload.length : lengthOf(decompressor, payload, this.#most);
    if (length + PADDING_BYTES > this.#bytes.length)
      this.#bytes = new Uint8Array((length + PADDING_BYTES + 4095) & ~4095);
    const target = this.#bytes.subarray(0, length);
    if (decompressor === null) target.set(payload);
    else if (!decompressor.uncompressToBuffer(target)) throw new Error('damaged Snappy data');
    return target;
  }
}

/** Returns the unpacked length that the data claims, if it is possible. */
function lengthOf(decompressor: SnappyDecompressor, compressed: Uint8Array, most: number): number {
  const length = decompressor.readUncompressedLength();
  if (length > most) throw new Error(`a frame of ${length} bytes is larger than the ${most} accepted`);
  if (length < 0 || length > compressed.length * MOST_RATIO) throw new Error('damaged Snappy data');
  return length;
}

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

type Messages = typeof MESSAGES;

interface Scalars {
  readonly int32: number;
  readonly uint32: number;
  readonly float: number;
  readonly bool: boolean;
  readonly string: string;
  readonly bytes: Uint8Array;
  /** protobufjs's Long. Only its digits are used. */
  readonly fixed64: { toString(): string };
  readonly uint64: { toString(): string };
}
type ValueOf<T> = T extends keyof Scalars ? Scalars[T] : T extends MessageName ? MessageOf<T> : never;
type FieldOf<F> = F extends readonly [number, infer T, 'repeated']
  ? readonly ValueOf<T>[]
  : F extends readonly [number, infer T]
    ? ValueOf<T>
    : never;

/** A decoded message. A number, text or list that was not sent is 0, empty or false; a message is null. */
export type MessageOf<N extends MessageName> = { readonly [K in keyof Messages[N]]: FieldOf<Messages[N][K]> };

export function decodeMessage<N extends MessageName>(name: N, bytes: Uint8Array): MessageOf<N> {
  return messageType(name).decode(bytes) as unknown as MessageOf<N>;
}

/** Whether a field was sent, for fields whose default is a value too. */
export function wasSent(message: object, field: string): boolean {
  return Object.hasOwn(message, field);
}
