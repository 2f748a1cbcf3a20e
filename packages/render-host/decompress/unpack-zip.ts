import { open } from 'node:fs/promises';
import { addAbortSignal, Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, crc32, inflateRawSync } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { HEAD_BYTES } from '#domain/lib/file-headers.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { type ArchivedFile, chooseDemo, RefusedArchive, wrongArchive } from './choose-demo.ts';
import { appendTo, checkSize, type UnpackTask } from './unpack-stream.ts';

/** A file with more entries is not an archive of demos, and listing them takes long. */
const MAX_ENTRIES = 1000;
/** Compressed bytes of an entry from which its first bytes are unpacked. They unpack to half a megabyte at most. */
const PEEK_BYTES = 512;

/** Methods that are not read (APPNOTE 6.3.10, 4.4.5). */
const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
  98: 'PPMd',
};

const END_MARK = Buffer.from('PK\x05\x06');
const END_BYTES = 22;
/** Bytes that may follow the end mark, its comment included. */
const MAX_TRAILING_BYTES = 1 << 20;

interface ZippedFile extends ArchivedFile {
  readonly entry: Entry;
}

/**
 * Unpacks a demo from a .zip file. yauzl checks sizes, this checks checksums. Returns the names of all demos in it.
 */
export async function unpackZip(task: UnpackTask): Promise<readonly string[]> {
  await cutTrailing(task.inPath);
  const zip = await openPromise(task.inPath, { autoClose: false, decodeStrings: false });
  try {
    const files = await filesIn(zip, task.signal);
    let bytes = 0;
    const { file, demos } = await chooseDemo(files, task.wanted, async function* contentOf({ entry }) {
      bytes += entry.uncompressedSize;
      checkSize(bytes, task.limit);
      yield* addAbortSignal(task.signal, await zip.openReadStreamPromise(entry));
    });
    const { entry } = file;
    if (entry.isEncrypted()) throw wrongArchive('encrypted');
    if (!entry.canDecodeFileData()) {
      const method = METHODS[entry.compressionMethod] ?? `method ${entry.compressionMethod}`;
      throw new RefusedArchive(`its demo is packed with ${method}, which is not supported`, { packed_with: method });
    }
    checkSize(entry.uncompressedSize, task.limit);
    const content = await zip.openReadStreamPromise(entry);
    await appendTo(task, 0, [content, checksum(entry.crc32)]);
    return demos;
  } finally {
    zip.close();
  }
}

/** Cuts off what follows the end mark of a .zip file (APPNOTE 6.3.10, 4.3.16), because yauzl refuses it. */
async function cutTrailing(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - MAX_TRAILING_BYTES);
    const { buffer: tail, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    for (let at = bytesRead - END_BYTES; at >= 0; at -= 1) {
      at = tail.lastIndexOf(END_MARK, at);
      if (at < 0) return;
      const end = start + at + END_BYTES + tail.readUInt16LE(at + 20);
      const directoryEnd = tail.readUInt32LE(at + 12) + tail.readUInt32LE(at + 16);
      const isZip64 = tail.readUInt32LE(at + 16) === 0xffffffff;
      // The same bytes in a comment are no end mark.
      if (end > size || (directoryEnd > start + at && !isZip64)) continue;
      if (end < size) await file.truncate(end);
      return;
    }
  } finally {
    await file.close();
  }
}

async function filesIn(zip: ZipFile, signal: AbortSignal): Promise<ZippedFile[]> {
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} entries`);
  const files: ZippedFile[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted();
      // A path in it does no harm, because nothing is written under it.
      const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
      if (name.endsWith('/') || isLink(entry)) continue;
      const head = await headOf(zip, entry).catch(() => '');
      files.push({ entry, name, head, sum: `${entry.crc32} ${entry.uncompressedSize}` });
    }
  } catch (error) {
    throw /strong encryption/.test(reasonOf(error)) ? wrongArchive('encrypted') : error;
  }
  return files;
}

/** Returns the first bytes of a file in hexadecimal. */
async function headOf(zip: ZipFile, entry: Entry): Promise<string> {
  if (!entry.canDecodeFileData()) return '';
  const range = { decodeFileData: false, start: 0, end: Math.min(PEEK_BYTES, entry.compressedSize) };
  const start = await buffer(await zip.openReadStreamPromise(entry, range));
  const isDeflated = entry.compressionMethod === 8;
  const content = isDeflated ? inflateRawSync(start, { finishFlush: constants.Z_SYNC_FLUSH }) : start;
  return content.toString('hex', 0, HEAD_BYTES);
}

/**
 * Whether an entry is a symbolic link, by the upper half of the attributes as Unix tools write it. It contains a path,
 * not a demo.
 */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

/** Passes bytes on. Fails at the end if their CRC-32 is not the expected one. */
function checksum(expected: number): Transform {
  let actual = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback: TransformCallback) {
      actual = crc32(chunk, actual);
      callback(null, chunk);
    },
    flush(callback) {
      callback(actual === expected ? null : new Error('checksum mismatch'));
    },
  });
}
