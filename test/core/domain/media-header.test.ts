import { describe, expect, it } from 'vitest';
import { isWholeJpeg, isWholeMp4, type ReadBytes } from '#domain/media-header.ts';
import { standInJpeg, standInMp4 } from '../../support/stand-ins.ts';

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
