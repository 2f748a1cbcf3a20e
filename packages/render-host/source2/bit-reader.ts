const FLOAT = new DataView(new ArrayBuffer(4));

/** Bytes after the last one that a read may touch. */
export const PADDING_BYTES = 8;

/**
 * Reads a bit stream in Source 2's order: least significant bit first. Positions are bits from the start of the buffer,
 * so that a message in a packet is read in place. Reads past `end` give zeros, so loops check `overrun`.
 */
export class BitReader {
  #words: Uint32Array = new Uint32Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  position = 0;
  end = 0;

  /** @param buffer starts at a multiple of four bytes and is padded with at least `PADDING_BYTES`. */
  reset(buffer: ArrayBufferLike, position: number, end: number): this {
    if (this.#words.buffer !== buffer) {
      this.#words = new Uint32Array(buffer, 0, buffer.byteLength >>> 2);
      this.#bytes = new Uint8Array(buffer);
    }
    this.position = position;
    this.end = end;
    return this;
  }

  /** Returns a reader of a copy of the bytes, because they may be unaligned. */
  static of(bytes: Uint8Array): BitReader {
    const padded = new Uint8Array((bytes.length + PADDING_BYTES + 3) & ~3);
    padded.set(bytes);
    return new BitReader().reset(padded.buffer, 0, bytes.length * 8);
  }

  get overrun(): boolean {
    return this.position > this.end;
  }

  bit(): boolean {
    const at = this.position;
    this.position = at + 1;
    return ((this.#words[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
  }

  /** 0 to 32 bits, unsigned. */
  bits(count: number): number {
    const at = this.position;
    this.position = at + count;
    const word = at >>> 5;
    const shift = at & 31;
    let value = (this.#words[word] ?? 0) >>> shift;
    if (shift + count > 32) value |= (this.#words[word + 1] ?? 0) << (32 - shift);
    return count === 32 ? value >>> 0 : value & ((1 << count) - 1);
  }

  /** Returns the next bits without advancing; as many as the longest code. */
  peek(count: number): number {
    const at = this.position;
    const value = this.bits(count);
    this.position = at;
    return value;
  }

  varUint32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bits(8);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }

  varInt32(): number {
    const value = this.varUint32();
    return (value >>> 1) ^ -(value & 1);
  }

  varUint64(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bits(8);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return BigInt.asUintN(64, value);
  }

  fixed64(): bigint {
    const low = this.bits(32);
    return BigInt(low) | (BigInt(this.bits(32)) << 32n);
  }

  /** Reads the 6-bit form of packet headers: four bits of value, two that say whether 0, 4, 8 or 28 more follow. */
  uBitVar(): number {
    const head = this.bits(6);
    const more = head >>> 4;
    if (more === 0) return head;
    return ((head & 15) | (this.bits(more === 1 ? 4 : more === 2 ? 8 : 28) << 4)) >>> 0;
  }

  /** Reads the form of field paths: a unary class, then 2, 4, 10, 17 or 31 bits. */
  fieldPathUint(): number {
    if (this.bit()) return this.bits(2);
    if (this.bit()) return this.bits(4);
    if (this.bit()) return this.bits(10);
    return this.bits(this.bit() ? 17 : 31);
  }

  float32(): number {
    FLOAT.setUint32(0, this.bits(32));
    return FLOAT.getFloat32(0);
  }

  /** Reads UTF-8 up to a zero byte. */
  string(): string {
    const bytes: number[] = [];
    while (!this.overrun) {
      const byte = this.bits(8);
      if (byte === 0) break;
      bytes.push(byte);
    }
    return Buffer.from(bytes).toString();
  }

  /** Returns a copy of the next bytes. */
  bytes(count: number): Uint8Array {
    if (this.position + count * 8 > this.end) throw new Error(`${count} bytes wanted at the end of the data`);
    const from = this.position >>> 3;
    const shift = this.position & 7;
    this.position += count * 8;
    if (shift === 0) return this.#bytes.slice(from, from + count);
    const out = new Uint8Array(count);
    let low = this.#bytes[from] ?? 0;
    for (let i = 0; i < count; i++) {
      const high = this.#bytes[from + i + 1] ?? 0;
      out[i] = (low >>> shift) | (high << (8 - shift));
      low = high;
    }
    return out;
  }
}
