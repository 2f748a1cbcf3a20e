/** Bytes at the start of a file that `fileKind` needs. */
export const HEAD_BYTES = 8;

export type ArchiveFormat = 'gzip' | 'bzip2' | 'zstd' | 'zip' | 'rar';

/** Returns what a file is by its first bytes in hexadecimal; null if it is neither a demo nor an archive. */
export function fileKind(head: string): 'demo' | 'csgo-demo' | '7z' | ArchiveFormat | null {
  // PBDEMS2 and HL2DEMO, each with a zero byte.
  if (head.startsWith('504244454d533200')) return 'demo';
  if (head.startsWith('484c3244454d4f00')) return 'csgo-demo';
  if (head.startsWith('1f8b')) return 'gzip';
  if (/^425a683[1-9]/.test(head)) return 'bzip2';
  // A zstd file may start with a skippable frame, 5x 2a 4d 18.
  if (/^(28b52ffd|5.2a4d18)/.test(head)) return 'zstd';
  // "PK": a first entry, the end mark of an empty archive, or the mark of a split one.
  if (/^504b(0304|0506|0708)/.test(head)) return 'zip';
  if (/^526172211a07(00|0100)/.test(head)) return 'rar';
  // It is not read, and errors name it.
  if (head.startsWith('377abcaf271c')) return '7z';
  return null;
}
