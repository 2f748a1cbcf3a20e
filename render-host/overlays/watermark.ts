import { createCanvas, loadImage } from '@napi-rs/canvas';
import { layPatch, type Patch } from '../drawing/lay-patch.ts';
import type { FrameSource } from '../frames/frame-source.ts';

/** An image to lay over every frame, at the top left; ready for one frame size. */
export type Watermark = Patch;

/**
 * Decodes a watermark (PNG, JPEG or WebP) for frames of a size: pixel by pixel at 1080 lines, in proportion at others
 * (docs/contract.md 4.1); what reaches beyond the frame is cut off. Throws when the bytes are no image.
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
  return { pixels: Uint8Array.from(canvas.data()), width, height };
}

/** A source whose frames carry the watermark. Works in place: a frame is its consumer's until the next one. */
export function withWatermark(source: FrameSource, watermark: Watermark, frameWidth: number): FrameSource {
  return {
    frameCount: source.frameCount,
    async *frames(signal) {
      for await (const frame of source.frames(signal)) {
        layPatch(watermark, frame, frameWidth, 0, 0);
        yield frame;
      }
    },
    async frame(index, content = 'full') {
      const frame = await source.frame(index, content);
      if (content !== 'bare') layPatch(watermark, frame, frameWidth, 0, 0);
      return frame;
    },
  };
}
