import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { decodeImage, withWatermark } from '#render-host/overlays/watermark.ts';
import { PICTURES, withByte } from '#test/support/pictures.ts';

describe('a watermark', () => {
  const image = (): Buffer => {
    const canvas = createCanvas(6, 3);
    const ctx = canvas.getContext('2d');
    ctx.fillStyle = '#ff0000';
    ctx.fillRect(0, 0, 3, 3);
    ctx.fillStyle = 'rgba(0, 0, 255, 0.5)';
    ctx.fillRect(3, 0, 3, 3);
    return canvas.toBuffer('image/png');
  };
  const black: FrameSource = {
    frameCount: 1,
    async *frames() {
      yield new Uint8Array(1920 * 1080 * 4).fill(0);
    },
    frame: async () => new Uint8Array(1920 * 1080 * 4).fill(0),
  };

  it('is at the top left of each frame, pixel by pixel at 1080 lines, and blends', async () => {
    const source = withWatermark(black, await decodeImage(image(), 1920, 1080), 1920);
    for await (const frame of source.frames(new AbortController().signal)) {
      expect([...frame.subarray(0, 3)]).toEqual([255, 0, 0]);
      expect(frame[3 * 4 + 2]).toBeGreaterThan(120);
      expect(frame[3 * 4 + 2]).toBeLessThan(135);
      expect([...frame.subarray(6 * 4, 6 * 4 + 3)]).toEqual([0, 0, 0]);
    }
    expect((await source.frame(0))[0]).toBe(255);
    expect((await source.frame(0, 'bare'))[0]).toBe(0);
  });

  it('grows with the resolution, and is cut off where it is larger than the frame', async () => {
    expect(await decodeImage(image(), 2560, 1440)).toMatchObject({ width: 8, height: 4 });
    const large = createCanvas(3000, 2000).toBuffer('image/png');
    expect(await decodeImage(large, 1920, 1080)).toMatchObject({ width: 1920, height: 1080 });
  });

  it('may be a WebP that lacks its padding, or counts a byte that it lacks', async () => {
    const { lossyWebp, losslessWebp } = PICTURES;
    const counted = withByte(lossyWebp, 4, (lossyWebp[4] ?? 0) + 1);
    for (const [file, whole] of [
      [losslessWebp.slice(0, -1), losslessWebp],
      [counted, lossyWebp],
    ] as const) {
      const { pixels } = await decodeImage(file, 1920, 1080);
      expect(pixels.some((value) => value > 0)).toBe(true);
      expect(pixels).toEqual((await decodeImage(whole, 1920, 1080)).pixels);
    }
  });

  it('that is no image is an error', async () => {
    await expect(decodeImage(new TextEncoder().encode('no image'), 1920, 1080)).rejects.toThrow();
  });
});
