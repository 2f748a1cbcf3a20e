import { type Canvas, type Context2D, createCanvas } from '../canvas.ts';
import { COLOR, withAlpha } from '../drawing/theme.ts';
import type { ClipClock } from '../frames/clip-clock.ts';
import type { Shot } from '../plan/shot.ts';

export interface ProgressLine {
  paint(ctx: Context2D, frame: number): void;
}

/**
 * Creates a thin line along the lower edge that shows the position in the clip, its cuts, and a point for each kill.
 */
export function createProgressLine(
  shots: readonly Shot[],
  clock: ClipClock,
  { width, height, scale }: { readonly width: number; readonly height: number; readonly scale: number },
): ProgressLine {
  const span = Math.max(clock.frameCount - 1, 1);
  const kills = shots.flatMap((shot, index) => shot.kills.map(({ tick }) => clock.frameOf(index, tick)));
  const thickness = Math.max(Math.round(5 * scale), 2);
  const top = height - thickness;
  const ahead = paintPoint(COLOR.faint, scale);
  const done = paintPoint(COLOR.danger, scale);
  const half = ahead.width / 2;
  return {
    paint(ctx, frame) {
      ctx.fillStyle = withAlpha(COLOR.ink, 0.13);
      ctx.fillRect(0, top, width, thickness);
      ctx.fillStyle = COLOR.ink;
      ctx.fillRect(0, top, (frame / span) * width, thickness);
      ctx.fillStyle = COLOR.background;
      for (const start of clock.shotStarts.slice(1)) {
        ctx.fillRect(Math.round((start / span) * width - scale), top, Math.ceil(3 * scale), thickness);
      }
      for (const kill of kills) {
        const x = Math.min(Math.max((kill / span) * width, 1.5 * half), width - 1.5 * half);
        ctx.drawImage(frame >= kill ? done : ahead, Math.round(x - half), Math.round(top - 2 * scale - half));
      }
    },
  };
}

/** Paints the diamond of a kill. */
function paintPoint(color: string, scale: number): Canvas {
  const size = 6.5 * scale;
  const canvas = createCanvas(Math.ceil(18 * scale), Math.ceil(18 * scale));
  const ctx = canvas.getContext('2d');
  ctx.translate(canvas.width / 2, canvas.height / 2);
  ctx.beginPath();
  ctx.moveTo(0, -size);
  ctx.lineTo(size, 0);
  ctx.lineTo(0, size);
  ctx.lineTo(-size, 0);
  ctx.closePath();
  ctx.strokeStyle = COLOR.background;
  ctx.lineWidth = 2.5 * scale;
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}
