import { type Context2D, createCanvas } from '../canvas.ts';
import { smoothstep } from '../drawing/ease.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { centred, type PanelBox } from '../drawing/panel-box.ts';
import { drawableLine } from '../drawing/text.ts';
import { floorsUp, type Moment, onScreen, toScreen } from './moment.ts';
import type { Sprite } from './sprites.ts';

/** The name of a place, painted once. */
export interface CalloutSprite {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly sprite: Sprite;
}

const STRENGTH = 0.7;
/** Pixels around a name within which a player, the cross of a fallen one or a panel fades it, and hides it. */
const CLEAR_OF = { player: { gone: 26, full: 90 }, fallen: { gone: 12, full: 36 }, panel: { gone: 0, full: 30 } };

export function createCalloutSprites(
  callouts: readonly { readonly name: string; readonly x: number; readonly y: number; readonly z: number }[],
  scale: number,
): readonly CalloutSprite[] {
  return callouts.map(({ name, x, y, z }) => ({ x, y, z, sprite: letters(drawableLine(name).toUpperCase(), scale) }));
}

function letters(text: string, scale: number): Sprite {
  const measure = createCanvas(1, 1).getContext('2d');
  measure.font = font(FONT.display, 21 * scale, text);
  measure.letterSpacing = `${(3 * scale).toFixed(1)}px`;
  const height = Math.ceil(30 * scale);
  const canvas = createCanvas(Math.ceil(measure.measureText(text).width) + 2, height);
  const ctx = canvas.getContext('2d');
  ctx.font = measure.font;
  ctx.letterSpacing = measure.letterSpacing;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = '#e4edf5';
  ctx.fillText(text, 1, height / 2);
  return canvas;
}

/** Paints the names of places on the floor, below everything, and not where a panel or a player is, or one fell. */
export function paintCallouts(
  ctx: Context2D,
  moment: Moment,
  callouts: readonly CalloutSprite[],
  panels: readonly PanelBox[],
): void {
  const { players, scale } = moment;
  const obstacles = [
    ...panels.map((panel) => ({ ...centred(panel), ...CLEAR_OF.panel })),
    ...players.flatMap((state) => {
      if (state === null) return [];
      return { ...toScreen(moment, state), width: 0, height: 0, ...(state.alive ? CLEAR_OF.player : CLEAR_OF.fallen) };
    }),
  ];
  for (const callout of callouts) {
    const { sprite } = callout;
    const at = toScreen(moment, callout);
    if (floorsUp(moment, callout.z) !== 0 || !onScreen(moment, at, sprite.width)) continue;
    let clear = 1;
    for (const { x, y, width, height, gone, full } of obstacles) {
      const beside = Math.max(Math.abs(x - at.x) - (width + sprite.width) / 2, 0);
      const over = Math.max(Math.abs(y - at.y) - (height + sprite.height) / 2, 0);
      clear = Math.min(clear, smoothstep(gone * scale, full * scale, Math.hypot(beside, over)));
    }
    if (clear < 0.02) continue;
    ctx.globalAlpha = STRENGTH * clear;
    ctx.drawImage(sprite, at.x - sprite.width / 2, at.y - sprite.height / 2);
  }
}
