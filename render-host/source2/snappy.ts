import { SnappyDecompressor } from 'snappyjs/snappy_decompressor.js';
import { PADDING_BYTES } from './bit-reader.ts';

/** More than any frame unpacks to; a few bytes can claim four gigabytes. */
const MOST_BYTES = 1 << 28;

export function unpack(compressed: Uint8Array): Uint8Array {
  const decompressor = new SnappyDecompressor(compressed);
  const target = new Uint8Array(lengthOf(decompressor));
  if (!decompressor.uncompressToBuffer(target)) throw new Error('damaged Snappy data');
  return target;
}

/** Memory for the frame at hand, taken once and used again: a match has hundreds of thousands of frames. */
export class FrameBuffer {
  #bytes = new Uint8Array(1 << 20);

  /** Padded as the bit reader wants it. */
  get buffer(): ArrayBufferLike {
    return this.#bytes.buffer;
  }

  /** Puts a frame's payload there, unpacked, and returns it. */
  fill(payload: Uint8Array, compressed: boolean): Uint8Array {
    const decompressor = compressed ? new SnappyDecompressor(payload) : null;
    const length = decompressor === null ? payload.length : lengthOf(decompressor);
    if (length + PADDING_BYTES > this.#bytes.length)
      this.#bytes = new Uint8Array((length + PADDING_BYTES + 4095) & ~4095);
    const target = this.#bytes.subarray(0, length);
    if (decompressor === null) target.set(payload);
    else if (!decompressor.uncompressToBuffer(target)) throw new Error('damaged Snappy data');
    return target;
  }
}

function lengthOf(decompressor: SnappyDecompressor): number {
  const length = decompressor.readUncompressedLength();
  if (length < 0 || length > MOST_BYTES) throw new Error('damaged Snappy data');
  return length;
}
