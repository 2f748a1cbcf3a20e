import type { SKRSContext2D } from '@napi-rs/canvas';
import type { ClipClock } from '../capture/clip-clock.ts';
import type { Shot } from '../plan/shot.ts';
import { COLOR, withAlpha } from './theme.ts';

export interface ProgressLine {
  paint(ctx: SKRSContext2D, frame: number): void;
}

/** A hairline along the lower edge: how far the clip is, where its shots part, and a point for each kill to come and done. */
export function createProgressLine(
  shots: readonly Shot[],
  clock: ClipClock,
  { width, height, scale }: { readonly width: number; readonly height: number; readonly scale: number },
): ProgressLine {
  const span = Math.max(clock.frameCount - 1, 1);
  const kills = shots.flatMap((shot, index) => shot.kills.map(({ tick }) => clock.frameOf(index, tick)));
  const thickness = Math.max(Math.round(5 * scale), 2);
  const top = height - thickness;
  return {
    paint(ctx, frame) {
      ctx.fillStyle = withAlpha(COLOR.ink, 0.13);
      ctx.fillRect(0, top, width, thickness);
      ctx.fillStyle = COLOR.ink;
      ctx.fillRect(0, top, (frame / span) * width, thickness);
      ctx.fillStyle = COLOR.background;
      for (const start of clock.shotStarts.slice(1))
        ctx.fillRect((start / span) * width - scale, top, 3 * scale, thickness);
      for (const kill of kills) {
        const size = 6.5 * scale;
        const x = Math.min(Math.max((kill / span) * width, 2 * size), width - 2 * size);
        const y = top - 2 * scale;
        ctx.beginPath();
        ctx.moveTo(x, y - size);
        ctx.lineTo(x + size, y);
        ctx.lineTo(x, y + size);
        ctx.lineTo(x - size, y);
        ctx.closePath();
        ctx.fillStyle = frame >= kill ? COLOR.danger : COLOR.faint;
        ctx.strokeStyle = COLOR.background;
        ctx.lineWidth = 2.5 * scale;
        ctx.stroke();
        ctx.fill();
      }
    },
  };
}
