import { bigEndian, littleEndian, text } from './file-headers.ts';

/** The accepted sound files, by media type. */
export const SOUND_TYPES = ['audio/wav', 'audio/mpeg', 'audio/flac', 'audio/ogg'] as const;
export type SoundType = (typeof SOUND_TYPES)[number];

/**
 * `unknown`: none of the four formats. `damaged`: cut off, broken, or without its length. `unsupported`: an OGG of
 * several streams or another codec than Vorbis and Opus, or a WAV that is compressed.
 */
export type SoundFault = 'unknown' | 'damaged' | 'unsupported';

/** Format and length, as the file states, before any limit. */
export type SoundHeader =
  | { readonly ok: true; readonly type: SoundType; readonly seconds: number }
  | { readonly ok: false; readonly fault: SoundFault };

/** Reads format and length of a sound file. Does not decode it, so the length may be wrong. Never throws. */
export function readSoundHeader(bytes: Uint8Array): SoundHeader {
  if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WAVE') return readWav(bytes);
  if (text(bytes, 0, 4) === 'OggS') return readOgg(bytes);
  const start = afterId3(bytes);
  return text(bytes, start, 4) === 'fLaC' ? readFlac(bytes, start) : readMp3(bytes, start);
}

/** The most tags, chunks of a WAV, pages of an OGG; the most bytes of an MP3 that are no frame. Files have fewer. */
const MOST_PARTS = 100_000;
const MOST_JUNK_BYTES = 1024 * 1024;
/** The most bytes before the first frame of an MP3, which are as many as ffmpeg skips. */
const MOST_LEAD_BYTES = 64 * 1024;
/** Bytes. Every accepted WAV is shorter. */
const NO_WAV_BYTES = 0x7fff_0000;

/** WAV (Microsoft, Multimedia Programming Interface 1.0): chunks of a name and a length, such as `fmt ` and `data`. */
function readWav(bytes: Uint8Array): SoundHeader {
  let bytesASecond = 0;
  for (let at = 12, chunks = 0; at + 8 <= bytes.length && chunks < MOST_PARTS; chunks++) {
    const [name, data, length] = [text(bytes, at, 4), at + 8, littleEndian(bytes, at + 4, 4)];
    if (name === 'fmt ') {
      const format = littleEndian(bytes, data, 2);
      // PCM or floating point. The extensible header has that number in its SubFormat.
      if (![1, 3].includes(format === 0xfffe ? littleEndian(bytes, data + 24, 2) : format)) return fault('unsupported');
      bytesASecond = littleEndian(bytes, data + 4, 4) * littleEndian(bytes, data + 12, 2);
    }
    const left = bytes.length - data;
    // A program that writes to a pipe does not know the length. It writes 0 or a number near 2^31 or 2^32.
    const isOpenEnded = length === 0 || length >= NO_WAV_BYTES;
    if (name === 'data') return sound('audio/wav', isOpenEnded ? left : length, bytesASecond, left);
    // Chunks begin at even places.
    at = data + length + (length % 2);
  }
  return fault('damaged');
}

/**
 * FLAC (RFC 9639 section 8.2): the first block has the rate in 20 bits and the number of samples in 36. A program that
 * writes to a pipe does not know the number, and writes 0.
 */
function readFlac(bytes: Uint8Array, start: number): SoundHeader {
  if (bigEndian(bytes, start + 4, 4) % 0x80000000 !== 34) return fault('damaged');
  const samples = (bigEndian(bytes, start + 21, 1) % 16) * 2 ** 32 + bigEndian(bytes, start + 22, 4);
  return sound('audio/flac', samples || lastFlacSample(bytes, start), bigEndian(bytes, start + 18, 3) >>> 4);
}

/** Returns the number of samples at the end of the last frame of a FLAC; 0 if none is found. */
function lastFlacSample(bytes: Uint8Array, start: number): number {
  let first = start + 4;
  for (let isLast = false; !isLast && first < bytes.length; first += 4 + bigEndian(bytes, first + 1, 3)) {
    isLast = (bytes[first] ?? 0) >= 0x80;
  }
  const head = bigEndian(bytes, first, 4);
  if (head >>> 17 !== 0x7ffc) return 0;
  const least = Math.max(first, bytes.length - MOST_JUNK_BYTES);
  for (let at = bytes.length - 6; at >= least; at--) {
    // The headers of all frames are equal, except for the size of the block and the use of the channels.
    const isHead = ((bigEndian(bytes, at, 4) ^ head) & 0xffff_0f0f) === 0;
    const end = isHead ? flacFrameEnd(bytes, at, bigEndian(bytes, start + 10, 2)) : null;
    if (end !== null) return end;
  }
  return 0;
}

/**
 * Returns the number of samples at the end of the FLAC frame at a place (RFC 9639 section 9.1); null if no valid
 * header is there. `usual`: the size of each block, in a file whose blocks have one size.
 */
function flacFrameEnd(bytes: Uint8Array, at: number, usual: number): number | null {
  const [lead = 0, sizes = 0] = [bytes[at + 4], bytes[at + 2]];
  // Coded like a character in UTF-8.
  const ones = Math.clz32(~(lead << 24));
  let place = lead & (0x7f >> ones);
  let next = at + 5;
  for (const end = next + Math.max(0, ones - 1); next < end; next++) place = place * 64 + ((bytes[next] ?? 0) & 0x3f);
  const [size, rate] = [sizes >>> 4, sizes & 15];
  const sizeBytes = size === 6 ? 1 : size === 7 ? 2 : 0;
  const inTable = size >= 8 ? 1 << size : size === 1 ? 192 : 144 << size;
  const block = sizeBytes > 0 ? bigEndian(bytes, next, sizeBytes) + 1 : inTable;
  next += sizeBytes + (rate === 12 ? 1 : rate === 13 || rate === 14 ? 2 : 0);
  // Its last byte is a CRC-8 of the others, so the rest is 0.
  const rest = bytes.subarray(at, next + 1).reduce((crc, byte) => crc8(crc ^ byte), 0);
  const isFixed = ((bytes[at + 1] ?? 0) & 1) === 0;
  return rest === 0 ? place * (isFixed ? usual : 1) + block : null;
}

function crc8(byte: number): number {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x80 ? 0x107 : 0);
  return crc;
}

/** OGG (RFC 3533 section 6): pages of one stream, each with the position of its end in samples. */
function readOgg(bytes: Uint8Array): SoundHeader {
  const packet = 28;
  const isOpus = text(bytes, packet, 8) === 'OpusHead';
  if (!isOpus && text(bytes, packet, 7) !== '\x01vorbis') return fault('unsupported');
  // Opus counts at 48 kHz whatever the source's rate, and skips the first samples (RFC 7845 section 4).
  const rate = isOpus ? 48_000 : littleEndian(bytes, packet + 12, 4);
  const skipped = isOpus ? littleEndian(bytes, packet + 10, 2) : 0;
  let samples = 0;
  // Programs add an ID3v1 tag of 128 bytes at the end.
  const isTag = (at: number) => at === bytes.length - 128 && text(bytes, at, 3) === 'TAG';
  for (let at = 0, pages = 0; at < bytes.length && !isTag(at); pages++) {
    const segments = bytes.subarray(at + 27, at + 27 + (bytes[at + 26] ?? 0));
    if (text(bytes, at, 4) !== 'OggS' || pages >= MOST_PARTS) return fault('damaged');
    // The flag of a stream's first page, or another serial number.
    const isFirst = (bigEndian(bytes, at + 5, 1) & 2) !== 0;
    if (isFirst !== (at === 0) || bigEndian(bytes, at + 14, 4) !== bigEndian(bytes, 14, 4)) return fault('unsupported');
    const high = littleEndian(bytes, at + 10, 4);
    // On a page on which no packet ends, all bits of the position are set.
    if (high !== 0xffffffff) samples = high * 2 ** 32 + littleEndian(bytes, at + 6, 4);
    at += 27 + segments.length + segments.reduce((sum, length) => sum + length, 0);
    if (at > bytes.length) return fault('damaged');
  }
  return sound('audio/ogg', samples - skipped, rate);
}

/** MP3 (ISO/IEC 11172-3 and 13818-3, layer III): frames, of which each names its rates. Its tags are skipped. */
function readMp3(bytes: Uint8Array, start: number): SoundHeader {
  let first = start;
  while (!beginsMp3(bytes, first)) if (++first >= start + MOST_LEAD_BYTES) return fault('unknown');
  let seconds = 0;
  let junk = 0;
  for (let at = first; at + 4 <= bytes.length; ) {
    const frame = frameAt(bytes, at);
    if (!frame && ++junk > MOST_JUNK_BYTES) return fault('damaged');
    seconds += frame?.seconds ?? 0;
    at += frame?.bytes ?? 1;
  }
  return sound('audio/mpeg', seconds, 1);
}

/** Whether two frames of one kind begin at a place. A single one may be a chance match. */
function beginsMp3(bytes: Uint8Array, at: number): boolean {
  const next = at + ((bytes[at] === 0xff && frameAt(bytes, at)?.bytes) || 0);
  // Equal version, layer and sample rate.
  const isAlike = ((bigEndian(bytes, at, 4) ^ bigEndian(bytes, next, 4)) & 0xfffe_0c00) === 0;
  return next > at && isAlike && frameAt(bytes, next) !== null;
}

/** In kbit/s, by the index in a frame's header: of MPEG 1, then of MPEG 2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** Returns length and duration of the MP3 frame at a place; null if none begins there. */
function frameAt(bytes: Uint8Array, at: number): { readonly bytes: number; readonly seconds: number } | null {
  const header = bigEndian(bytes, at, 4);
  const version = (header >>> 19) & 3;
  // Eleven bits of the sync mark; a version that is not reserved; layer III.
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1) return null;
  const isFirst = version === 3;
  const bitRate = BIT_RATES[isFirst ? 0 : 1][(header >>> 12) & 15];
  const sampleRate = (SAMPLE_RATES[(header >>> 10) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (!bitRate || sampleRate === 0) return null;
  const samples = isFirst ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  return { bytes: Math.floor((samples * bitRate * 125) / sampleRate) + padding, seconds: samples / sampleRate };
}

/** Returns where the file begins behind its ID3v2 tags (ID3v2.4 section 3.1). Their length has 7 bits a byte. */
function afterId3(bytes: Uint8Array): number {
  let at = 0;
  for (let tags = 0; tags < MOST_PARTS && text(bytes, at, 3) === 'ID3'; tags++) {
    const length = [6, 7, 8, 9].reduce((sum, place) => sum * 128 + (bytes[at + place] ?? 0), 0);
    const hasFooter = ((bytes[at + 5] ?? 0) & 0x10) !== 0;
    at += 10 + length + (hasFooter ? 10 : 0);
  }
  return at;
}

/** `left`: how many of the samples the file can have. */
function sound(type: SoundType, samples: number, rate: number, left = Number.POSITIVE_INFINITY): SoundHeader {
  if (samples <= 0 || rate === 0 || samples > left) return fault('damaged');
  return { ok: true, type, seconds: Math.round((samples / rate) * 1000) / 1000 };
}

function fault(kind: SoundFault): SoundHeader {
  return { ok: false, fault: kind };
}
