import { Transform, type TransformCallback } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { chooseDemo, demosIn } from './choose-demo.ts';
import { checkSize } from './size-guard.ts';
import { appendTo, type UnpackTask } from './unpack-stream.ts';

/** A file with more entries is not an archive of demos, and listing them takes long. */
const MAX_ENTRIES = 1000;

/**
 * Unpacks a demo from a .zip file. yauzl checks sizes, this checks checksums. Returns the names of all demos in it.
 */
export async function unpackZip(task: UnpackTask): Promise<readonly string[]> {
  const zip = await openPromise(task.inPath, { autoClose: false });
  try {
    const files = await filesIn(zip, task.signal);
    const names = files.map(({ fileName }) => fileName);
    const entry = files[chooseDemo(names, task.wanted)];
    if (entry === undefined) throw new Error('there is no .dem file in it');
    if (entry.isEncrypted()) throw new Error('its demo is encrypted');
    checkSize(entry.uncompressedSize, task.limit);
    const content = await zip.openReadStreamPromise(entry);
    await appendTo(task, 0, [content, checksum(entry.crc32)]);
    return demosIn(names);
  } finally {
    zip.close();
  }
}

async function filesIn(zip: ZipFile, signal: AbortSignal): Promise<Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} entries`);
  const files: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted();
    if (!entry.fileName.endsWith('/') && !isLink(entry)) files.push(entry);
  }
  return files;
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
