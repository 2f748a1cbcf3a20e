import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { FrameSource } from '../capture/capture.ts';

/** An image to lay over every frame, at the top left; ready for one frame size. */
export interface Watermark {
  /** Premultiplied RGBA, with 255 minus its alpha in place of alpha. */
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Decodes a watermark (PNG, JPEG or WebP) for frames of a size: pixel by pixel at 1080 lines, in proportion at others (spec 4.1); what
 * reaches beyond the frame is cut off. Throws when the bytes are no image.
 */
export async function loadWatermark(image: Uint8Array, frameWidth: number, frameHeight: number): Promise<Watermark> {
  const decoded = await loadImage(image);
  const scale = frameHeight / 1080;
  const width = Math.min(Math.max(Math.round(decoded.width * scale), 1), frameWidth);
  const height = Math.min(Math.max(Math.round(decoded.height * scale), 1), frameHeight);
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.imageSmoothingQuality = 'high';
  ctx.drawImage(decoded, 0, 0, decoded.width * scale, decoded.height * scale);
  const pixels = Uint8Array.from(canvas.data());
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255 - (pixels[i] ?? 0);
  return { pixels, width, height };
}

/** A source whose frames carry the watermark. Works in place: a frame is its consumer's until the next one. */
export function withWatermark(source: FrameSource, watermark: Watermark, frameWidth: number): FrameSource {
  return {
    frameCount: source.frameCount,
    async *frames(signal) {
      for await (const frame of source.frames(signal)) {
        lay(watermark, frame, frameWidth);
        yield frame;
      }
    },
    async frame(index, dressing = 'full') {
      const frame = await source.frame(index, dressing);
      if (dressing === 'full') lay(watermark, frame, frameWidth);
      return frame;
    },
  };
}

function lay({ pixels, width, height }: Watermark, frame: Uint8Array, frameWidth: number): void {
  for (let y = 0, from = 0; y < height; y++) {
    let to = y * frameWidth * 4;
    for (let x = 0; x < width; x++, from += 4, to += 4) {
      const rest = pixels[from + 3] ?? 255;
      if (rest === 255) continue;
      for (let c = 0; c < 3; c++) {
        frame[to + c] = (pixels[from + c] ?? 0) + Math.round(((frame[to + c] ?? 0) * rest) / 255);
      }
    }
  }
}
