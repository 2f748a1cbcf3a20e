import { type Canvas, type Context2D, createCanvas } from '../canvas.ts';

/** Returns the picture of a key. Calls `paint` unless the key is that of the last call. */
export type Plate = (key: string, paint: (ctx: Context2D) => void) => Canvas;

/** Creates a small picture that is painted again only when its `key` changes. */
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
