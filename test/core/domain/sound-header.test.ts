import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSoundHeader } from '#domain/lib/sound-header.ts';
import { withByte } from '../../support/pictures.ts';
import { SOUNDS } from '../../support/sounds.ts';

const fault = (kind: string) => ({ ok: false, fault: kind });
const { wav, flac, mp3, opus, vorbis } = SOUNDS;

/** Returns the file with bytes replaced from a place on. */
function patched(file: Uint8Array, at: number, ...bytes: readonly number[]): Uint8Array {
  const copy = Uint8Array.from(file);
  copy.set(bytes, at);
  return copy;
}

const joined = (...parts: readonly (ArrayLike<number> & Iterable<number>)[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const id3 = (flags: number, ...body: readonly number[]) => [73, 68, 51, 4, 0, flags, 0, 0, 0, body.length, ...body];

/** Returns headers of frames at all multiples of four bytes. */
const headers = (...header: readonly number[]) => joined(...Array(200).fill(header));

/** Where the WAV's samples have their length. */
const wavLength = wav.indexOf(0x64, 36) + 4;
/** A FLAC as a program writes it to a pipe, and where its last frame begins. */
const piped = patched(flac, 21, 0xf0, 0, 0, 0, 0);
const lastFrame = Buffer.from(flac).lastIndexOf('fff8740806', 'hex');
/** Where the OGG's second page begins. */
const secondPage = 27 + (vorbis[26] ?? 0) + (vorbis[27] ?? 0);

describe('the header of a sound file', () => {
  it.each([
    ['WAV', wav, 'audio/wav', 0.5],
    ['FLAC', flac, 'audio/flac', 0.5],
    // Whole frames of 72 ms, of which the encoder adds some.
    ['MP3', mp3, 'audio/mpeg', 0.648],
    ['Opus in OGG', opus, 'audio/ogg', 0.5],
    ['Vorbis in OGG', vorbis, 'audio/ogg', 0.5],
  ])('returns type and length of %s', (_name, bytes, type, seconds) => {
    expect(readSoundHeader(bytes)).toEqual({ ok: true, type, seconds });
  });

  it('counts the bytes of a sample in all channels', () => {
    expect(readSoundHeader(patched(wav, 32, 4))).toMatchObject({ seconds: 0.125 });
  });

  // As ffmpeg writes them, then sox (`0x7ffff000`), then programs that count the header.
  it.each([[[0, 0, 0, 0]], [[0xff, 0xff, 0xff, 0xff]], [[0, 0xf0, 0xff, 0x7f]], [[0xd4, 0xff, 0xff, 0x7f]]])(
    'takes what a WAV from a pipe has, whose length is %j',
    (length) => {
      const piped = patched(wav, wavLength, ...length);
      expect(readSoundHeader(piped)).toMatchObject({ seconds: 0.5 });
      expect(readSoundHeader(piped.subarray(0, wavLength + 4))).toEqual(fault('damaged'));
    },
  );

  it('finds the samples of a WAV behind other chunks, which begin at even places', () => {
    const info = [...Buffer.from('LIST'), 3, 0, 0, 0, 1, 2, 3, 0];
    const dressed = joined(wav.subarray(0, 36), info, wav.subarray(wavLength - 4));
    expect(readSoundHeader(dressed)).toMatchObject({ type: 'audio/wav', seconds: 0.5 });
  });

  it.each([
    ['floating point', [3, 0], 0, true],
    ['compressed', [0x55, 0], 0, false],
    ['extensible with PCM', [0xfe, 0xff], 1, true],
    ['extensible with floating point', [0xfe, 0xff], 3, true],
    ['extensible and compressed', [0xfe, 0xff], 0x55, false],
    ['extensible without a SubFormat', [0xfe, 0xff], 0, false],
  ])('of a WAV that is %s', (_name, format, subFormat, isTaken) => {
    const header = Uint8Array.from({ length: 60 }, (_, at) => wav[at] ?? 0).fill(0, 36);
    header.set([40], 16);
    header.set(format, 20);
    header.set([subFormat], 44);
    const read = readSoundHeader(joined(header, wav.subarray(wavLength - 4)));
    expect(read).toEqual(isTaken ? readSoundHeader(wav) : fault('unsupported'));
  });

  it.each<[string, Uint8Array, readonly number[], string]>([
    ['bytes that are no frame of an MP3', mp3, [0xff], 'damaged'],
    ['empty chunks of a WAV', wav.subarray(0, 36), [76, 73, 83, 84, 0, 0, 0, 0], 'damaged'],
    ['empty pages of an OGG', vorbis, [...vorbis.subarray(0, 5), 0, ...vorbis.subarray(6, 26), 0], 'damaged'],
    ['empty tags', new Uint8Array(), id3(0), 'unknown'],
  ])('does not read all of a large file of %s', { tags: ['long'] }, (_name, head, unit, kind) => {
    const file = new Uint8Array(20 * 1024 * 1024);
    file.set(head);
    for (let at = head.length; at + unit.length <= file.length; at += unit.length) file.set(unit, at);
    let reads = 0;
    const counted = new Proxy(file, {
      get(bytes, name) {
        reads++;
        const value: unknown = Reflect.get(bytes, name);
        return typeof value === 'function' ? value.bind(bytes) : value;
      },
    });
    expect(readSoundHeader(counted)).toEqual(fault(kind));
    expect(reads).toBeLessThan(10_000_000);
  });

  it.each([
    ['cut off', piped.subarray(0, lastFrame + 7)],
    ['damaged', patched(piped, lastFrame + 4, 9)],
  ])('counts a FLAC from a pipe without its last frame where that is %s', (_name, file) => {
    expect(readSoundHeader(file)).toEqual({ ok: true, type: 'audio/flac', seconds: (6 * 576) / 8000 });
  });

  // Blocking, block size and rate, the number, the size and rate that follow, the samples. Blocks usually have 576.
  it.each<[number, number, readonly number[], readonly number[], number]>([
    [0xf8, 0x14, [2], [], 2 * 576 + 192],
    [0xf8, 0x24, [127], [], 128 * 576],
    [0xf8, 0x54, [2], [], 2 * 576 + 4608],
    [0xf8, 0x64, [2], [99], 2 * 576 + 100],
    [0xf8, 0x74, [2], [1, 0], 2 * 576 + 257],
    [0xf8, 0x84, [2], [], 2 * 576 + 256],
    [0xf8, 0xf4, [2], [], 2 * 576 + 32_768],
    [0xf8, 0x8c, [2], [8], 2 * 576 + 256],
    [0xf8, 0x7d, [2], [1, 0, 31, 64], 2 * 576 + 257],
    [0xf8, 0x6e, [2], [99, 3, 32], 2 * 576 + 100],
    [0xf9, 0x84, [2], [], 258],
    [0xf9, 0x84, [0xc3, 0xa9], [], 233 + 256],
    [0xf9, 0x84, [0xe2, 0x82, 0xac], [], 8364 + 256],
    [0xf9, 0x84, [0xfe, 0x84, 0x80, 0x80, 0x80, 0x80, 0x80], [], 2 ** 32 + 256],
  ])('counts the samples at the end of a FLAC frame: %i %i %j %j', (blocking, sizes, number, more, samples) => {
    const head = (...bytes: readonly number[]) => [0xff, blocking, sizes, 0x08, ...bytes];
    const read = Array.from({ length: 256 }, (_, crc) =>
      readSoundHeader(joined(piped.subarray(0, 60), head(0, 1), head(...number, ...more, crc), [1, 2])),
    ).filter(({ ok }) => ok);
    expect(read).toEqual([{ ok: true, type: 'audio/flac', seconds: Math.round(samples / 8) / 1000 }]);
  });

  it('skips padding and junk before the first frame of an MP3', () => {
    const chance = [0xff, 0xfb, 0x90, 0, ...Buffer.alloc(413)];
    expect(readSoundHeader(joined(Buffer.alloc(65_535), mp3))).toEqual(readSoundHeader(mp3));
    expect(readSoundHeader(joined(id3(0), Buffer.alloc(9), chance, mp3))).toEqual(readSoundHeader(mp3));
    expect(readSoundHeader(joined(Buffer.alloc(65_536), mp3))).toEqual(fault('unknown'));
  });

  it('leaves out a tag at the end of an OGG, and nothing else', () => {
    expect(readSoundHeader(joined(vorbis, Buffer.from('TAG'), Buffer.alloc(125)))).toEqual(readSoundHeader(vorbis));
    for (const end of [Buffer.from('TAG'), Buffer.alloc(128), Buffer.from('TAG'.padEnd(129))]) {
      expect(readSoundHeader(joined(vorbis, end))).toEqual(fault('damaged'));
    }
  });

  it('reads lengths of more than 32 bits', () => {
    const long = readSoundHeader(withByte(flac, 21, (flac[21] ?? 0) | 1));
    expect(long).toMatchObject({ seconds: (2 ** 32 + 4000) / 8000 });
    const lastPage = Buffer.from(vorbis).lastIndexOf('OggS');
    expect(readSoundHeader(patched(vorbis, lastPage + 10, 1))).toMatchObject({ seconds: (2 ** 32 + 4000) / 8000 });
  });

  it('skips tags before FLAC and MP3, and what is between frames', () => {
    expect(readSoundHeader(joined(id3(0, 1, 2), id3(0x10), Buffer.alloc(10), mp3))).toEqual(readSoundHeader(mp3));
    expect(readSoundHeader(joined(id3(0, 7), flac))).toEqual(readSoundHeader(flac));
    const broken = joined(mp3, [0xff, 0xe0, 1, 2, 0xff, 0xfb, 0x9c, 0], mp3, Buffer.from('TAG'));
    expect(readSoundHeader(broken)).toMatchObject({ type: 'audio/mpeg', seconds: 1.296 });
    const far = joined([73, 68, 51, 4, 0, 0, 0, 0, 1, 1], Buffer.alloc(129), mp3);
    expect(readSoundHeader(far)).toEqual(readSoundHeader(mp3));
  });

  // The headers of the standard's table: MPEG 1 at 320 kbit/s and 48 kHz, padded; MPEG 2 at 160 and 22.05 kHz.
  it.each([
    ['MPEG 1', [0xff, 0xfb, 0xe6, 0], 961, 1152 / 48_000],
    ['MPEG 2', [0xff, 0xf3, 0xe0, 0], 522, 576 / 22_050],
    ['MPEG 2.5', [0xff, 0xe3, 0x18, 0], 72, 576 / 8000],
  ])('counts frames of %s', (_name, header, bytes, seconds) => {
    const frame = joined(header, Buffer.alloc(bytes - 4));
    const frames = joined(frame, frame, frame);
    expect(readSoundHeader(frames)).toMatchObject({ seconds: Math.round(3 * seconds * 1000) / 1000 });
    expect(readSoundHeader(joined(frame, [0], frame))).toEqual(fault('unknown'));
  });

  it.each([
    ['nothing', [], 'unknown'],
    ['a playlist', Buffer.from('#EXTM3U\nfile:///etc/passwd'), 'unknown'],
    ['a picture in RIFF', Buffer.from('RIFF....WEBPVP8 '), 'unknown'],
    ['an ID3 tag alone', id3(0, 1, 2), 'unknown'],
    ['one frame of MP3', mp3.subarray(0, 72), 'unknown'],
    ['layer II', headers(0xff, 0xfd, 0x98, 0), 'unknown'],
    ['a reserved version', headers(0xff, 0xeb, 0x98, 0), 'unknown'],
    ['another sync mark', headers(0x7f, 0xfb, 0x98, 0), 'unknown'],
    ['a free bit rate', headers(0xff, 0xfb, 0x08, 0), 'unknown'],
    ['a forbidden bit rate', headers(0xff, 0xfb, 0xf8, 0), 'unknown'],
    ['a reserved sample rate', headers(0xff, 0xfb, 0x9c, 0), 'unknown'],
    ['a WAV whose numbers begin with the highest byte', withByte(wav, 3, 0x58), 'unknown'],
    ['a WAV that is cut off', wav.subarray(0, -1), 'damaged'],
    ['a WAV without samples', wav.subarray(0, 36), 'damaged'],
    ['a WAV without its format', joined(wav.subarray(0, 12), wav.subarray(wavLength - 4)), 'damaged'],
    ['a FLAC without its length and its blocks', piped.subarray(0, 42), 'damaged'],
    ['a FLAC without its rate', patched(flac, 18, 0, 0, 0), 'damaged'],
    ['a FLAC that begins otherwise', withByte(flac, 4, 4), 'damaged'],
    ['an OGG that is cut off', vorbis.subarray(0, -1), 'damaged'],
    ['an OGG with a hole', joined(vorbis.subarray(0, secondPage), [0], vorbis.subarray(secondPage)), 'damaged'],
    ['an OGG with another mark on a page', withByte(vorbis, secondPage, 0x58), 'damaged'],
    ['an OGG of its first page alone', vorbis.subarray(0, 58), 'damaged'],
    ['an OGG of two streams', joined(vorbis, opus), 'unsupported'],
    ['an OGG of two streams with one serial number', joined(vorbis, vorbis), 'unsupported'],
    ['an OGG whose first page is not marked as such', withByte(vorbis, 5, 0), 'unsupported'],
    ['an OGG of two streams, the second without its mark', patched(vorbis, secondPage + 14, 1, 2, 3, 4), 'unsupported'],
    ['an OGG of another codec', patched(opus, 28, 0x53), 'unsupported'],
  ])('%s is refused', (_name, bytes, kind) => {
    expect(readSoundHeader(Uint8Array.from(bytes))).toEqual(fault(kind));
  });

  it('ignores the position of a page on which no packet ends', () => {
    const page = Uint8Array.from([...vorbis.subarray(0, 5), 0, ...Array(8).fill(0xff), ...vorbis.subarray(14, 26), 0]);
    expect(readSoundHeader(joined(vorbis, page))).toEqual(readSoundHeader(vorbis));
  });

  it('never throws, and states a length of more than nothing', () => {
    const files = fc.constantFrom(...Object.values(SOUNDS));
    const edits = fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(files, edits, fc.nat(4100), (file, changes, length) => {
        const bytes = Uint8Array.from(file.subarray(0, length));
        for (const [at, value] of changes) bytes[at] = value;
        const read = readSoundHeader(bytes);
        expect(read.ok ? read.seconds >= 0 : read.fault.length > 0).toBe(true);
      }),
    );
  });
});
