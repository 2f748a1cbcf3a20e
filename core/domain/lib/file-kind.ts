/** Bytes at the start of a file that `fileKind` needs. */
export const HEAD_BYTES = 264;

export type ArchiveFormat = 'gzip' | 'bzip2' | 'zstd' | 'zip' | 'rar';

const SEND = 'which is not supported: send the demo as it is, or as .bz2, .gz, .zst, .zip or .rar';

/** Describes refused files, each as the end of a sentence. The keys are values of the fact `found`. */
export const WRONG_FILES = {
  '7z': `a .7z archive, ${SEND}`,
  xz: `a .xz archive, ${SEND}`,
  tar: `a .tar archive, ${SEND}`,
  encrypted: 'an encrypted archive: pack the demo without a password',
  split: 'one part of a split archive: pack the demo into one file',
  html: 'an HTML page',
  s3_error: 'an XML error of S3',
  xml: 'an XML document',
  json: 'a JSON document',
  git_lfs: 'a Git LFS pointer: send the demo itself',
  multipart: 'a multipart form: send the file alone, as the body',
  text: 'a text, not a demo',
  empty: 'empty',
  crlf: 'damaged in transfer: a CR was added before each LF. Transfer it in binary mode',
} as const;

export type WrongFile = keyof typeof WRONG_FILES;

/** Patterns for the start of files that were sent instead of demos. The first match counts. */
const STARTS: readonly (readonly [WrongFile, RegExp])[] = [
  ['empty', /^$/],
  ['multipart', /^--\S+\r?\nContent-Disposition:/i],
  ['git_lfs', /^version https:\/\/git-lfs/],
  ['s3_error', /^\s*(<\?xml[^>]*>\s*)?<Error\b/],
  ['html', /^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(!doctype html|html|head|body|script)\b/is],
  ['xml', /^\s*<[?!a-z]/i],
  ['json', /^\s*[{[]/],
  ['text', /^/],
];

/** Whether a value is in the table. */
export function isWrongFile<Kind>(found: Kind): found is Kind & WrongFile {
  return typeof found === 'string' && Object.hasOwn(WRONG_FILES, found);
}

/** Describes a refused file, as the end of a sentence; null for a value that is not in the table. */
export function describeWrongFile(found: unknown): string | null {
  return isWrongFile(found) ? WRONG_FILES[found] : null;
}

/** Returns what a file is by its first bytes in hexadecimal; null if it is neither a demo nor an archive. */
export function fileKind(head: string): 'demo' | 'csgo-demo' | '7z' | 'xz' | 'tar' | ArchiveFormat | null {
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
  // These are not supported, and errors name them.
  if (head.startsWith('377abcaf271c')) return '7z';
  if (head.startsWith('fd377a585a00')) return 'xz';
  // "ustar" in the header of a first entry, which begins with its name.
  if (head.startsWith('7573746172', 2 * 257)) return 'tar';
  return null;
}

/** Whether a file is an archive that is unpacked. */
export function isArchive(kind: ReturnType<typeof fileKind>): kind is ArchiveFormat {
  return kind !== null && kind !== 'demo' && kind !== 'csgo-demo' && !isWrongFile(kind);
}

/**
 * Returns what a file is that is not a demo or an archive that is unpacked, by its first bytes in hexadecimal; null if
 * that is unknown.
 */
export function wrongFile(head: string): WrongFile | null {
  const kind = fileKind(head);
  if (kind !== null) return isWrongFile(kind) ? kind : null;
  // A text may begin with the mark of UTF-8.
  const bytes = head.replace(/^efbbbf/, '').match(/../g) ?? [];
  const text = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they show that it is no text.
  const isText = !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  return STARTS.find(([found, start]) => (isText || found === 'multipart') && start.test(text))?.[0] ?? null;
}

/** Bytes at the start of a file that `isCrLf` needs. */
export const SAMPLE_BYTES = 65_536;
/** In a binary file, a carriage return precedes all of so many line feeds with a chance of 1 in 10^19. */
const LINE_FEEDS = 8;

/** Whether a binary file was transferred in text mode, which turns each LF into CR LF. */
export function isCrLf(start: Uint8Array): boolean {
  const feeds = [...start.keys()].filter((at) => start[at] === 0x0a);
  return feeds.length >= LINE_FEEDS && feeds.every((at) => start[at - 1] === 0x0d);
}
