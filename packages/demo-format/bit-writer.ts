const TEXT = new TextEncoder();
const FLOAT = new DataView(new ArrayBuffer(4));

/**
 * Writes a bit stream as Source 2 reads it: least significant bit first, bytes in order, numbers unaligned.
 * Counts are bits unless a name says otherwise.
 */
export class BitWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacityBytes = 64) {
    this.#bytes = new Uint8Array(capacityBytes);
  }

  get bitLength(): number {
    return this.#length;
  }

  /** Empties the stream and keeps its memory. */
  clear(): void {
    this.#bytes.fill(0, 0, (this.#length + 7) >>> 3);
    this.#length = 0;
  }

  bit(value: boolean): void {
    this.bits(value ? 1 : 0, 1);
  }

  /** Writes the low `count` bits of `value`, 0 to 32 of them. */
  bits(value: number, count: number): void {
    this.#reserve(count);
    const bytes = this.#bytes;
    let rest = value >>> 0;
    let left = count;
    while (left > 0) {
      const index = this.#length >>> 3;
      const offset = this.#length & 7;
      const taken = Math.min(8 - offset, left);
      bytes[index] = (bytes[index] ?? 0) | ((rest & ((1 << taken) - 1)) << offset);
      rest >>>= taken;
      left -= taken;
      this.#length += taken;
    }
  }

  /** LEB128, seven bits a byte. */
  varUint32(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.bits((rest & 0x7f) | 0x80, 8);
      rest >>>= 7;
    }
    this.bits(rest, 8);
  }

  /** Zigzag, then LEB128. */
  varInt32(value: number): void {
    this.varUint32((value << 1) ^ (value >> 31));
  }

  varUint64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest > 0x7fn) {
      this.bits(Number(rest & 0x7fn) | 0x80, 8);
      rest >>= 7n;
    }
    this.bits(Number(rest), 8);
  }

  /** Writes the 6-bit form of packet headers: four bits of value, two that say whether 0, 4, 8 or 28 more follow. */
  uBitVar(value: number): void {
    const rest = value >>> 4;
    const [marker, count] = value < 1 << 4 ? [0, 0] : value < 1 << 8 ? [16, 4] : value < 1 << 12 ? [32, 8] : [48, 28];
    this.bits((value & 15) | marker, 6);
    this.bits(rest, count);
  }

  /** Writes the form of field paths: a unary class, then 2, 4, 10, 17 or 31 bits. */
  fieldPathUint(value: number): void {
    const widths = [2, 4, 10, 17];
    for (const width of widths) {
      const fits = value < 2 ** width;
      this.bit(fits);
      if (fits) {
        this.bits(value, width);
        return;
      }
    }
    this.bits(value, 31);
  }

  float32(value: number): void {
    FLOAT.setFloat32(0, value, true);
    this.bits(FLOAT.getUint32(0, true), 32);
  }

  fixed64(value: bigint): void {
    this.bits(Number(BigInt.asUintN(32, value)), 32);
    this.bits(Number(BigInt.asUintN(32, value >> 32n)), 32);
  }

  /** UTF-8, ended by a zero byte. */
  string(text: string): void {
    this.bytes(TEXT.encode(text));
    this.bits(0, 8);
  }

  bytes(data: Uint8Array): void {
    if ((this.#length & 7) === 0) {
      this.#reserve(data.length * 8);
      this.#bytes.set(data, this.#length >>> 3);
      this.#length += data.length * 8;
      return;
    }
    for (const byte of data) this.bits(byte, 8);
  }

  append(other: BitWriter): void {
    const whole = other.#length >>> 3;
    this.bytes(other.#bytes.subarray(0, whole));
    this.bits(other.#bytes[whole] ?? 0, other.#length & 7);
  }

  /** Returns a copy of what was written. The last byte is padded with zero bits. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, (this.#length + 7) >>> 3);
  }

  #reserve(count: number): void {
    const needed = (this.#length + count + 7) >>> 3;
    if (needed < this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed + 1, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
