import type { Hurt, Kill } from '../match/match.ts';
import { type Context2D, createPath, type Path } from './canvas.ts';
import { FONT, font } from './fonts.ts';
import { COLOR, easeOut, kept, outlinedText, smoothstep } from './theme.ts';

/** Signs for how a kill was made, drawn for this project in a 24×24 box: lines 2.4 wide, and filled ones. */
const LINES = {
  blind: 'M2.5 12 C6 6.4 18 6.4 21.5 12 C18 17.6 6 17.6 2.5 12 Z M12 9.4 A2.6 2.6 0 1 1 11.99 9.4 M4 20 L20 4',
  noScope: 'M12 4 A8 8 0 1 1 11.99 4 M12 1.5 V8 M12 16 V22.5 M1.5 12 H8 M16 12 H22.5 M4 20 L20 4',
  inAir:
    'M12 21 V5 M5.5 11.5 L12 4.6 L18.5 11.5 M3 16.5 C5 18.5 6.6 18.5 8.4 16.8 M21 16.5 C19 18.5 17.4 18.5 15.6 16.8',
  revenge: 'M6 7.4 C9 3.6 16 3.8 18.6 8.6 C21.4 14.2 16.6 20.4 10.6 19.4 C7.8 18.8 5.8 17 5 14.6 M5.4 2.6 V8 H10.8',
};
const SHAPES = {
  smoke:
    'M6.5 20 C2.5 20 1 17.6 1 15.4 C1 13 2.8 11.4 5 11.2 C5 7.4 8 4.6 11.6 4.6 C14.6 4.6 17 6.4 17.8 9 C21 9 23 11.4 23 14.4 C23 17.6 20.8 20 17.6 20 Z M6 14.2 V16.2 H14.4 V18 L19.6 15.2 L14.4 12.4 V14.2 Z',
  wallbang: 'M9 1.5 H15 V8.6 H9 Z M9 15.4 H15 V22.5 H9 Z M1 10.6 H16.6 V7.6 L23 12 L16.6 16.4 V13.4 H1 Z',
  flashAssist:
    'M12 1 L14 8.4 L20.4 4.2 L16.4 10.6 L23.4 12.4 L16.4 14.2 L20 20.4 L14 16.4 L12 23.6 L10 16.4 L4 20.4 L7.6 14.2 L0.6 12.4 L7.6 10.6 L3.6 4.2 L10 8.4 Z',
  domination: 'M2 7 L7.4 11.4 L12 3.4 L16.6 11.4 L22 7 L19.8 17 H4.2 Z M4.2 18.8 H19.8 V21.4 H4.2 Z',
  bot: 'M11 1.6 H13 V5 H19.4 C20.8 5 21.6 5.8 21.6 7.2 V18.4 C21.6 19.8 20.8 20.6 19.4 20.6 H4.6 C3.2 20.6 2.4 19.8 2.4 18.4 V7.2 C2.4 5.8 3.2 5 4.6 5 H11 Z M6.4 9 V13 H10 V9 Z M14 9 V13 H17.6 V9 Z M7 15.6 V17.4 H17 V15.6 Z',
  headshot:
    'M11 2.4 C16 2.4 19.4 5.8 19.4 10.4 C19.4 13.4 18 15.4 16.2 16.8 L16.6 21.8 H8.6 L8 18.8 H5.4 C4.4 18.8 3.8 18.2 3.8 17.2 V14.4 L2 13.2 L3.4 9.8 C3.6 5.4 6.6 2.4 11 2.4 Z M11.6 6.4 A4.2 4.2 0 1 0 11.61 6.4 Z M11.6 8.6 A2 2 0 1 1 11.59 8.6 Z',
};

export type KillMark = keyof typeof LINES | keyof typeof SHAPES;

/**
 * Returns the signs of a kill: those before the weapon's glyph, and those between it and the victim's name, in drawing
 * order.
 */
export function killMarks(kill: Kill): { readonly before: readonly KillMark[]; readonly after: readonly KillMark[] } {
  const after: KillMark[] = [];
  if (kill.noScope) after.push('noScope');
  if (kill.throughSmoke) after.push('smoke');
  if (kill.wallbang) after.push('wallbang');
  if (kill.headshot) after.push('headshot');
  if (kill.domination) after.push('domination');
  if (kill.revenge) after.push('revenge');
  const before: KillMark[] = kill.attackerBlind ? ['blind'] : [];
  if (kill.attackerInAir) before.push('inAir');
  return { before, after };
}

const paths = new Map<KillMark, Path>();

/** Draws a sign `size` pixels high and wide in `color`. Its top left corner is x, y. */
export function drawKillMark(ctx: Context2D, mark: KillMark, x: number, y: number, size: number, color: string): void {
  const path = kept(paths, mark, () => createPath({ ...LINES, ...SHAPES }[mark]));
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size / 24, size / 24);
  if (mark in LINES) {
    ctx.strokeStyle = color;
    ctx.lineWidth = 2.4;
    ctx.lineCap = 'round';
    ctx.lineJoin = 'round';
    ctx.stroke(path);
  } else {
    ctx.fillStyle = color;
    ctx.fill(path, 'evenodd');
  }
  ctx.restore();
}

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
  at: { readonly x: number; readonly y: number },
  { size, pop }: NumberStyle,
  scale: number,
): void {
  ctx.globalAlpha = 1 - smoothstep(DAMAGE_SECONDS * 0.6, DAMAGE_SECONDS, since);
  ctx.font = font(FONT.display, (size + pop * (1 - easeOut(since / 0.18))) * scale);
  ctx.textBaseline = 'middle';
  const color = hurt.healthLeft === 0 ? COLOR.danger : COLOR.ink;
  outlinedText(ctx, `${hurt.damage}`, at, { width: 6 * scale, dark: COLOR.background, color });
}
