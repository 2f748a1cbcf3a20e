import { open } from 'node:fs/promises';

export type ArchiveFormat = 'gzip' | 'bzip2' | 'zstd' | 'zip';

/** Bytes that are read of a file: enough for every magic number below. */
const HEAD_BYTES = 4;

/**
 * Returns what a file is by its first bytes, or null if it is not an archive. File names of servers are not reliable.
 */
export async function detectArchive(path: string): Promise<ArchiveFormat | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return formatOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function formatOf(head: Buffer): ArchiveFormat | null {
  const hex = head.toString('hex');
  if (hex.startsWith('1f8b')) return 'gzip';
  if (/^425a683[1-9]$/.test(hex)) return 'bzip2';
  // A zstd file may start with a skippable frame, 5x 2a 4d 18.
  if (hex === '28b52ffd' || /^5.2a4d18$/.test(hex)) return 'zstd';
  // "PK": a first entry, the end mark of an empty archive, or the mark of a split one.
  if (/^504b(0304|0506|0708)$/.test(hex)) return 'zip';
  return null;
}
