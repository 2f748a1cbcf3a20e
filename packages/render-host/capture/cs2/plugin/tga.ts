/** A picture as the game writes it: uncompressed, three or four bytes a pixel, blue first. */
export interface TgaPicture {
  readonly width: number;
  readonly height: number;
  readonly format: 'bgr24' | 'bgra';
  /** Whether the first row is the bottom one. */
  readonly isBottomUp: boolean;
  readonly pixels: Uint8Array;
}

const HEADER_BYTES = 18;
const UNCOMPRESSED_COLOUR = 2;
const TOP_DOWN = 0x20;

/** Reads a TGA file. Returns null for one that is cut off or of another kind. */
export function readTga(file: Uint8Array): TgaPicture | null {
  if (file.length < HEADER_BYTES) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const bits = view.getUint8(16);
  const isKnown = view.getUint8(1) === 0 && view.getUint8(2) === UNCOMPRESSED_COLOUR && (bits === 24 || bits === 32);
  if (!isKnown) return null;
  const width = view.getUint16(12, true);
  const height = view.getUint16(14, true);
  const from = HEADER_BYTES + view.getUint8(0);
  const bytes = (width * height * bits) / 8;
  if (bytes === 0 || file.length < from + bytes) return null;
  const isBottomUp = (view.getUint8(17) & TOP_DOWN) === 0;
  return {
    ...{ width, height, format: bits === 24 ? 'bgr24' : 'bgra', isBottomUp },
    pixels: file.subarray(from, from + bytes),
  };
}
