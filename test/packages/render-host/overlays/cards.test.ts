import { expect, it } from 'vitest';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { type Still, withCards } from '#render-host/overlays/cards.ts';

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
