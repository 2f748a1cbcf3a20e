import { bigEndian, crc32, littleEndian, text } from './file-headers.ts';

/** The accepted pictures, by media type. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/**
 * `unknown`: none of the three formats. `damaged`: cut off or broken. `animated`: more than one picture. `unsupported`:
 * a kind of JPEG that browsers do not show (lossless, arithmetic or hierarchical coding).
 */
export type ImageFault = 'unknown' | 'damaged' | 'animated' | 'unsupported';

/** Width and height in pixels, as the file states, before any limit. */
export type ImageHeader =
  | { readonly ok: true; readonly type: ImageType; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly fault: ImageFault };

/** Reads format and size of a picture and checks that the file is complete. Does not decode pixels. Never throws. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  if (text(bytes, 1, 3) === 'PNG' && bytes[0] === 0x89) return readPng(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpeg(bytes);
  if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WEBP') return readWebp(bytes);
  return fault('unknown');
}

/**
 * PNG (W3C PNG 3 section 5): a signature, then chunks of length, type, data and CRC, from IHDR to IEND. Decoders skip a
 * damaged chunk that is not critical.
 */
function readPng(bytes: Uint8Array): ImageHeader {
  if (text(bytes, 4, 4) !== '\r\n\x1a\n' || text(bytes, 12, 4) !== 'IHDR' || bigEndian(bytes, 8, 4) !== 13) {
    return fault('damaged');
  }
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bigEndian(bytes, at, 4)) {
    const type = text(bytes, at + 4, 4);
    const crc = at + 8 + bigEndian(bytes, at, 4);
    const isCritical = /^[A-Z]/.test(type);
    if (isCritical && crc32(bytes.subarray(at + 4, crc)) !== bigEndian(bytes, crc, 4)) break;
    if (type === 'acTL') return fault('animated');
    if (type === 'IDAT') hasPixels = true;
    if (type === 'IEND') {
      if (!hasPixels) break;
      return { ok: true, type: 'image/png', width: bigEndian(bytes, 16, 4), height: bigEndian(bytes, 20, 4) };
    }
  }
  return fault('damaged');
}

/** JPEG (ITU T.81 annex B): segments of a marker and a length, of which the frame header has the size. */
function readJpeg(bytes: Uint8Array): ImageHeader {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] ?? 0;
    // Any number of 0xff may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameHeader(marker)) {
      if (marker > 0xc2) return fault('unsupported');
      if (!hasEndOfImage(bytes, at + 9)) break;
      return { ok: true, type: 'image/jpeg', width: bigEndian(bytes, at + 7, 2), height: bigEndian(bytes, at + 5, 2) };
    }
    const length = bigEndian(bytes, at + 2, 2);
    if (!hasLength(marker) || length < 2) break;
    at += 2 + length;
  }
  return fault('damaged');
}

/** Whether a marker is one of SOF0 to SOF15, except DHT, JPG and DAC, whose numbers are among them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Whether a marker may precede the frame header: tables and application data may. */
function hasLength(marker: number): boolean {
  return marker === 0xc4 || marker === 0xcc || marker === 0xdb || marker === 0xdd || marker >= 0xe0;
}

/** Cameras append data of their own, so the end is searched from behind. */
function hasEndOfImage(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at >= from; at--) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  }
  return false;
}

/** WebP (RFC 9649 section 2): a RIFF file whose first chunk is lossy, lossless, or the header of an extended file. */
function readWebp(bytes: Uint8Array): ImageHeader {
  const [stated, data] = [8 + littleEndian(bytes, 4, 4), 20];
  // Some programs leave out the byte that pads the last chunk, and count it.
  if (stated > bytes.length + 1) return fault('damaged');
  const end = Math.min(stated, bytes.length);
  if (data + 5 > end || data + littleEndian(bytes, 16, 4) > end) return fault('damaged');
  const sized = (width: number, height: number): ImageHeader => ({ ok: true, type: 'image/webp', width, height });
  switch (text(bytes, 12, 4)) {
    case 'VP8 ': {
      // RFC 6386 section 9.1: the frame is a key frame, and its start code follows the frame tag.
      const isKeyFrame = ((bytes[data] ?? 1) & 1) === 0 && bigEndian(bytes, data + 3, 3) === 0x9d012a;
      if (!isKeyFrame) return fault('damaged');
      return sized(littleEndian(bytes, data + 6, 2) & 0x3fff, littleEndian(bytes, data + 8, 2) & 0x3fff);
    }
    case 'VP8L': {
      if (bytes[data] !== 0x2f) return fault('damaged');
      const bits = littleEndian(bytes, data + 1, 4);
      return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      if (((bytes[data] ?? 0) & 0x02) !== 0) return fault('animated');
      return sized(littleEndian(bytes, data + 4, 3) + 1, littleEndian(bytes, data + 7, 3) + 1);
    default:
      return fault('damaged');
  }
}

function fault(kind: ImageFault): ImageHeader {
  return { ok: false, fault: kind };
}
