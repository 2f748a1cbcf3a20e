/** Reads bytes as characters of one byte each. */
export function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Reads an unsigned integer of up to four bytes. Bytes beyond the end count as zero. */
export function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

/** Reads likewise, the lowest byte first. */
export function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

const CRC_32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** Returns the CRC-32 (ISO-HDLC) of bytes, as zip files and PNG have it. */
export function crc32(bytes: ArrayLike<number>): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (CRC_32[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}
