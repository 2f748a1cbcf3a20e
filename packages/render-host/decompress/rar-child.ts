import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { libarchiveWasm } from 'libarchive-wasm';
import type { Facts } from '#domain/failure/codes.ts';
import { HEAD_BYTES } from '#domain/lib/file-headers.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { isSystemError } from '../machine/program.ts';
import { endWithParent, sendAnswer } from '../machine/supervised-child.ts';
import { type ArchivedFile, chooseDemo, RefusedArchive, wrongArchive } from './choose-demo.ts';
import { checkSize } from './unpack-stream.ts';

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

/** The answer of the child process of `unpackRar`. */
export type RarEnd =
  | { readonly type: 'done'; readonly demos: readonly string[] }
  | {
      readonly type: 'failed';
      readonly detail: string;
      /** An error of this machine, such as a full disk. */
      readonly isMachineError: boolean;
      /** Those of a `RefusedArchive`. */
      readonly facts?: Facts;
    };

/** A file with more entries is not an archive of demos, and listing them takes long. */
const MAX_ENTRIES = 1000;
const CHUNK = 1 << 20;
const FILE = 0o100000;

type Library = Awaited<ReturnType<typeof libarchiveWasm>>;

/** An entry of the archive, in its order. */
interface Listed extends ArchivedFile {
  readonly place: number;
  /** Whether it is neither a folder nor a link. */
  readonly isFile: boolean;
  readonly isEncrypted: boolean;
}

/** Writes one demo of a RAR file to a path that the caller chooses, with libarchive. Returns the names of all demos. */
async function unpack(inPath: string, outPath: string, limit: number, wanted: string | null): Promise<string[]> {
  const library = await libarchiveWasm();
  const { at, size, isPart, sums } = load(library, inPath);
  if (isPart) throw wrongArchive('split');
  const listing = library.read_new_memory(at, size);
  const entries = list(library, listing, sums);
  library.read_free(listing);
  const files = entries.filter(({ isFile }) => isFile);
  let bytes = 0;
  /** A chunk is valid until the next one is asked for. */
  function* contentOf({ place }: Listed): Generator<Buffer> {
    const archive = library.read_new_memory(at, size);
    for (let skip = place; skip >= 0; skip--) next(library, archive);
    const buffer: number = library.module._malloc(CHUNK);
    for (let read = 1; read > 0; ) {
      read = library.read_data(archive, buffer, CHUNK);
      bytes += read;
      checkSize(bytes, limit);
      yield Buffer.from(library.module.HEAPU8.buffer, buffer, read);
    }
    library.module._free(buffer);
    library.read_free(archive);
  }
  const { file, demos } = await chooseDemo(files, wanted, contentOf);
  if (file.isEncrypted) throw wrongArchive('encrypted');
  bytes = 0;
  const output = openSync(outPath, 'w');
  try {
    let sum = 0;
    for (const chunk of contentOf(file)) {
      sum = crc32(chunk, sum);
      for (let done = 0; done < chunk.length; ) done += writeSync(output, chunk, done);
    }
    if (sum !== (sums[file.place] ?? sum)) throw new Error('checksum mismatch');
  } finally {
    closeSync(output);
  }
  return [...demos];
}

/** Copies the archive into the memory of the library, which reads no files. */
function load(library: Library, path: string): RarHeaders & { at: number; size: number } {
  const { size } = statSync(path);
  const at: number = library.module._malloc(size);
  if (at === 0) throw new Error('it is larger than the memory for unpacking it');
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < size; ) {
      const read = readSync(file, library.module.HEAPU8, at + done, Math.min(CHUNK, size - done), done);
      if (read === 0) throw new Error('it became shorter');
      done += read;
    }
    return { at, size, ...readRarHeaders(file, size) };
  } finally {
    closeSync(file);
  }
}

function list(library: Library, archive: number, sums: RarHeaders['sums']): Listed[] {
  const entries: Listed[] = [];
  const buffer: number = library.module._malloc(HEAD_BYTES);
  for (;;) {
    const entry = next(library, archive);
    if (entry === 0) break;
    const place = entries.length;
    const isFile =
      library.entry_filetype(entry) === FILE && !library.entry_hardlink(entry) && !library.entry_symlink(entry);
    const isEncrypted = Boolean(library.entry_is_encrypted(entry));
    const name = library.entry_pathname(entry) ?? '';
    const sum = typeof sums[place] === 'number' ? `${sums[place]} ${library.entry_size(entry)}` : null;
    const head = isFile && !isEncrypted ? headOf(library, archive, buffer) : '';
    entries.push({ name, place, isFile, isEncrypted, sum, head });
    if (entries.length > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`);
  }
  if (library.read_has_encrypted_entries(archive) === 1 && entries.length === 0) {
    throw wrongArchive('encrypted');
  }
  return entries;
}

/** Returns the next entry; 0 after the last. */
function next(library: Library, archive: number): number {
  const entry: number = library.read_next_entry(archive);
  const complaint = entry === 0 ? library.error_string(archive) : null;
  if (complaint) throw new Error(complaint);
  return entry;
}

/** Returns the first bytes of the current entry in hexadecimal; none if it cannot be unpacked. */
function headOf(library: Library, archive: number, buffer: number): string {
  try {
    const read = library.read_data(archive, buffer, HEAD_BYTES);
    return Buffer.from(library.module.HEAPU8.subarray(buffer, buffer + read)).toString('hex');
  } catch {
    return '';
  }
}

async function main(): Promise<void> {
  const [inPath = '', outPath = '', limit = '0', wanted = ''] = process.argv.slice(2);
  let end: RarEnd;
  try {
    const demos = await unpack(inPath, outPath, Number(limit), JSON.parse(wanted) as string | null);
    end = { type: 'done', demos };
  } catch (error) {
    const refused = error instanceof RefusedArchive ? { facts: error.facts } : {};
    end = { type: 'failed', detail: reasonOf(error), isMachineError: isSystemError(error), ...refused };
  }
  sendAnswer(end);
}

endWithParent();
await main();
