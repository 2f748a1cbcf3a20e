/** Reads bytes of a file. Returns fewer if the file ends before. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

/** The most boxes at the top of a clip, which has `ftyp`, `moov`, `mdat` and a filler or two. */
const MAX_BOXES = 16;

/**
 * Whether the top-level boxes of an MP4 file (ISO/IEC 14496-12 section 4.2) fill it completely, begin with `ftyp`, and
 * include one `moov` and an `mdat`.
 */
export async function isWholeMp4(read: ReadBytes, size: number): Promise<boolean> {
  const types: string[] = [];
  for (let at = 0; at < size; ) {
    const header = await read(at, 16);
    if (types.length === MAX_BOXES || header.byteLength < 8) return false;
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    const short = view.getUint32(0);
    if (short === 1 && header.byteLength < 16) return false;
    // 1: a 64-bit size follows. 0: the box ends with the file.
    const box = short === 1 ? Number(view.getBigUint64(8)) : short === 0 ? size - at : short;
    if (box < (short === 1 ? 16 : 8) || box > size - at) return false;
    types.push(String.fromCharCode(...header.subarray(4, 8)));
    at += box;
  }
  return types[0] === 'ftyp' && types.filter((type) => type === 'moov').length === 1 && types.includes('mdat');
}

/** Whether a file begins with a JPEG's first marker and a segment after it, and ends with its last (ITU-T T.81 B.1). */
export async function isWholeJpeg(read: ReadBytes, size: number): Promise<boolean> {
  if (size < 20) return false;
  const [first, last] = await Promise.all([read(0, 4), read(size - 2, 2)]);
  const [soi0, soi1, marker, kind = 0] = first;
  const beginsWithSegment = marker === 0xff && (kind === 0xdb || kind === 0xfe || (kind >= 0xe0 && kind <= 0xef));
  return soi0 === 0xff && soi1 === 0xd8 && beginsWithSegment && last[0] === 0xff && last[1] === 0xd9;
}

/** Reads bytes as characters of one byte each. */
export function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Reads an unsigned integer of up to four bytes. Bytes beyond the end count as zero. */
export function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

/** Reads likewise, the lowest byte first. */
export function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

const CRC_32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** Returns the CRC-32 (ISO-HDLC) of bytes, as zip files and PNG have it. */
export function crc32(bytes: ArrayLike<number>): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (CRC_32[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}

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
