import { crc32, deflateRawSync } from 'node:zlib';

/** `PBDEMS2\0` and some text, 4138 bytes. */
export const BODY = Buffer.from(
  `PBDEMS2\0${Array.from({ length: 300 }, (_, i) => `tickreel ${(i * i) % 9973} `).join('')}`,
);

/** The same bytes through bzip2, for which Node has no compressor. */
export const BODY_BZ2 = Buffer.from(
  `QlpoOTFBWSZTWTDOu54AA2RfgEAAQAB/4BYCSAAKLBQAUAPELoAe7AYGp5NAVJRkwjQip+0xGqojRgAoABoGTIIp7SZlQAABFRo00pMmANH/oHvDwHT8
sZ8d99WxM/RU7rja2JwgxmNtCbK28owoRByi9m8GDMrZr2E5SXnO77BrYU5711DvUqtrJTysfLCciuF2UAsanZZoM2nuKrrasa1NPTEPDZcL1xPpl3oP
BseL7ZeKKOnFZg6uoRcGTCBEshexVrd7t9ijXdWxlwbT8DkUhgNNm8W3n1la1JxJsdFGp6Im4VLZm0eotLHQqJRkRegTLTYKTAT0HgGnMIMoVA2MlhTF
Yzlb6GK7Nm41bwWuSLeystbhk+J9WyqaJfQIIJWKJQu0PZi7ncOdZ0JpIepOskkU+zNVI3WQAvx8qXy3JkjmviK+P553u3uRueHNBknKQ68gQ+momEE+
omFNFJueUn1nxO6gs7nlrDAMkTuu5R2tIuEdWnO9U3DqGqqs9LVGlUeRGTMAc63rmva17rvmJ1b3R7Gpmsh0QKOUvUeYkLhzbRHBmeLqjJu7dubqNOCp
F5lAQRWQjWT4O6rYnxNCEOleETUFSFiDwi2t1CpmjVoFzzCInijac9A7NmJnvCi8Xqk6FespWagmzbNibbuVGiXlbFaJMEaqHF8QE7zukNoBIYrTKx+L
qB4kwDmKzdtdV4tOzJ2ZiOTMwsnQ9nD61TTkjYzq7DYQlcCZWz0AQQYEtzEXkSBHQjouCF2UjLdFU654L6l27o3BzCvV4kKVUpEWXpatss2yXbAosM9A
nhjfjyliRmEXbzVaHBzDnBWdZ07Q1sVK8JuZ3HObKzCOMHWgcQDBBBHHJOb2lUCnbarDTLNWsAlMSy6nYiul97QezaqRzWaoOn2yhJnLWYiYvea5Zilv
qZxve4qxFvHXt3x49goh9BRD4CiHAKIfQUQuCiHAKIcUoiH4XckU4UJAwzrueA==`,
  'base64',
);

/** 70 million zeros through bzip2: 82 bytes. */
export const BOMB_BZ2 = Buffer.from(
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZxS9ikQC4mEAEwAAAIAAIIAAwzAUppgohU2IUQqeLuSKcKEhsnlOXgA==',
  'base64',
);

export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
  /** What the headers claim, at the offsets of the real values. */
  readonly claimed?: {
    readonly crc32?: number;
    readonly bytes?: number;
    readonly flags?: number;
    readonly method?: number;
    /** Unix permissions and type of file. */
    readonly mode?: number;
  };
}

/** Returns a .zip file of deflated entries. */
export function zip(...entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimed } of entries) {
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(claimed?.flags ?? 0, 2);
    common.writeUInt16LE(claimed?.method ?? 8, 4);
    common.writeUInt32LE(claimed?.crc32 ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimed?.bytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(((claimed?.mode ?? 0) << 16) >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

export interface RarEntry {
  readonly name: string;
  readonly content: Buffer;
  /** Records after the header, each with its own length: an encryption, a link. */
  readonly extra?: Buffer;
  /** What the header claims. */
  readonly claimed?: { readonly bytes?: number; readonly dictionary?: number; readonly isFolder?: boolean };
}

/**
 * Returns a RAR 5 file of stored entries (RAR 5.0 archive format, technical note of WinRAR 7; libarchive 3.6's bsdtar
 * lists and unpacks it). `archiveFlags`: 1 is a part of a split archive.
 */
export function rar(entries: readonly RarEntry[], archiveFlags = 0): Buffer {
  const files = entries.map(({ name, content, extra = Buffer.alloc(0), claimed = {} }) => {
    const { bytes = content.length, dictionary = 0, isFolder = false } = claimed;
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(content));
    const fields = [
      ...[rarNumber(isFolder ? 5 : 4), rarNumber(bytes), rarNumber(0o100644), sum],
      ...[rarNumber(dictionary << 10), rarNumber(1), rarNumber(Buffer.byteLength(name)), Buffer.from(name)],
    ];
    return rarBlock(2, Buffer.concat(fields), extra, content);
  });
  const main = rarBlock(1, rarNumber(archiveFlags));
  return Buffer.concat([Buffer.from('526172211a070100', 'hex'), main, ...files, rarBlock(5, rarNumber(0))]);
}

/** A record that says that an entry is a symbolic link to `target`. */
export function rarLink(target: string): Buffer {
  const fields = [rarNumber(5), rarNumber(1), rarNumber(0), rarNumber(target.length), Buffer.from(target)];
  return Buffer.concat([rarNumber(Buffer.concat(fields).length), ...fields]);
}

/** A record that says that an entry is encrypted with AES-256. */
export function rarEncryption(): Buffer {
  const fields = Buffer.concat([rarNumber(1), rarNumber(0), rarNumber(0), Buffer.alloc(33, 1)]);
  return Buffer.concat([rarNumber(fields.length), fields]);
}

function rarBlock(type: number, fields: Buffer, extra: Buffer = Buffer.alloc(0), data?: Buffer): Buffer {
  const flags = (extra.length > 0 ? 1 : 0) | (data ? 2 : 0);
  const sizes = [...(extra.length > 0 ? [rarNumber(extra.length)] : []), ...(data ? [rarNumber(data.length)] : [])];
  const body = Buffer.concat([rarNumber(type), rarNumber(flags), ...sizes, fields, extra]);
  const header = Buffer.concat([rarNumber(body.length), body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(header));
  return Buffer.concat([sum, header, data ?? Buffer.alloc(0)]);
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
function rarNumber(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Returns a RAR 4 file of stored entries (the format's technical note of RAR 4.20). */
export function rar4(entries: readonly RarEntry[], archiveFlags = 0): Buffer {
  const block = (type: number, flags: number, fields: Buffer): Buffer => {
    const header = Buffer.alloc(5);
    header.writeUInt8(type, 0);
    header.writeUInt16LE(flags, 1);
    header.writeUInt16LE(fields.length + 7, 3);
    const whole = Buffer.concat([header, fields]);
    const sum = Buffer.alloc(2);
    sum.writeUInt16LE(crc32(whole) & 0xffff);
    return Buffer.concat([sum, whole]);
  };
  const files = entries.flatMap(({ name, content }) => {
    const fields = Buffer.alloc(25);
    fields.writeUInt32LE(content.length, 0);
    fields.writeUInt32LE(content.length, 4);
    fields.writeUInt8(3, 8);
    fields.writeUInt32LE(crc32(content), 9);
    fields.writeUInt8(20, 17);
    fields.writeUInt8(0x30, 18);
    fields.writeUInt16LE(name.length, 19);
    fields.writeUInt32LE(0o100644, 21);
    return [block(0x74, 0x8000, Buffer.concat([fields, Buffer.from(name)])), content];
  });
  const main = block(0x73, archiveFlags, Buffer.alloc(6));
  return Buffer.concat([Buffer.from('526172211a0700', 'hex'), main, ...files, block(0x7b, 0x4000, Buffer.alloc(0))]);
}
