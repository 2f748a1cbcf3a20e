import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { COLOR, withAlpha } from '../../../drawing/theme.ts';

/** Gives the picture of a key, which `paint` paints unless it is the one that was asked for last. */
export type Plate = (key: string, paint: (ctx: SKRSContext2D) => void) => Canvas;

/** A small picture that is painted anew only when what it shows (`key`) is something else. */
export function createPlate(width: number, height: number, scale: number): Plate {
  const canvas = createCanvas(Math.ceil(width), Math.ceil(height));
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  ctx.textBaseline = 'alphabetic';
  let shown: string | null = null;
  return (key, paint) => {
    if (key !== shown) {
      ctx.clearRect(0, 0, canvas.width / scale, canvas.height / scale);
      paint(ctx);
      shown = key;
    }
    return canvas;
  };
}

/** The dark box that words of the HUD stand on. */
export function panelBox(ctx: SKRSContext2D, x: number, width: number, height: number, y = 0): void {
  ctx.beginPath();
  ctx.roundRect(x + 1, y + 1, width - 2, height - 2, 11);
  ctx.fillStyle = COLOR.panel;
  ctx.fill();
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = withAlpha(COLOR.ink, 0.09);
  ctx.stroke();
}
