import { Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, crc32, inflateRawSync } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { HEAD_BYTES } from '#domain/file-kind.ts';
import { type ArchivedFile, chooseDemo, gzipSumAt } from './choose-demo.ts';
import { checkSize } from './size-guard.ts';
import { appendTo, type UnpackTask } from './unpack-stream.ts';

/** A file with more entries is not an archive of demos, and listing them takes long. */
const MAX_ENTRIES = 1000;
/** Compressed bytes of an entry from which its first bytes are unpacked. They unpack to half a megabyte at most. */
const PEEK_BYTES = 512;

interface ZippedFile extends ArchivedFile {
  readonly entry: Entry;
}

/**
 * Unpacks a demo from a .zip file. yauzl checks sizes, this checks checksums. Returns the names of all demos in it.
 */
export async function unpackZip(task: UnpackTask): Promise<readonly string[]> {
  const zip = await openPromise(task.inPath, { autoClose: false });
  try {
    const files = await filesIn(zip, task.signal);
    const { file, demos } = await chooseDemo(files, task.wanted, ({ entry }) => gzipSum(zip, entry, task.limit));
    const { entry } = file;
    if (entry.isEncrypted()) throw new Error('its demo is encrypted');
    checkSize(entry.uncompressedSize, task.limit);
    const content = await zip.openReadStreamPromise(entry);
    await appendTo(task, 0, [content, checksum(entry.crc32)]);
    return demos;
  } finally {
    zip.close();
  }
}

async function filesIn(zip: ZipFile, signal: AbortSignal): Promise<ZippedFile[]> {
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} entries`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted();
    if (!entry.fileName.endsWith('/') && !isLink(entry)) entries.push(entry);
  }
  const files: ZippedFile[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    const head = await headOf(zip, entry).catch(() => '');
    files.push({ entry, name: entry.fileName, head, sum: `${entry.crc32} ${entry.uncompressedSize}` });
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

async function gzipSum(zip: ZipFile, entry: Entry, limit: number): Promise<string | null> {
  checkSize(entry.uncompressedSize, limit);
  let end = Buffer.alloc(0);
  for await (const chunk of await zip.openReadStreamPromise(entry)) end = Buffer.concat([end, chunk]).subarray(-8);
  return gzipSumAt(end);
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
