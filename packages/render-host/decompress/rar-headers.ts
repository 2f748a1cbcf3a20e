import { readSync } from 'node:fs';

/** What libarchive does not tell of a RAR file: the technical notes of RAR 4.20 and 5.0. */
export interface RarHeaders {
  /** Whether it is one part of a split archive. */
  readonly isPart: boolean;
  /** The CRC-32 of each entry in its order, null for one without. libarchive does not compare it for stored entries. */
  readonly sums: readonly (number | null)[];
}

interface Header {
  readonly kind: 'main' | 'file' | 'other';
  /** Flags of a main header. */
  readonly flags: number;
  readonly sum: number | null;
  /** Bytes to the next header. */
  readonly length: number;
}

const OLD = '526172211a0700';
/** What is read of a header begins it. */
const HEAD = 128;
const MAX_HEADERS = 5000;

/** Walks the headers of a RAR file. A walk that cannot go on ends, because libarchive says what is wrong. */
export function readRarHeaders(file: number, size: number): RarHeaders {
  const head = Buffer.alloc(HEAD);
  readSync(file, head, 0, HEAD, 0);
  const isOld = head.toString('hex').startsWith(OLD);
  let isPart = false;
  const sums: (number | null)[] = [];
  let at = isOld ? 7 : 8;
  for (let count = 0; at < size && count < MAX_HEADERS; count++) {
    head.fill(0);
    readSync(file, head, 0, HEAD, at);
    const { kind, flags, sum, length } = isOld ? oldHeader(head) : newHeader(head);
    if (kind === 'main') isPart = (flags & 1) !== 0;
    if (kind === 'file') sums.push(sum);
    if (length < 7) break;
    at += length;
  }
  return { isPart, sums };
}

function oldHeader(head: Buffer): Header {
  const type = head[2];
  const flags = head.readUInt16LE(3);
  const length = head.readUInt16LE(5);
  if (type === 0x73) return { kind: 'main', flags, sum: null, length };
  const isFile = type === 0x74;
  const data = isFile || (flags & 0x8000) !== 0 ? head.readUInt32LE(7) : 0;
  const high = isFile && (flags & 0x100) !== 0 ? head.readUInt32LE(32) * 2 ** 32 : 0;
  return { kind: isFile ? 'file' : 'other', flags, sum: head.readUInt32LE(16), length: length + data + high };
}

function newHeader(head: Buffer): Header {
  let at = 4;
  const number = (): number => {
    for (let value = 0, unit = 1; at < HEAD; unit *= 128) {
      const byte = head[at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
    return 0;
  };
  const size = number();
  const start = at;
  const type = number();
  const headerFlags = number();
  if ((headerFlags & 1) !== 0) number();
  const data = (headerFlags & 2) !== 0 ? number() : 0;
  const flags = number();
  const length = size === 0 ? 0 : start + size + data;
  if (type !== 2) return { kind: type === 1 ? 'main' : 'other', flags, sum: null, length };
  // Unpacked size, attributes, and perhaps the time.
  number();
  number();
  if ((flags & 2) !== 0) at += 4;
  const hasSum = (flags & 4) !== 0 && at + 4 <= HEAD;
  return { kind: 'file', flags, sum: hasSum ? head.readUInt32LE(at) : null, length };
}
