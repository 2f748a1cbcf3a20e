import type { Context2D } from '../canvas.ts';
import type { Crosshair } from '../match/match.ts';

/** How much larger than in the game a crosshair is, if it fits. */
const ENLARGED = 1.5;

/** Paints a crosshair around a place, at most `reach` to each side. */
export function paintCrosshair(ctx: Context2D, crosshair: Crosshair, x: number, y: number, reach: number): void {
  const { color, alpha, length, thickness, gap, outline, dot, isT } = crosshair;
  const half = thickness / 2;
  const start = gap + half;
  const size = Math.min(ENLARGED, reach / (Math.max(start + length, half) + outline));
  const far = -start - length;
  const bars: [x: number, y: number, width: number, height: number][] = [
    [start, -half, length, thickness],
    [far, -half, length, thickness],
    [-half, start, thickness, length],
  ];
  if (!isT) bars.push([-half, far, thickness, length]);
  if (dot) bars.push([-half, -half, thickness, thickness]);
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size, size);
  ctx.globalAlpha *= alpha;
  ctx.fillStyle = '#000000';
  for (const [left, top, width, height] of outline > 0 ? bars : [])
    ctx.fillRect(left - outline, top - outline, width + 2 * outline, height + 2 * outline);
  ctx.fillStyle = color;
  for (const bar of bars) ctx.fillRect(...bar);
  ctx.restore();
}
