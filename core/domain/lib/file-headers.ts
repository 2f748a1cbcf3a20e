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
