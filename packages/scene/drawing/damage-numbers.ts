import type { Context2D } from '../canvas.ts';
import type { Hurt } from '../match/match.ts';
import { easeOut, smoothstep } from './ease.ts';
import { FONT, font } from './fonts.ts';
import { COLOR } from './theme.ts';

/** How long the number of a hit is visible. */
export const DAMAGE_SECONDS = 1.1;

/** Directions of successive hits in degrees above the horizon, so that the numbers of a burst do not overlap. */
const FAN = [24, -24, 68, -68, 0];

/** How far a number flies and how large it is, in pixels at scale 1. It starts larger by `pop`. */
export interface NumberStyle {
  readonly from: number;
  readonly flight: number;
  readonly size: number;
  readonly pop: number;
}

/**
 * Returns the position of the number of a player's `nth` hit, `since` seconds after it, relative to its start. y grows
 * down.
 */
export function flightOf(
  nth: number,
  since: number,
  { from, flight }: NumberStyle,
  scale: number,
): { x: number; y: number } {
  const angle = ((FAN[nth % FAN.length] ?? 0) * Math.PI) / 180;
  const away = (from + flight * easeOut(since / 0.5)) * scale;
  return { x: Math.cos(angle) * away, y: -Math.sin(angle) * away };
}

/** Paints the damage of a hit around a point, fading; red for the last hit of a kill. */
export function paintDamageNumber(
  ctx: Context2D,
  hurt: Hurt,
  since: number,
  { x, y }: { readonly x: number; readonly y: number },
  { size, pop }: NumberStyle,
  scale: number,
): void {
  ctx.globalAlpha = 1 - smoothstep(DAMAGE_SECONDS * 0.6, DAMAGE_SECONDS, since);
  ctx.font = font(FONT.display, (size + pop * (1 - easeOut(since / 0.18))) * scale);
  ctx.textBaseline = 'middle';
  ctx.lineJoin = 'round';
  ctx.lineWidth = 6 * scale;
  ctx.strokeStyle = COLOR.background;
  ctx.strokeText(`${hurt.damage}`, x, y);
  ctx.fillStyle = hurt.healthLeft === 0 ? COLOR.danger : COLOR.ink;
  ctx.fillText(`${hurt.damage}`, x, y);
}
