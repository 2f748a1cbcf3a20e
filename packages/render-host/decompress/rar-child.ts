import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { libarchiveWasm } from 'libarchive-wasm';
import { reasonOf } from '#domain/reason.ts';
import { isSystemError } from '../machine/system-error.ts';
import { chooseDemo, demosIn, NoSuchChoice } from './choose-demo.ts';
import { type RarHeaders, readRarHeaders } from './rar-headers.ts';
import { checkSize } from './size-guard.ts';

/** The one message of the child process of `unpackRar`. */
export type RarMessage =
  | { readonly type: 'done'; readonly demos: readonly string[] }
  | {
      readonly type: 'failed';
      readonly detail: string;
      /** An error of this machine, such as a full disk. */
      readonly isMachineError: boolean;
      /** The demos to choose from, if that was the failure. */
      readonly demos?: readonly string[];
    };

/** A file with more entries is not an archive of demos, and listing them takes long. */
const MAX_ENTRIES = 1000;
const CHUNK = 1 << 20;
const FILE = 0o100000;
const UNSAFE = /(^|[\\/])\.\.([\\/]|$)|^([\\/]|[a-z]:)/i;

type Library = Awaited<ReturnType<typeof libarchiveWasm>>;

/** An entry of the archive, in its order. */
interface Listed {
  readonly name: string;
  /** Whether it is neither a folder nor a link. */
  readonly isFile: boolean;
  readonly isEncrypted: boolean;
}

/** Writes one demo of a RAR file to a path that the caller chooses, with libarchive. Returns the names of all demos. */
async function unpack(inPath: string, outPath: string, limit: number, wanted: string | null): Promise<string[]> {
  const library = await libarchiveWasm();
  const { at, size, isPart, sums } = load(library, inPath);
  if (isPart) throw new Error('it is one part of a split archive');
  const listing = library.read_new_memory(at, size);
  const entries = list(library, listing);
  library.read_free(listing);
  const files = entries.filter(({ isFile, name }) => isFile && !UNSAFE.test(name));
  const names = files.map(({ name }) => name);
  const chosen = files[chooseDemo(names, wanted)];
  if (chosen === undefined || chosen.isEncrypted) throw new Error('its demo is encrypted');
  const archive = library.read_new_memory(at, size);
  const place = entries.indexOf(chosen);
  for (let skip = place; skip >= 0; skip--) next(library, archive);
  const sum = write(library, archive, outPath, limit);
  if (sum !== (sums[place] ?? sum)) throw new Error('checksum mismatch');
  return demosIn(names);
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

function list(library: Library, archive: number): Listed[] {
  const entries: Listed[] = [];
  for (;;) {
    const entry = next(library, archive);
    if (entry === 0) break;
    entries.push({
      name: library.entry_pathname(entry) ?? '',
      isFile: library.entry_filetype(entry) === FILE && !library.entry_hardlink(entry) && !library.entry_symlink(entry),
      isEncrypted: Boolean(library.entry_is_encrypted(entry)),
    });
    if (entries.length > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`);
  }
  if (library.read_has_encrypted_entries(archive) === 1 && entries.length === 0) {
    throw new Error('its list of files is encrypted');
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

/** Returns the CRC-32 of what was written. */
function write(library: Library, archive: number, path: string, limit: number): number {
  const buffer: number = library.module._malloc(CHUNK);
  const file = openSync(path, 'w');
  try {
    let sum = 0;
    for (let done = 0; ; ) {
      const read: number = library.read_data(archive, buffer, CHUNK);
      if (read === 0) return sum;
      done += read;
      checkSize(done, limit);
      sum = crc32(library.module.HEAPU8.subarray(buffer, buffer + read), sum);
      for (let at = 0; at < read; ) at += writeSync(file, library.module.HEAPU8, buffer + at, read - at);
    }
  } finally {
    closeSync(file);
  }
}

async function main(): Promise<void> {
  const [inPath = '', outPath = '', limit = '0', wanted = ''] = process.argv.slice(2);
  let message: RarMessage;
  try {
    const demos = await unpack(inPath, outPath, Number(limit), JSON.parse(wanted) as string | null);
    message = { type: 'done', demos };
  } catch (error) {
    const choice = error instanceof NoSuchChoice ? { demos: error.demos } : {};
    message = { type: 'failed', detail: reasonOf(error), isMachineError: isSystemError(error), ...choice };
  }
  process.send?.(message, () => process.disconnect());
}

// Without its parent the child ends.
process.once('disconnect', () => process.exit());
await main();
