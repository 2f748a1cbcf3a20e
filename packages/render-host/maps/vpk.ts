import { constants, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { createByteReader } from './nav.ts';

/**
 * Reads files out of the game's archives, versions 1 and 2. Their format is documented by Valve ("VPK (file format)",
 * developer.valvesoftware.com) and by ValvePak (commit 82d69e1, August 2026).
 */

const MAGIC = 0x55aa1234;
const HEADER = { 1: 12, 2: 28 } as const;
/** An entry whose content follows the directory, instead of lying in a numbered archive. */
const IN_DIRECTORY = 0x7fff;
const END_OF_ENTRY = 0xffff;
/** Limits of a directory, and of a part of a file in bytes. */
const MOST_ENTRIES = 500_000;
const MOST_NAME = 1024;
const MOST_FILE_BYTES = 64 * 1024 * 1024;

export interface VpkEntry {
  /** With folders, such as `maps/de_nuke.nav`, in lower case. */
  readonly path: string;
  /** @throws an Error if the content is damaged. */
  read(): Promise<Buffer>;
}

/**
 * Returns the entries of an archive that `isWanted` accepts.
 *
 * @throws an Error that says what is wrong with the archive.
 */
export async function readVpk(path: string, isWanted: (path: string) => boolean): Promise<VpkEntry[]> {
  const header = createByteReader(await readPart(path, 0, HEADER[1]));
  if (header.u32() !== MAGIC) throw new Error('is no VPK');
  const version = header.u32();
  if (version !== 1 && version !== 2) throw new Error(`is a VPK of version ${version}; 1 and 2 are known`);
  const size = header.count('bytes of directory', MOST_FILE_BYTES);
  const directory = await readPart(path, HEADER[version], size);
  const found = [...entriesOf(directory)].filter((entry) => isWanted(entry.path));
  return found.map(({ start, length, preload, archive, checksum, path: name }) => ({
    path: name,
    async read() {
      const isHere = archive === IN_DIRECTORY || length === 0;
      // `pak01_dir.vpk` has its content in `pak01_000.vpk` and so on.
      const other = path.replace(/(_dir)?\.vpk$/, `_${`${archive}`.padStart(3, '0')}.vpk`);
      const [file, from] = isHere ? [path, HEADER[version] + size + start] : [other, start];
      const content = Buffer.concat([preload, await readPart(file, from, length)]);
      if (crc32(content) !== checksum) throw new Error(`${name} is damaged: its checksum is another`);
      return content;
    },
  }));
}

interface FoundEntry {
  readonly path: string;
  readonly checksum: number;
  /** Its first bytes, which are in the directory. */
  readonly preload: Buffer;
  readonly archive: number;
  readonly start: number;
  readonly length: number;
}

/** The directory: for each type, for each folder, the files; an empty name ends each list. */
function* entriesOf(directory: Buffer): Generator<FoundEntry> {
  const reader = createByteReader(directory);
  let entries = 0;
  for (let type = reader.text(MOST_NAME); type !== ''; type = reader.text(MOST_NAME)) {
    for (let folder = reader.text(MOST_NAME); folder !== ''; folder = reader.text(MOST_NAME)) {
      for (let name = reader.text(MOST_NAME); name !== ''; name = reader.text(MOST_NAME)) {
        if (++entries > MOST_ENTRIES) throw new Error(`has more than ${MOST_ENTRIES} entries`);
        const checksum = reader.u32();
        const preloadBytes = reader.u16();
        const [archive, start, length] = [reader.u16(), reader.u32(), reader.u32()];
        if (reader.u16() !== END_OF_ENTRY) throw new Error('has an entry without its end');
        reader.skip(preloadBytes);
        const preload = directory.subarray(reader.at - preloadBytes, reader.at);
        // A space stands for nothing.
        const path = `${folder === ' ' ? '' : `${folder}/`}${name}${type === ' ' ? '' : `.${type}`}`.toLowerCase();
        yield { path, checksum, preload, archive, start, length };
      }
    }
  }
}

/**
 * Reads a part of a file that is no link, where the system can tell. `size`: in bytes, or all of it.
 *
 * @throws an Error if the file ends before the part does.
 */
export async function readPart(path: string, from: number, size?: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size: all } = await file.stat();
    const wanted = size ?? all;
    if (wanted > MOST_FILE_BYTES) throw new Error(`has ${wanted} bytes, more than ${MOST_FILE_BYTES}`);
    if (from + wanted > all) throw new Error(`ends at byte ${all}, within its content`);
    const bytes = Buffer.alloc(wanted);
    await file.read(bytes, 0, wanted, from);
    return bytes;
  } finally {
    await file.close();
  }
}
