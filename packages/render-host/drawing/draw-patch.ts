/** A small picture to draw over frames: premultiplied RGBA, top row first. */
export interface Patch {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Blends a patch into an opaque RGBA frame, with its top left corner at x, y. It has to be completely inside the frame.
 */
export function drawPatch(
  { pixels, width, height }: Patch,
  frame: Uint8Array,
  frameWidth: number,
  x: number,
  y: number,
): void {
  for (let row = 0, from = 0; row < height; row++) {
    let to = ((y + row) * frameWidth + x) * 4;
    for (let column = 0; column < width; column++, from += 4, to += 4) {
      const alpha = pixels[from + 3] ?? 0;
      if (alpha === 0) continue;
      const rest = 255 - alpha;
      for (let c = 0; c < 3; c++) {
        frame[to + c] = (pixels[from + c] ?? 0) + Math.round(((frame[to + c] ?? 0) * rest) / 255);
      }
    }
  }
}
