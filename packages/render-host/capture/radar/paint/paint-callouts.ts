import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { smoothstep } from '../../../drawing/ease.ts';
import { FONT, font } from '../../../drawing/fonts/fonts.ts';
import { drawableLine } from '../../../drawing/text.ts';
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
/** Pixels around a name within which a player or the cross of a fallen one fades it, and hides it. */
const CLEAR = { gone: 26, full: 90 };
const CLEAR_OF_FALLEN = { gone: 12, full: 36 };

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
  const width = Math.ceil(measure.measureText(text).width) + 2;
  const height = Math.ceil(30 * scale);
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.font = measure.font;
  ctx.letterSpacing = measure.letterSpacing;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = '#e4edf5';
  ctx.fillText(text, 1, height / 2);
  return { canvas, width, height };
}

/** Paints the names of places on the floor, below everything, and not where a player is or fell. */
export function paintCallouts(ctx: SKRSContext2D, moment: Moment, callouts: readonly CalloutSprite[]): void {
  const { players, scale } = moment;
  for (const callout of callouts) {
    const { sprite } = callout;
    const at = toScreen(moment, callout);
    if (floorsUp(moment, callout.z) !== 0 || !onScreen(moment, at, sprite.width)) continue;
    let clear = 1;
    for (const state of players) {
      if (state === null) continue;
      const { gone, full } = state.alive ? CLEAR : CLEAR_OF_FALLEN;
      const { x, y } = toScreen(moment, state);
      const beside = Math.max(Math.abs(x - at.x) - sprite.width / 2, 0);
      const away = Math.hypot(beside, Math.max(Math.abs(y - at.y) - sprite.height / 2, 0));
      clear = Math.min(clear, smoothstep(gone * scale, full * scale, away));
    }
    if (clear < 0.02) continue;
    ctx.globalAlpha = STRENGTH * clear;
    ctx.drawImage(sprite.canvas, at.x - sprite.width / 2, at.y - sprite.height / 2);
  }
}
