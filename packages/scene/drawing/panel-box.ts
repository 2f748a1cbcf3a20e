import type { Context2D } from '../canvas.ts';
import { COLOR, withAlpha } from './theme.ts';

/** The place of a panel over the picture, in pixels. */
export interface PanelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a box with `x` and `y` in its middle instead of its corner. */
export function centred<Box extends PanelBox>(box: Box): Box {
  return { ...box, x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Returns the opacity of a panel, 0 to 1. */
export type PanelOpacity = (box: PanelBox) => number;

/** Paints the dark box behind texts over the picture, from the upper edge of the context. */
export function panelBox(ctx: Context2D, x: number, width: number, height: number): void {
  ctx.beginPath();
  ctx.roundRect(x + 1, 1, width - 2, height - 2, 11);
  ctx.fillStyle = COLOR.panel;
  ctx.fill();
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = withAlpha(COLOR.ink, 0.09);
  ctx.stroke();
}
