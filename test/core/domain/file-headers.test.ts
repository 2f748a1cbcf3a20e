import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fileKind, isCrLf, isWholeJpeg, isWholeMp4, type ReadBytes, wrongFile } from '#domain/lib/file-headers.ts';
import { readImageHeader } from '#domain/lib/image-header.ts';
import { standInJpeg, standInMp4 } from '#test/support/test-host.ts';
import { PICTURES, withByte } from '../../support/pictures.ts';

describe('a kind of file', () => {
  const text = (start: string) => Buffer.from(start).toString('hex');

  test.each([
    ['demo', text('PBDEMS2\0')],
    ['csgo-demo', text('HL2DEMO\0')],
    ['gzip', '1f8b0800'],
    ['bzip2', text('BZh1')],
    ['bzip2', text('BZh9')],
    ['zstd', '28b52ffd'],
    ['zstd', '5f2a4d18'],
    ['zip', '504b0304'],
    ['zip', '504b0506'],
    ['zip', '504b0708'],
    ['rar', text('Rar!\u001a\u0007\0')],
    ['rar', text('Rar!\u001a\u0007\u0001\0')],
    ['7z', '377abcaf271c0004'],
    ['xz', 'fd377a585a000004'],
    ['tar', text(`${'match.dem'.padEnd(257, '\0')}ustar`)],
    [null, text(`${'match.dem'.padEnd(256, '\0')}ustar`)],
    [null, text('Rar!\u001a\u0007\u0002\0')],
    [null, text('PBDEMS1\0')],
    [null, text('PBDEMS')],
    [null, text('BZh0')],
    [null, text('PK\u0001\u0002')],
    [null, text('<!doctype html>')],
    [null, ''],
    ...['1f8b', '425a6831', '28b52ffd', '5f2a4d18', '504b0304', text('PBDEMS2\0'), text('HL2DEMO\0')].map(
      (head): [null, string] => [null, `00${head}`],
    ),
  ])('%j begins with %s', (kind, head) => {
    expect(fileKind(head)).toBe(kind);
  });

  test.each([
    ['empty', ''],
    ['html', '\n<!-- gone --><HTML lang="en">'],
    ['html', '\u00ef\u00bb\u00bf<!doctype html>'],
    ['html', '<?xml version="1.0"?>\r\n<!DOCTYPE html PUBLIC'],
    ['s3_error', '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'],
    ['xml', '<?xml version="1.0"?><rss>'],
    ['json', ' {"error":"not found"}'],
    ['json', '[]'],
    ['git_lfs', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a'],
    ['multipart', '--X7\r\nContent-Disposition: form-data; name="file"\r\n\r\nPBDEMS2\0'],
    ['text', 'Not found.\r\n'],
    ['text', '--- a list ---'],
    ['7z', '7z\u00bc\u00af\u0027\u001c'],
    [null, 'PBDEMS2\0'],
    [null, 'PBDEMS1\0{}'],
    [null, '{"binary":\u0001'],
  ])('%j is what begins with %j', (found, start) => {
    expect(wrongFile(Buffer.from(start, 'latin1').toString('hex'))).toBe(found);
  });

  test.each([
    [true, '\0\r\n'.repeat(8)],
    [false, '\0\r\n'.repeat(7)],
    [false, '\0\r\n'.repeat(99).concat('\n')],
    [false, ''],
  ])('%j: every line feed of many follows a carriage return', (found, content) => {
    expect(isCrLf(Buffer.from(content))).toBe(found);
  });
});

const reader =
  (file: Uint8Array): ReadBytes =>
  async (offset, length) =>
    file.slice(offset, offset + length);
const isMp4 = (file: Uint8Array) => isWholeMp4(reader(file), file.byteLength);
const isJpeg = (file: Uint8Array) => isWholeJpeg(reader(file), file.byteLength);
const text = (words: string) => new TextEncoder().encode(words);

/** Returns a box with as many bytes of content; `long` writes its size in 64 bits. */
function box(type: string, content: number, long = false): Uint8Array {
  const header = long ? 16 : 8;
  const bytes = new Uint8Array(header + content);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, long ? 1 : bytes.byteLength);
  bytes.set(text(type), 4);
  if (long) view.setBigUint64(8, BigInt(bytes.byteLength));
  return bytes;
}

/** Returns the header of an `mdat` that gives its size in 64 bits. */
function longBoxOf(size: number): Uint8Array {
  const bytes = box('mdat', 0, true);
  new DataView(bytes.buffer).setBigUint64(8, BigInt(size));
  return bytes;
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe('an MP4', () => {
  it('is one whose boxes fill it', async () => {
    const toTheEnd = join(box('ftyp', 16), box('moov', 40), box('mdat', 100));
    new DataView(toTheEnd.buffer).setUint32(24 + 48, 0);
    for (const file of [
      standInMp4(1000),
      join(box('ftyp', 16), box('free', 0), box('mdat', 100, true), box('moov', 40)),
      toTheEnd,
      join(box('ftyp', 16), box('moov', 40), box('mdat', 9), box('free', 0)),
    ]) {
      expect(await isMp4(file)).toBe(true);
    }
  });

  it.each([
    ['text', text('<script>alert(1)</script> some words')],
    ['nothing', new Uint8Array()],
    ['a few bytes', box('ftyp', 0).subarray(0, 7)],
    ['cut off', standInMp4(1000).subarray(0, 999)],
    ['with something after it', join(standInMp4(1000), text('x'))],
    ['without moov', join(box('ftyp', 16), box('mdat', 100))],
    ['without mdat', join(box('ftyp', 16), box('moov', 100))],
    ['with two moov', join(box('ftyp', 16), box('moov', 9), box('moov', 9), box('mdat', 9))],
    ['that begins otherwise', join(box('moov', 16), box('ftyp', 16), box('mdat', 9))],
    ['of boxes without end', join(box('ftyp', 0), ...Array.from({ length: 20 }, () => box('free', 0)), standInMp4(99))],
    ['with a box smaller than its header', join(box('ftyp', 0), Uint8Array.of(0, 0, 0, 4, 109, 111, 111, 118))],
    ['with a long size smaller than its header', join(box('ftyp', 0), box('moov', 0), longBoxOf(8))],
    ['with a long size that is cut off', Uint8Array.of(0, 0, 0, 1, 102, 116, 121, 112, 0, 0)],
  ])('is none: %s', async (_, file) => {
    expect(await isMp4(file)).toBe(false);
  });
});

/** The first four bytes and the last two, with zeros between them. */
const jpeg = (first: readonly number[], last: readonly number[] = [0xff, 0xd9]) =>
  Uint8Array.of(...first, ...new Uint8Array(14), ...last);

describe('a JPEG', () => {
  it.each([0xdb, 0xe0, 0xef, 0xfe])('is one with its first and last markers, and a segment %d', async (segment) => {
    expect(await isJpeg(jpeg([0xff, 0xd8, 0xff, segment]))).toBe(true);
  });

  it.each([
    ['text', text('these are thirty-seven bytes of text.')],
    ['too short', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0xff, 0xd9)],
    ['cut off', standInJpeg(500).subarray(0, 499)],
    ['without a segment', jpeg([0xff, 0xd8, 0xff, 0xd9])],
    ['with a segment beyond the last', jpeg([0xff, 0xd8, 0xff, 0xf0])],
    ['with a segment that is no marker', jpeg([0xff, 0xd8, 0, 0xe0])],
    ['that begins otherwise', jpeg([0xff, 0xd9, 0xff, 0xe0])],
    ['without the first byte', jpeg([0, 0xd8, 0xff, 0xe0])],
    ['that ends amid a marker', jpeg([0xff, 0xd8, 0xff, 0xe0], [0xff, 0])],
    ['that ends without a marker', jpeg([0xff, 0xd8, 0xff, 0xe0], [0, 0xd9])],
    ['a PNG', jpeg([0x89, 0x50, 0x4e, 0x47])],
  ])('is none: %s', async (_, file) => {
    expect(await isJpeg(file)).toBe(false);
  });
});

const still = [
  ['PNG', PICTURES.png, 'image/png'],
  ['baseline JPEG', PICTURES.jpeg, 'image/jpeg'],
  ['progressive JPEG', PICTURES.progressiveJpeg, 'image/jpeg'],
  ['lossy WebP', PICTURES.lossyWebp, 'image/webp'],
  ['lossless WebP', PICTURES.losslessWebp, 'image/webp'],
  ['extended WebP', PICTURES.extendedWebp, 'image/webp'],
] as const;

const fault = (kind: string) => ({ ok: false, fault: kind });

/** Where a JPEG's frame header begins. */
const frameHeader = PICTURES.jpeg.findIndex((byte, at) => byte === 0xff && PICTURES.jpeg[at + 1] === 0xc0);

describe('the header of a picture', () => {
  it.each(still)('returns type and size of a %s', (_name, bytes, type) => {
    expect(readImageHeader(bytes)).toEqual({ ok: true, type, width: 4, height: 3 });
  });

  it('is found behind what cameras put before it and after the end', () => {
    const { jpeg } = PICTURES;
    const comment = [0xff, 0xff, 0xfe, 0x00, 0x04, 0xff, 0xd9];
    const dressed = Uint8Array.from([...jpeg.subarray(0, 2), ...comment, ...jpeg.subarray(2), 1, 2, 3]);
    expect(readImageHeader(dressed)).toMatchObject({ ok: true, type: 'image/jpeg', width: 4, height: 3 });
  });

  it.each([
    ['PNG', PICTURES.animatedPng],
    ['WebP', PICTURES.animatedWebp],
  ])('tells that a %s is animated', (_name, bytes) => {
    expect(readImageHeader(bytes)).toEqual(fault('animated'));
  });

  it.each(still)('is none once a %s is cut off, wherever that is', (_name, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      const { ok } = readImageHeader(bytes.slice(0, length));
      // Nothing that is read follows the checksum of the last chunk or the padding of a WebP.
      if (ok) expect(length).toBeGreaterThanOrEqual(bytes.length - 4);
    }
  });

  it.each([
    ['PNG without pixels', Uint8Array.from([...PICTURES.png.slice(0, 33), ...PICTURES.png.slice(-12)])],
    ['PNG that does not begin with its header', withByte(PICTURES.png, 12, 0x20)],
    ['JPEG with a segment shorter than its length', withByte(PICTURES.jpeg, 5, 1)],
    ['JPEG that ends before its frame', withByte(PICTURES.jpeg, frameHeader + 1, 0xd9)],
    ['lossy WebP without the start code', withByte(PICTURES.lossyWebp, 23, 0)],
    ['lossy WebP that begins with a delta frame', withByte(PICTURES.lossyWebp, 20, 1)],
    ['lossless WebP without the signature', withByte(PICTURES.losslessWebp, 20, 0)],
    ['WebP with a first chunk of another kind', withByte(PICTURES.lossyWebp, 12, 0x20)],
    ['WebP whose first chunk is longer than the file', withByte(PICTURES.lossyWebp, 16, 0xff)],
  ])('is none in a %s', (_name, bytes) => {
    expect(readImageHeader(bytes)).toEqual(fault('damaged'));
  });

  it.each([
    ['PNG', PICTURES.png, [0, 1]],
    ['JPEG', PICTURES.jpeg, [0, 1, 2]],
    ['WebP', PICTURES.lossyWebp, [0, 8]],
  ])('is none of a %s whose signature is another', (_name, bytes, places) => {
    for (const at of places) {
      expect(readImageHeader(withByte(bytes, at, (bytes[at] ?? 0) ^ 1))).toEqual(fault('unknown'));
    }
  });

  it('is none of a PNG with another end of its signature, a longer header, or a cut end', () => {
    const { png } = PICTURES;
    const longer = Uint8Array.from([...withByte(png, 11, 14).slice(0, 29), 0, ...png.slice(29)]);
    for (const bytes of [withByte(png, 4, 0), longer, png.slice(0, -1)]) {
      expect(readImageHeader(bytes)).toEqual(fault('damaged'));
    }
  });

  it('is none of a PNG with a byte changed in a chunk that decoders need', () => {
    const { png } = PICTURES;
    for (let at = 8; at < png.length; at++) {
      expect(readImageHeader(withByte(png, at, (png[at] ?? 0) ^ 1)), `${at}`).toEqual(fault('damaged'));
    }
    const comment = [0, 0, 0, 1, ...new TextEncoder().encode('tEXt'), 1, 2, 3, 4, 5];
    const dressed = Uint8Array.from([...png.slice(0, 33), ...comment, ...png.slice(33)]);
    expect(readImageHeader(dressed)).toEqual(readImageHeader(png));
  });

  it('is read of a WebP that lacks the padding of its last chunk, or counts a byte that it lacks', () => {
    const { lossyWebp, losslessWebp } = PICTURES;
    const [size = 0] = lossyWebp.slice(4);
    expect(readImageHeader(losslessWebp.slice(0, -1))).toEqual(readImageHeader(losslessWebp));
    expect(readImageHeader(withByte(lossyWebp, 4, size + 1))).toEqual(readImageHeader(lossyWebp));
    expect(readImageHeader(withByte(lossyWebp, 4, size + 2))).toEqual(fault('damaged'));
    expect(readImageHeader(withByte(lossyWebp, 4, size + 1).slice(0, -1))).toEqual(fault('damaged'));
  });

  it('never throws, and gives whole numbers or a fault, whatever the bytes', () => {
    const noise = fc.uint8Array({ maxLength: 300 });
    const seed = fc.constantFrom(...Object.values(PICTURES));
    const changed = fc
      .tuple(seed, fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 8 }), fc.nat(400))
      .map(([file, changes, length]) => {
        let bytes: Uint8Array = file;
        for (const [at, value] of changes) bytes = withByte(bytes, at, value);
        return bytes.slice(0, length);
      });
    fc.assert(
      fc.property(fc.oneof(noise, changed), (bytes) => {
        const header = readImageHeader(bytes);
        if (!header.ok) return;
        for (const side of [header.width, header.height]) {
          expect(Number.isSafeInteger(side)).toBe(true);
          expect(side).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the segments of a JPEG', () => {
  const frame = [0xff, 0xc0, 0x00, 0x0b, 0x08, 0x00, 0x03, 0x00, 0x04];
  const end = [0xff, 0xd9];
  const jpeg = (...parts: number[][]) => readImageHeader(Uint8Array.from([0xff, 0xd8, ...parts.flat()]));
  const size = { ok: true, type: 'image/jpeg', width: 4, height: 3 };
  const markers = Array.from({ length: 0xff }, (_, marker) => marker);
  const before = [0xc4, 0xcc, 0xdb, 0xdd, ...markers.filter((marker) => marker >= 0xe0)];
  const frames = [0xc0, 0xc1, 0xc2];
  const strange = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];

  it('may come before the frame where they are tables or data of a program, also empty ones', () => {
    for (const marker of before) expect(jpeg([0xff, marker, 0x00, 0x02], frame, end)).toEqual(size);
  });

  it('are of a kind that hardly anything can show, or do not belong there', () => {
    for (const marker of strange) expect(jpeg([0xff, marker, 0x00, 0x02], frame, end)).toEqual(fault('unsupported'));
    const others = markers.filter((marker) => ![...before, ...frames, ...strange].includes(marker));
    for (const marker of others) expect(jpeg([0xff, marker, 0x00, 0x02], frame, end)).toEqual(fault('damaged'));
    expect(jpeg([0xff, 0xe0, 0x00, 0x02], [0xfe, ...frame.slice(1)], end)).toEqual(fault('damaged'));
  });

  it('end behind the frame, and nowhere else', () => {
    expect(jpeg(frame, end)).toEqual(size);
    expect(jpeg([0xff, 0xfe, 0x00, 0x04, ...end], frame)).toEqual(fault('damaged'));
    expect(jpeg(frame, [0x00, 0xd9])).toEqual(fault('damaged'));
  });
});

describe('the smallest WebP', () => {
  const webp = (bytes: number) => {
    const head = [...PICTURES.losslessWebp.slice(0, 25)];
    head[4] = bytes - 8;
    head[16] = bytes - 20;
    return readImageHeader(Uint8Array.from(head.slice(0, bytes)));
  };

  it('has five bytes behind the head of its chunk', () => {
    expect(webp(25)).toMatchObject({ ok: true, width: 4, height: 3 });
    expect(webp(24)).toEqual(fault('damaged'));
  });
});
