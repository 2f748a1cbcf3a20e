import { expect, test } from 'vitest';
import { drawPatch } from '#render-host/drawing/host-canvas.ts';

/** A frame of 3 × 2 opaque pixels, all of one colour. */
const frameOf = (...color: number[]) => Uint8Array.from({ length: 3 * 2 * 4 }, (_, i) => [...color, 255][i % 4] ?? 0);

test('an opaque pixel lets nothing of the brightest frame through', () => {
  const frame = frameOf(255, 255, 255);
  drawPatch({ pixels: Uint8Array.of(10, 20, 30, 255), width: 1, height: 1 }, frame, 3, 0, 0);
  expect([...frame.subarray(0, 8)]).toEqual([10, 20, 30, 255, 255, 255, 255, 255]);
});

test('a patch covers, blends and lets through, at its place and nowhere else', () => {
  const frame = frameOf(100, 100, 100);
  const pixels = Uint8Array.of(...[200, 0, 0, 255], ...[100, 0, 0, 128], ...[0, 0, 0, 0], ...[0, 0, 64, 64]);
  drawPatch({ pixels, width: 2, height: 2 }, frame, 3, 1, 0);
  const rows = [0, 1].map((y) => [0, 1, 2].map((x) => [...frame.subarray((y * 3 + x) * 4, (y * 3 + x) * 4 + 4)]));
  expect(rows).toEqual([
    [
      [100, 100, 100, 255],
      [200, 0, 0, 255],
      [150, 50, 50, 255],
    ],
    [
      [100, 100, 100, 255],
      [100, 100, 100, 255],
      [75, 75, 139, 255],
    ],
  ]);
});
