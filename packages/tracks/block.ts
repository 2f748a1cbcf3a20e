import { Reader, TracksError, type Writer } from './bytes.ts';

/**
 * A part of a file that is compressed by itself: JSON, and numbers that take fewer bytes as a `Writer` writes them.
 * Zlib's format has a checksum, so damage is noticed here. Browsers, Workers and Node read and write it.
 */
export interface Block {
  /** In the file. */
  readonly bytes: number;
  /** Of the content. */
  readonly rawBytes: number;
}

export interface PackedBlock extends Block {
  readonly packed: Uint8Array<ArrayBuffer>;
}

/** The content begins with the length of the JSON. */
const LENGTH_BYTES = 4;

export async function packBlock(json: unknown, numbers: Writer): Promise<PackedBlock> {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const raw = new Uint8Array(LENGTH_BYTES + text.length + numbers.written.length);
  new DataView(raw.buffer).setUint32(0, text.length);
  raw.set(text, LENGTH_BYTES);
  raw.set(numbers.written, LENGTH_BYTES + text.length);
  const stream = new Blob([raw]).stream().pipeThrough(new CompressionStream('deflate'));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  return { packed, bytes: packed.length, rawBytes: raw.length };
}

/**
 * Unpacks a block and passes it to `read`. Holds no more than `rawBytes` of content.
 *
 * @throws TracksError if it is damaged, or `read` cannot use it.
 */
export async function unpackBlock<T>(
  packed: Uint8Array<ArrayBuffer>,
  rawBytes: number,
  read: (json: unknown, numbers: Reader) => T,
): Promise<T> {
  const raw = new Uint8Array(rawBytes);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  try {
    let filled = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      raw.set(part.value, filled);
      filled += part.value.length;
    }
    if (filled !== rawBytes) throw new TracksError(`it has ${filled} bytes of content, announced were ${rawBytes}`);
    const end = LENGTH_BYTES + new DataView(raw.buffer).getUint32(0);
    const numbers = new Reader(raw.subarray(end));
    const content = read(JSON.parse(new TextDecoder().decode(raw.subarray(LENGTH_BYTES, end))), numbers);
    if (numbers.left > 0) throw new TracksError('it is longer than its content');
    return content;
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error instanceof TracksError ? error : new TracksError('a part of it is damaged', { cause: error });
  }
}
