/** The bytes of a file of tracks are damaged, or another program wrote them. */
export class TracksError extends Error {}

export class Writer {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = value;
  }

  /** Seven bits a byte, the lowest first. */
  uint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte(128 + (rest % 128));
    this.byte(rest);
  }

  int(value: number): void {
    this.uint(value < 0 ? -2 * value - 1 : 2 * value);
  }
}

/** Each call throws a TracksError for bytes that `Writer` has not written. */
export class Reader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new TracksError('it ends too early');
    return byte;
  }

  uint(most: number = Number.MAX_SAFE_INTEGER): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte();
      value += (byte % 128) * unit;
      if (value > most) throw new TracksError(`a number is larger than ${most}`);
      if (byte < 128) return value;
    }
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
