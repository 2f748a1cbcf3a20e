/// <reference path="./snappy-decompressor.d.ts" />
import { SnappyDecompressor } from 'snappyjs/snappy_decompressor.js';
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
