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
