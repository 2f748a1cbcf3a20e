import { readSync } from 'node:fs';
import { COMPRESSED_FLAG, DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-format/container.ts';

/** The most bytes of a frame's header: three varints. */
const HEADER_BYTES = 15;

/**
 * Whether an open file is a demo whose recording has ended. The game ends a recording with the frames stop, spawn
 * groups and file info, all of the last tick, and then writes the positions of the last two into the preamble. So the
 * file info has to be at its position and fill the file to its end, and a stop without payload has to precede the spawn
 * groups. Bytes of a packet that look like a stop do not count, and a copy that has not all bytes yet is not whole.
 */
export function isWholeDemo(file: number, size: number): boolean {
  const read = (from: number, length: number) => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, from);
    return bytes;
  };
  const preamble = read(0, PREAMBLE_BYTES);
  const infoAt = preamble.readUInt32LE(8);
  const groupsAt = preamble.readUInt32LE(12);
  if (groupsAt < PREAMBLE_BYTES + HEADER_BYTES) return false;
  const header = read(infoAt, HEADER_BYTES);
  const [command, tickAt] = varint(header, 0);
  const [, bytesAt] = varint(header, tickAt);
  const [bytes, headerBytes] = varint(header, bytesAt);
  const stop = Buffer.concat([Buffer.of(DEMO_COMMAND.stop), header.subarray(tickAt, bytesAt), Buffer.of(0)]);
  return (
    (command & ~COMPRESSED_FLAG) === DEMO_COMMAND.fileInfo &&
    infoAt + headerBytes + bytes === size &&
    read(groupsAt - stop.length, stop.length).equals(stop)
  );
}

/** Reads a varint. Returns its value and the position after it. */
function varint(bytes: Uint8Array, at: number): [value: number, end: number] {
  let last = at;
  while ((bytes[last] ?? 0) >= 0x80) last++;
  return [bytes.slice(at, last + 1).reduceRight((value, byte) => value * 128 + (byte & 0x7f), 0), last + 1];
}
