import { tmpdir } from 'node:os';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { type Still, withCards } from '#render-host/overlays/cards.ts';
import { decodeImage, withWatermark } from '#render-host/overlays/watermark.ts';
import { PICTURES, withByte } from '#test/support/pictures.ts';

/** Frames of one pixel; each has its number. */
const shots: FrameSource = {
  frameCount: 2,
  async *frames() {
    for (const i of [100, 101]) yield Uint8Array.of(i, i, i, 255);
  },
  frame: async (index) => Uint8Array.of(100 + index, 0, 0, 255),
};
const still = (value: number, frames = 8): Still => ({ pixels: Uint8Array.of(value, value, value, 255), frames });

async function reds(source: FrameSource, signal = new AbortController().signal): Promise<number[]> {
  const seen: number[] = [];
  for await (const frame of source.frames(signal)) {
    seen.push(frame[0] ?? 0);
    // A consumer may paint into its frame.
    frame.fill(0);
  }
  return seen;
}

it('are before and after the shots, fade in and out, and are visible from their first frame to their last', async () => {
  const source = withCards(shots, { before: [still(200), still(250)], after: [still(90)] }, 5);
  const seen = await reds(source);
  expect(source.frameCount).toBe(26);
  expect(seen).toHaveLength(26);
  expect(seen.slice(16, 18)).toEqual([100, 101]);
  for (const [from, value] of [[0, 200] as const, [8, 250] as const, [18, 90] as const]) {
    const card = seen.slice(from, from + 8);
    expect(card).toEqual(card.toReversed());
    expect(card[3]).toBe(value);
    expect(card[0]).toBeGreaterThan(9 + 0.1 * (value - 9));
    expect(card[1]).toBeGreaterThan(card[0] ?? 0);
  }
});

it('do not shift the frames of a thumbnail, and end when they are aborted', async () => {
  const source = withCards(shots, { before: [still(200)], after: [still(90)] }, 5);
  expect((await source.frame(1))[0]).toBe(101);
  expect(await reds(source, AbortSignal.abort())).toEqual([100, 101]);
});

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
    const source = withWatermark(black, await decodeImage(image(), { width: 1920, height: 1080 }, tmpdir()), {
      width: 1920,
      height: 1080,
    });
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
    expect(await decodeImage(image(), { width: 2560, height: 1440 }, tmpdir())).toMatchObject({ width: 8, height: 4 });
    const large = createCanvas(3000, 2000).toBuffer('image/png');
    expect(await decodeImage(large, { width: 1920, height: 1080 }, tmpdir())).toMatchObject({
      width: 1920,
      height: 1080,
    });
  });

  it('may be a WebP that lacks its padding, or counts a byte that it lacks', async () => {
    const { lossyWebp, losslessWebp } = PICTURES;
    const counted = withByte(lossyWebp, 4, (lossyWebp[4] ?? 0) + 1);
    for (const [file, whole] of [
      [losslessWebp.slice(0, -1), losslessWebp],
      [counted, lossyWebp],
    ] as const) {
      const { pixels } = await decodeImage(file, { width: 1920, height: 1080 }, tmpdir());
      expect(pixels.some((value) => value > 0)).toBe(true);
      expect(pixels).toEqual((await decodeImage(whole, { width: 1920, height: 1080 }, tmpdir())).pixels);
    }
  });

  it('that is no image is an error', async () => {
    await expect(
      decodeImage(new TextEncoder().encode('no image'), { width: 1920, height: 1080 }, tmpdir()),
    ).rejects.toThrow();
  });
});
