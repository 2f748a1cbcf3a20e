/** Reads little-endian values one after the other. Each read beyond the end throws an Error that names the place. */
export interface ByteReader {
  /** Bytes from the beginning. */
  at: number;
  u8(): number;
  u16(): number;
  u32(): number;
  f32(): number;
  /** Reads up to the next zero byte, which it skips. */
  text(most: number): string;
  skip(bytes: number): void;
  /** Reads a number of items. @throws an Error if there are more than `most`. */
  count(what: string, most: number): number;
}

export function createByteReader(bytes: Buffer): ByteReader {
  const take = (size: number): number => {
    const from = reader.at;
    if (size < 0 || from + size > bytes.length) throw new Error(`ends at byte ${bytes.length}, within its content`);
    reader.at = from + size;
    return from;
  };
  const reader: ByteReader = {
    at: 0,
    u8: () => bytes.readUInt8(take(1)),
    u16: () => bytes.readUInt16LE(take(2)),
    u32: () => bytes.readUInt32LE(take(4)),
    f32: () => bytes.readFloatLE(take(4)),
    text(most) {
      const end = bytes.indexOf(0, reader.at);
      if (end < 0 || end - reader.at > most) throw new Error(`has a name of more than ${most} bytes`);
      const from = take(end - reader.at + 1);
      return bytes.toString('utf8', from, end);
    },
    skip: (size) => void take(size),
    count(what, most) {
      const found = reader.u32();
      if (found > most) throw new Error(`has ${found} ${what}, more than ${most}`);
      return found;
    },
  };
  return reader;
}
